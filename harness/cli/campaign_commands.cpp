#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <set>
#include <unistd.h>

#include "db/database.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/record.h"
#include "harness/cli/session.h"
#include "harness/jobs/quoting.h"
#include "reports/progress.h"

namespace pippin {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kShortestPoll = std::chrono::milliseconds(100),
               kLongestPoll = std::chrono::milliseconds(1000);

std::atomic<bool> interrupted{false};

/// While it lives, the first SIGINT or SIGTERM asks to stop; another one kills, as it always may.
class Interruptible {
 public:
  Interruptible() {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  }
  ~Interruptible() {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }

 private:
  static void stop(int signal) {
    interrupted = true;
    std::signal(signal, SIG_DFL);
  }
};

/// Returns early at a signal.
void pause_for(std::chrono::milliseconds time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

/// Writes to the database what runs have left since the last look.
class Follower {
 public:
  Follower(Database& database, Session& session)
      : session_(session), recorder_(database, session.folder(), session.campaign()) {}

  void record() {
    for (const auto& job : session_.campaign().jobs) {
      for (const auto& run : job.runs) {
        const RunFate& fate = session_.machine().fate(run.name);
        const bool lost = fate.phase == RunPhase::kLost;
        if (!lost && !(fate.phase == RunPhase::kDone && fate.certain)) continue;
        if (!recorded_.insert(run.name).second) continue;
        const auto recorded = recorder_.record(job, run, fate);
        if (!recorded.state) {
          session_.machine().distrust(run.name);
          recorded_.erase(run.name);
          continue;
        }
        if (*recorded.state != RunState::kOk) ++not_ok_;
        if (lost) lost_.push_back(&run);
      }
    }
  }

  /// Runs that are over and gave no sound measurement.
  std::int64_t not_ok() const { return not_ok_; }
  /// Of those, the ones that left no exit code.
  const std::vector<const PlannedRun*>& lost() const { return lost_; }

 private:
  Session& session_;
  Recorder recorder_;
  std::set<std::string> recorded_;
  std::int64_t not_ok_ = 0;
  std::vector<const PlannedRun*> lost_;
};

Progress progress_of(const RunCounts& counts, std::size_t earlier, Clock::time_point since) {
  Progress progress;
  progress.total = static_cast<std::size_t>(counts.total());
  progress.failed = static_cast<std::size_t>(counts.failed + counts.lost + counts.cancelled);
  progress.done = static_cast<std::size_t>(counts.succeeded) + progress.failed;
  progress.running = static_cast<std::size_t>(counts.running);
  progress.earlier = earlier;
  progress.elapsed_s = std::chrono::duration<double>(Clock::now() - since).count();
  return progress;
}

/// Steps the machine until the campaign is finished or the user interrupts.
RunCounts watch(const Globals& globals, Session& session, Follower& follower) {
  const Interruptible interruptible;
  const std::size_t width = terminal_width(STDERR_FILENO);
  ProgressDisplay display(width > 0, width);
  const auto say = [&](const std::string& text) {
    if (!globals.quiet) write_error(text);
  };
  const auto since = Clock::now();
  RunCounts counts = session.machine().step();
  const std::size_t earlier = progress_of(counts, 0, since).done;
  auto poll = kShortestPoll;
  try {
    while (!interrupted) {
      follower.record();
      counts = session.machine().counts();  // a torn marker reopens its run
      say(display.update(progress_of(counts, earlier, since)));
      if (counts.finished()) break;
      pause_for(poll);
      const RunCounts now = session.machine().step();
      poll = now == counts ? std::min(poll * 2, kLongestPoll) : kShortestPoll;
      counts = now;
    }
  } catch (...) {
    say(display.finish());
    throw;
  }
  say(display.finish());
  return counts;
}

/// `run`: the command and options that stand before the sweep.
std::string come_back(const Globals& globals, const SweepSource& sweep,
                      const std::string& run = "run") {
  return fmt::format("pippin --db {} {} {}", bash_word(globals.db.string()), run,
                     bash_words(sweep));
}

ReportOptions usual_report(const std::string& sweep) {
  ReportOptions options;
  options.sweep = sweep;
  return options;
}

void say_what_was_dropped(const Globals& globals, const Sweep& sweep, const SweepSource& source) {
  if (sweep.dropped.empty()) return;
  remark(globals,
         fmt::format("{} of {} points are dropped; 'pippin plan {}' says why", sweep.dropped.size(),
                     sweep.dropped.size() + sweep.points.size(), bash_words(source)));
}

void say_what_was_lost(const Globals& globals, Session& session, const Follower& follower) {
  if (follower.lost().empty()) return;
  const std::size_t count = follower.lost().size();
  const RunFate& fate = session.machine().fate(follower.lost().front()->name);
  std::string log;
  for (const auto& handing : session.machine().handings()) {
    if (handing.submission.number == fate.submission)
      log = "; see " + session.folder().directory(handing.submission).string();
  }
  remark(globals,
         fmt::format("{} run{} lost ({}{}); the same command tries again", count,
                     count == 1 ? " was" : "s were", printable(fate.evidence), printable(log)));
}

void say_what_has_changed(const Globals& globals, Session& session) {
  const auto script = session.outdated_script();
  if (!script) return;
  remark(globals,
         fmt::format(
             "{}: its launch line, prolog, iterations or folder are not those of campaign {}; what "
             "was handed over keeps them ({}); --again measures everything anew",
             printable(session.sweep().file.string()), session.campaign().number,
             printable(script->string())));
}

}  // namespace

ExitCode run(const Globals& globals, const RunOptions& options) {
  Session session(globals, load_sweep(options.sweep), options);
  Database database(globals.db);
  const Campaign& campaign = session.campaign();
  say_what_was_dropped(globals, session.sweep(), options.sweep);
  say_what_has_changed(globals, session);
  record_campaign(database, campaign);
  Follower follower(database, session);
  const bool was_finished = session.machine().counts().finished();
  const RunCounts counts = watch(globals, session, follower);
  if (!counts.finished()) {
    remark(globals,
           fmt::format("the jobs go on; come back with: {}", come_back(globals, options.sweep)));
    return ExitCode::kInterrupted;
  }
  report(globals, usual_report(campaign.sweep));
  if (was_finished) {
    remark(globals, fmt::format("campaign {} of {} was finished already; '{}' begins a new one",
                                campaign.number, campaign.sweep,
                                come_back(globals, options.sweep, "run --again")));
  }
  say_what_was_lost(globals, session, follower);
  remark(globals, fmt::format("database: {}", printable(globals.db.string())));
  remark(globals, fmt::format("logs:     {}", printable(session.folder().root().string())));
  return follower.not_ok() + counts.cancelled > 0 ? ExitCode::kRunFailed : ExitCode::kDone;
}

ExitCode submit(const Globals& globals, const RunOptions& options) {
  Session session(globals, load_sweep(options.sweep), options);
  Database database(globals.db);
  say_what_was_dropped(globals, session.sweep(), options.sweep);
  say_what_has_changed(globals, session);
  record_campaign(database, session.campaign());
  const RunCounts counts = session.machine().step();
  remark(globals,
         fmt::format(
             "campaign {} of {}: {} runs in {} jobs are handed over; wait and collect with: {}",
             session.campaign().number, session.campaign().sweep, counts.waiting + counts.running,
             session.campaign().jobs.size(), come_back(globals, options.sweep)));
  return ExitCode::kDone;
}

namespace {

/// The newest campaign of each sweep of the database, or of the one that is named.
std::vector<std::pair<SweepFolder, Campaign>> newest_campaigns(const Globals& globals,
                                                               const std::string& sweep) {
  const fs::path runs = runs_directory(globals.db);
  std::vector<fs::path> folders;
  if (sweep.empty()) {
    for (const auto& name : disk().list(runs)) folders.push_back(runs / name);
  } else {
    folders.push_back(sweep_directory(globals.db, sweep));
  }
  std::vector<std::pair<SweepFolder, Campaign>> found;
  for (const auto& path : folders) {
    SweepFolder folder(disk(), path);
    const auto numbers = folder.campaigns();
    if (!numbers.empty()) found.emplace_back(folder, folder.load_campaign(numbers.back()));
  }
  if (found.empty() && !sweep.empty())
    bad_input("{}: no campaign of a sweep named '{}'", runs.string(), sweep);
  if (found.empty()) remark(globals, fmt::format("{}: no campaign yet", printable(runs.string())));
  return found;
}

}  // namespace

ExitCode status(const Globals& globals, const std::string& sweep) {
  constexpr std::size_t kDefaultWidth = 100;
  const std::size_t terminal = terminal_width(STDOUT_FILENO);
  for (auto& [folder, campaign] : newest_campaigns(globals, sweep)) {
    const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
    const RunCounts counts = observer_of(folder, campaign, *scheduler).observe();
    const Progress progress = progress_of(counts, 0, Clock::now());
    write_output(
        fmt::format("{} campaign {}\n  {}\n", printable(campaign.sweep), campaign.number,
                    progress_bar(progress, (terminal > 0 ? terminal : kDefaultWidth) - 2)));
  }
  return ExitCode::kDone;
}

ExitCode cancel(const Globals& globals, const std::string& sweep) {
  for (auto& [folder, campaign] : newest_campaigns(globals, sweep)) {
    const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
    CampaignMachine machine = observer_of(folder, campaign, *scheduler);
    machine.cancel();
    const RunCounts counts = machine.counts();
    remark(globals,
           fmt::format(
               "{} campaign {}: cancelled with {} of {} runs done; 'pippin run' takes up the rest",
               printable(campaign.sweep), campaign.number, counts.succeeded + counts.failed,
               counts.total()));
  }
  return ExitCode::kDone;
}

}  // namespace pippin
