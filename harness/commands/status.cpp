#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "reports/campaign_status.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Phase = JobStatus::Phase;

std::string runs_text(std::int64_t count) { return counted(count, "run"); }

std::string jobs_text(std::int64_t count) { return counted(count, "job"); }

/// Lines of "3 runs: NODE_FAIL on n3", one for each thing that is said of them.
class Tally {
 public:
  void add(const std::string& words, const std::string& remedy = "") {
    Entry& entry = entries_[words];
    ++entry.count;
    entry.remedy = remedy;
  }
  std::vector<CampaignStatus::Line> lines(std::string (*count_text)(std::int64_t)) const {
    std::vector<CampaignStatus::Line> lines;
    lines.reserve(entries_.size());
    for (const auto& [words, entry] : entries_)
      lines.push_back({count_text(entry.count), words, entry.remedy});
    return lines;
  }

 private:
  struct Entry {
    std::int64_t count = 0;
    std::string remedy;
  };
  std::map<std::string, Entry> entries_;
};

void take_counts(const RunCounts& counts, CampaignStatus& status) {
  status.progress = progress_of(counts, static_cast<std::size_t>(counts.total()), 0);
  status.ok = counts.succeeded;
  status.failed = counts.failed;
  status.running = counts.running;
  status.waiting = counts.waiting;
  status.unsubmitted = counts.unsubmitted;
  status.lost = counts.lost;
  status.cancelled = counts.cancelled;
  status.left = counts.left;
}

using RecordedRuns = std::unordered_map<std::string, RecordedRun>;

/// What tables say of the campaign's runs; nothing where nothing was collected.
RecordedRuns recorded_runs(const Globals& globals, const Campaign& campaign) {
  if (!fs::exists(globals.db)) return {};
  OpenDatabase as_it_is;
  as_it_is.create = false;
  return Database(globals.db, as_it_is).recorded_runs({campaign.sweep, campaign.number});
}

/// "out of memory" is the log's word, which tables have; else the machine's.
std::string words_of(const RunFate& fate, const RecordedRuns& recorded, const std::string& run) {
  const auto known = recorded.find(run);
  return known == recorded.end() || known->second.evidence.empty() ? fate.evidence
                                                                   : known->second.evidence;
}

/// What is known of each run by itself.
void take_fates(const Campaign& campaign, const CampaignMachine& machine,
                const RecordedRuns& recorded, CampaignStatus& status) {
  Tally again, lost;
  std::int64_t unread = 0;
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs) {
      const RunFate& fate = machine.fate(run.name);
      if (fate.phase == RunPhase::kUnsubmitted && fate.end) again.add(fate.evidence);
      if (fate.phase == RunPhase::kLost) lost.add(fate.evidence);
      if (fate.phase == RunPhase::kDone && fate.failed)
        status.ill.push_back({run.name, words_of(fate, recorded, run.name), ""});
      if (fate.phase == RunPhase::kRunning) status.running_now.push_back({run.name, "", ""});
      if (fate.phase == RunPhase::kDone && recorded.count(run.name) == 0) ++unread;
    }
  }
  status.again = again.lines(runs_text);
  status.gone = lost.lines(runs_text);
  if (unread > 0) status.unread = runs_text(unread);
}

/// The earlier, or the later, of two times of which either may be unknown.
void take_time(std::optional<std::int64_t>& time, const std::optional<std::int64_t>& other,
               bool later) {
  if (!other) return;
  if (!time || (later ? *other > *time : *other < *time)) time = other;
}

/// What the scheduler says of the jobs.
void take_tasks(const CampaignMachine& machine, CampaignStatus& status) {
  Tally waits, stuck;
  std::map<std::string, std::string> nodes_of;
  for (const auto& state : machine.submissions()) {
    if (state.over()) continue;
    for (std::size_t i = 0; i < state.tasks.size(); ++i) {
      const JobStatus& task = state.tasks[i];
      if (state.settled[i]) continue;
      if (task.phase == Phase::kUnknown && !task.evidence.empty()) status.trouble = task.evidence;
      if (task.phase == Phase::kRunning) {
        take_time(status.latest_end, task.at, true);
        for (const auto& run : state.submission.tasks[i].runs) nodes_of[run] = task.evidence;
      }
      if (task.phase != Phase::kWaiting) continue;
      take_time(status.next_start, task.at, false);
      if (task.remedy.empty()) {
        waits.add(task.evidence.empty() ? "their turn" : task.evidence);
      } else {
        stuck.add(fmt::format("{} of {}", task.evidence, state.submission.name), task.remedy);
      }
    }
  }
  for (auto& line : status.running_now) line.words = nodes_of[line.what];
  status.waits = waits.lines(jobs_text);
  status.stuck = stuck.lines(jobs_text);
}

CampaignStatus status_of(const Campaign& campaign, const CampaignMachine& machine,
                         const RecordedRuns& recorded) {
  CampaignStatus status;
  status.sweep = campaign.sweep;
  status.campaign = campaign.number;
  status.started = campaign.started;
  status.cluster = campaign.cluster;
  take_counts(machine.counts(), status);
  take_fates(campaign, machine, recorded, status);
  take_tasks(machine, status);
  if (const auto given_up = machine.given_up())
    status.stuck.push_back({"given up", text_of(*given_up), "mend that, and 'run' goes on"});
  if (status.unsubmitted > 0)
    status.held_back = fmt::format("{} not submitted", runs_text(status.unsubmitted));
  return status;
}

/// One look at all campaigns; true where all are finished.
bool show(const Globals& globals, const StatusOptions& options,
          std::map<std::string, Notifier>& notifiers) {
  constexpr std::size_t kDefaultWidth = 100;
  const std::size_t terminal = terminal_width(STDOUT_FILENO);
  bool finished = true;
  std::string text;
  for (auto& [folder, campaign] : newest_campaigns(globals, options.sweep)) {
    const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
    CampaignMachine machine = observer_of(folder, campaign, *scheduler);
    const RunCounts counts = machine.observe();
    notifiers.try_emplace(campaign.sweep, options.notify, campaign.sweep)
        .first->second.look(counts);
    finished = finished && counts.finished();
    const CampaignStatus status = status_of(campaign, machine, recorded_runs(globals, campaign));
    text += status_text(status, terminal > 0 ? terminal : kDefaultWidth,
                        static_cast<std::int64_t>(std::time(nullptr)));
  }
  const bool redraw = options.watch && terminal > 0;
  write_text((redraw ? "\033[H\033[2J" : "") + text);
  return finished;
}

}  // namespace

ExitCode status(const Globals& globals, const StatusOptions& options) {
  constexpr double kGrowth = 6;
  std::map<std::string, Notifier> notifiers;
  const Interruptible interruptible;
  Pace pace(options.poll_s, options.poll_s * kGrowth);
  while (!show(globals, options, notifiers) && options.watch && !Interruptible::interrupted()) {
    Interruptible::pause(pace.seconds());
    if (Interruptible::interrupted()) break;
    pace.unchanged();
  }
  return ExitCode::kDone;
}

}  // namespace pippin
