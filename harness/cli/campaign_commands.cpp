#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <set>
#include <thread>
#include <unistd.h>

#include "db/database.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/record.h"
#include "harness/cli/session.h"
#include "reports/progress.h"
#include "sweeps/sweep_file.h"

namespace pippin {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kShortestPoll = std::chrono::milliseconds(100),
               kLongestPoll = std::chrono::milliseconds(1000);

std::atomic<bool> interrupted{false};

/// While it lives, SIGINT and SIGTERM ask to stop and do not kill.
class Interruptible {
 public:
  Interruptible() {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = true; });
  }
  ~Interruptible() {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }
};

/// Writes to the database what runs have left since the last look.
class Recorder {
 public:
  Recorder(Database& database, Session& session) : database_(database), session_(session) {}

  void record() {
    for (const auto& job : session_.campaign().jobs) {
      for (const auto& run : job.runs) {
        const RunPhase phase = session_.machine().phase(run.name);
        const bool over = phase == RunPhase::kDone || phase == RunPhase::kLost;
        if (!over || !recorded_.insert(run.name).second) continue;
        const auto lost = phase == RunPhase::kLost
                              ? std::optional(session_.machine().evidence(job.name))
                              : std::nullopt;
        const auto recorded =
            record_run(database_, session_.folder(), session_.campaign(), job, run, lost);
        if (recorded.state && *recorded.state != RunState::kOk) ++not_ok_;
      }
    }
  }

  /// Runs that are over and gave no sound measurement.
  std::int64_t not_ok() const { return not_ok_; }

 private:
  Database& database_;
  Session& session_;
  std::set<std::string> recorded_;
  std::int64_t not_ok_ = 0;
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
RunCounts watch(const Globals& globals, Session& session, Recorder& recorder) {
  const Interruptible interruptible;
  const std::size_t width = terminal_width(STDERR_FILENO);
  ProgressDisplay display(width > 0, width);
  const auto say = [&](const std::string& text) {
    if (!globals.quiet && !text.empty()) fmt::print(stderr, "{}", text);
  };
  const auto since = Clock::now();
  RunCounts counts = session.machine().step();
  const std::size_t earlier = progress_of(counts, 0, since).done;
  auto poll = kShortestPoll;
  while (!interrupted) {
    recorder.record();
    say(display.update(progress_of(counts, earlier, since)));
    if (counts.finished()) break;
    std::this_thread::sleep_for(poll);
    const RunCounts now = session.machine().step();
    poll = now == counts ? std::min(poll * 2, kLongestPoll) : kShortestPoll;
    counts = now;
  }
  say(display.finish());
  return counts;
}

std::string come_back(const Globals& globals, const fs::path& sweep) {
  return fmt::format("pippin --db {} run {}", globals.db.string(), sweep.string());
}

void say_what_was_dropped(const Globals& globals, const Sweep& sweep) {
  if (sweep.dropped.empty()) return;
  remark(globals,
         fmt::format("{} of {} points are dropped; 'pippin plan {}' says why", sweep.dropped.size(),
                     sweep.dropped.size() + sweep.points.size(), sweep.file.string()));
}

}  // namespace

ExitCode run(const Globals& globals, const RunOptions& options) {
  Database database(globals.db);
  Session session(globals, load_sweep(options.sweep), options);
  const Campaign& campaign = session.campaign();
  say_what_was_dropped(globals, session.sweep());
  record_campaign(database, campaign);
  Recorder recorder(database, session);
  const bool was_finished = session.machine().counts().finished();
  const RunCounts counts = watch(globals, session, recorder);
  if (!counts.finished()) {
    remark(globals,
           fmt::format("the jobs go on; come back with: {}", come_back(globals, options.sweep)));
    return ExitCode::kInterrupted;
  }
  report(globals, {campaign.sweep, "terminal", "clean"});
  if (was_finished) {
    remark(globals,
           fmt::format("campaign {} of {} was finished already; '{} --again' begins a new one",
                       campaign.number, campaign.sweep, come_back(globals, options.sweep)));
  }
  remark(globals, fmt::format("database: {}", globals.db.string()));
  remark(globals, fmt::format("logs:     {}", session.folder().root().string()));
  return recorder.not_ok() + counts.cancelled > 0 ? ExitCode::kRunFailed : ExitCode::kDone;
}

ExitCode submit(const Globals& globals, const RunOptions& options) {
  Database database(globals.db);
  Session session(globals, load_sweep(options.sweep), options);
  say_what_was_dropped(globals, session.sweep());
  record_campaign(database, session.campaign());
  const RunCounts counts = session.machine().step();
  remark(globals,
         fmt::format(
             "campaign {} of {}: {} runs in {} jobs are handed over; wait and collect with: {}",
             session.campaign().number, session.campaign().sweep, counts.planned + counts.running,
             session.campaign().jobs.size(), come_back(globals, options.sweep)));
  return ExitCode::kDone;
}

namespace {

/// The newest campaign of each sweep of the database, or of the one that is named.
std::vector<std::pair<SweepFolder, Campaign>> newest_campaigns(const Globals& globals,
                                                               const std::string& sweep) {
  std::vector<std::pair<SweepFolder, Campaign>> found;
  for (const auto& name : disk().list(runs_directory(globals.db))) {
    SweepFolder folder(disk(), runs_directory(globals.db) / name);
    const auto numbers = folder.campaigns();
    if (numbers.empty()) continue;
    Campaign campaign = folder.load_campaign(numbers.back());
    if (sweep.empty() || campaign.sweep == sweep) found.emplace_back(folder, std::move(campaign));
  }
  if (found.empty() && !sweep.empty()) {
    bad_input("{}: no campaign of a sweep named '{}'", runs_directory(globals.db).string(),
              printable(sweep));
  }
  return found;
}

/// A machine that looks and cancels; it is never asked for a script.
CampaignMachine observer_of(const SweepFolder& folder, const Campaign& campaign,
                            Scheduler& scheduler) {
  return {folder, disk(), scheduler, campaign, [](auto&&...) { return std::string(); }, 0};
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
               campaign.sweep, campaign.number, counts.succeeded + counts.failed, counts.total()));
  }
  return ExitCode::kDone;
}

}  // namespace pippin
