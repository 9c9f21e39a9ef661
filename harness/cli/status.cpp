#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/follow.h"
#include "harness/cli/places.h"
#include "harness/cli/session.h"
#include "reports/standing.h"
#include "reports/values.h"
#include "slurm/slurm.h"

namespace pippin {

namespace {

using Phase = JobStatus::Phase;

std::string runs_text(std::int64_t count) {
  return counted(static_cast<std::size_t>(count), "run");
}

std::string jobs_text(std::int64_t count) {
  return counted(static_cast<std::size_t>(count), "job");
}

/// Lines of "3 runs: NODE_FAIL on n3", one for each thing that is said of them.
class Tally {
 public:
  void add(const std::string& words, const std::string& remedy = "") {
    Entry& entry = entries_[words];
    ++entry.count;
    entry.remedy = remedy;
  }
  std::vector<Standing::Line> lines(std::string (*count_text)(std::int64_t)) const {
    std::vector<Standing::Line> lines;
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

void take_counts(const RunCounts& counts, Standing& standing) {
  standing.progress = progress_of(counts, static_cast<std::size_t>(counts.total()), 0);
  standing.ok = counts.succeeded;
  standing.failed = counts.failed;
  standing.running = counts.running;
  standing.waiting = counts.waiting;
  standing.unsubmitted = counts.unsubmitted;
  standing.lost = counts.lost;
  standing.cancelled = counts.cancelled;
}

/// What is known of each run by itself.
void take_fates(const Campaign& campaign, const CampaignMachine& machine, Standing& standing) {
  Tally again, lost;
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs) {
      const RunFate& fate = machine.fate(run.name);
      if (fate.phase == RunPhase::kUnsubmitted && fate.end) again.add(fate.evidence);
      if (fate.phase == RunPhase::kLost) lost.add(fate.evidence);
      if (fate.phase == RunPhase::kDone && fate.failed) standing.ill.push_back({run.name, "", ""});
      if (fate.phase == RunPhase::kRunning) standing.running_now.push_back({run.name, "", ""});
    }
  }
  standing.again = again.lines(runs_text);
  standing.gone = lost.lines(runs_text);
}

/// The earlier, or the later, of two times of which either may be unknown.
void take_time(std::optional<std::int64_t>& time, const std::optional<std::int64_t>& other,
               bool later) {
  if (!other) return;
  if (!time || (later ? *other > *time : *other < *time)) time = other;
}

/// What the scheduler says of the jobs.
void take_tasks(const CampaignMachine& machine, Standing& standing) {
  Tally waits, stuck;
  std::map<std::string, std::string> nodes_of;
  for (const auto& handing : machine.handings()) {
    if (handing.over()) continue;
    for (std::size_t i = 0; i < handing.tasks.size(); ++i) {
      const JobStatus& task = handing.tasks[i];
      if (handing.settled[i]) continue;
      if (task.phase == Phase::kUnknown && !task.evidence.empty()) standing.trouble = task.evidence;
      if (task.phase == Phase::kRunning) {
        take_time(standing.latest_end, task.at, true);
        for (const auto& run : handing.submission.tasks[i].runs) nodes_of[run] = task.evidence;
      }
      if (task.phase != Phase::kWaiting) continue;
      take_time(standing.next_start, task.at, false);
      if (task.remedy.empty()) {
        waits.add(task.evidence.empty() ? "their turn" : task.evidence);
      } else {
        stuck.add(fmt::format("{} of {}", task.evidence, handing.submission.name), task.remedy);
      }
    }
  }
  for (auto& line : standing.running_now) line.words = nodes_of[line.what];
  standing.waits = waits.lines(jobs_text);
  standing.stuck = stuck.lines(jobs_text);
}

Standing standing_of(const Campaign& campaign, const CampaignMachine& machine) {
  Standing standing;
  standing.sweep = campaign.sweep;
  standing.campaign = campaign.number;
  standing.started = campaign.started;
  standing.cluster = campaign.cluster;
  take_counts(machine.counts(), standing);
  take_fates(campaign, machine, standing);
  take_tasks(machine, standing);
  if (standing.unsubmitted > 0)
    standing.held_back = fmt::format("{} not submitted", runs_text(standing.unsubmitted));
  return standing;
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
    text += standing_text(standing_of(campaign, machine), terminal > 0 ? terminal : kDefaultWidth,
                          static_cast<std::int64_t>(std::time(nullptr)));
  }
  const bool redraw = options.watch && terminal > 0;
  write_output((redraw ? "\033[H\033[2J" : "") + text);
  return finished;
}

std::vector<Asked> asked_of(const CampaignMachine& machine) {
  std::vector<Asked> asked;
  for (const auto& handing : machine.handings()) {
    if (handing.over()) continue;
    asked.push_back({handing.submission.token, static_cast<std::int64_t>(handing.tasks.size()),
                     true, handing.submission.owner, 0});
  }
  return asked;
}

std::vector<std::string> changes_of(const UpdateOptions& options) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) changes.push_back(fmt::format("{}={}", name, value));
  };
  add("TimeLimit", options.time);
  add("Partition", options.partition);
  add("QOS", options.qos);
  add("Account", options.account);
  if (options.max_in_flight) add("ArrayTaskThrottle", std::to_string(*options.max_in_flight));
  for (const auto& change : options.set) {
    if (change.find('=') == std::string::npos)
      bad_input("--set '{}': write NAME=VALUE, as 'scontrol update' has it", printable(change));
    changes.push_back(change);
  }
  if (changes.empty()) bad_input("update: say what to change, such as --time 00:20:00");
  return changes;
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

ExitCode update(const Globals& globals, const UpdateOptions& options) {
  const auto changes = changes_of(options);
  for (auto& [folder, campaign] : newest_campaigns(globals, options.sweep)) {
    if (campaign.scheduler != "slurm")
      bad_input("{}: jobs on '{}' have nothing to change", campaign.sweep, campaign.scheduler);
    SlurmScheduler scheduler;
    const CampaignMachine machine = observer_of(folder, campaign, scheduler);
    const std::int64_t changed = scheduler.update(asked_of(machine), changes);
    remark(globals, fmt::format("{} campaign {}: {} for {} that wait; what is submitted later "
                                "takes its options from the cluster file",
                                printable(campaign.sweep), campaign.number, join(changes, " "),
                                jobs_text(changed)));
  }
  return ExitCode::kDone;
}

}  // namespace pippin
