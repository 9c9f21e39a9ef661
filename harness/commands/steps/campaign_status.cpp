// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/campaign_status.h"

#include <fmt/format.h>
#include <map>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/record.h"
#include "harness/commands/steps/report_rows.h"

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

/// What tables say of a campaign's runs; nothing where nothing was collected.
class Records {
 public:
  Records(const Globals& globals, const Campaign& campaign)
      : campaign_{campaign.sweep, campaign.number} {
    if (fs::exists(globals.db)) database_.emplace(existing_database(globals));
  }

  /// Which of the machine's runs are there.
  std::vector<bool> known(const CampaignMachine& machine) {
    std::vector<bool> known(machine.runs().size());
    if (!database_) return known;
    database_->each_recorded_run(campaign_, [&](const std::string& run) {
      if (const TrackedRun* found = machine.find(run))
        known[static_cast<std::size_t>(found - machine.runs().data())] = true;
    });
    return known;
  }

  /// "out of memory" is the log's word, which tables have; else the machine's.
  std::string words_of(const TrackedRun& run) {
    const std::string words =
        database_ ? database_->recorded_evidence(campaign_, run.planned->name) : "";
    return words.empty() ? run.fate.evidence : words;
  }

 private:
  CampaignName campaign_;
  std::optional<Database> database_;
};

/// What is known of each run by itself; words only of what is shown.
void take_fates(const CampaignMachine& machine, Records& records, CampaignStatus& status) {
  Tally again, lost;
  std::int64_t unread = 0;
  const std::vector<bool> known = records.known(machine);
  const auto tell_ill = [&](const TrackedRun& run) {
    const bool is_shown = status.ill.size() < CampaignStatus::kMostLines;
    status.ill.push_back({run.planned->name, is_shown ? records.words_of(run) : "", ""});
  };
  std::vector<const TrackedRun*> ill_and_left;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const TrackedRun& run = machine.runs()[i];
    const RunFate& fate = run.fate;
    const std::string& name = run.planned->name;
    if (fate.phase == RunPhase::kUnsubmitted && fate.end) again.add(fate.evidence);
    if (fate.phase == RunPhase::kLost)
      lost.add(fmt::format("{}: {}", text_of(state_of(fate)), fate.evidence));
    if (fate.phase == RunPhase::kRunning) status.running_now.push_back({name, "", ""});
    if (fate.phase != RunPhase::kDone) continue;
    if (fate.failed && run.planned->left) ill_and_left.push_back(&run);
    if (fate.failed && !run.planned->left) tell_ill(run);
    if (!known[i]) ++unread;
  }
  for (const TrackedRun* run : ill_and_left) tell_ill(*run);  // behind today's
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

/// "'scontrol release ID'" with the job's own, where that is known.
std::string with_id(std::string remedy, const Submission& submission) {
  constexpr std::string_view kId = " ID'";
  const std::string id = submission.handed.value_or("");
  const bool is_known = !id.empty() && id.front() >= '0' && id.front() <= '9';
  if (const auto at = remedy.find(kId); at != std::string::npos && is_known)
    remedy.replace(at + 1, kId.size() - 2, id);
  return remedy;
}

/// What the scheduler says of the jobs.
void take_tasks(const CampaignMachine& machine, CampaignStatus& status) {
  Tally waits, stuck, suspended;
  std::map<std::string, std::string> nodes_of;
  for (const auto& state : machine.submissions()) {
    if (state.over()) continue;
    for (std::size_t i = 0; i < state.tasks.size(); ++i) {
      const JobStatus& task = state.tasks[i];
      if (state.settled[i]) continue;
      const bool lives = task.phase == Phase::kWaiting || task.phase == Phase::kRunning;
      if (state.submission.cancelled && lives)
        stuck.add(fmt::format("{} is cancelled, and {} still has it", state.submission.name,
                              machine.campaign().scheduler),
                  fmt::format("if it stays, 'pippin cancel {}' once more", status.sweep));
      if (task.phase == Phase::kUnknown && !task.evidence.empty()) status.trouble = task.evidence;
      if (task.phase == Phase::kRunning) {
        take_time(status.latest_end, task.at, true);
        for (const TrackedRun* run : state.runs[i])
          if (run->fate.phase == RunPhase::kRunning) nodes_of[run->planned->name] = task.evidence;
        if (task.suspended) suspended.add("on " + task.evidence);
      }
      if (const auto late_s = machine.waits_for_files_s(state, i))
        waits.add(fmt::format("{}; files of its runs may be seen late, for {} s more",
                              task.evidence, *late_s));
      if (task.phase != Phase::kWaiting || state.submission.cancelled) continue;
      take_time(status.next_start, task.at, false);
      if (task.remedy.empty()) {
        waits.add(task.evidence.empty() ? "their turn" : task.evidence);
      } else {
        const std::string why = task.evidence.empty() ? "" : task.evidence + " of ";
        stuck.add(why + state.submission.name, with_id(task.remedy, state.submission));
      }
    }
  }
  for (auto& line : status.running_now) line.words = nodes_of[line.what];
  status.waits = waits.lines(jobs_text);
  status.stuck = stuck.lines(jobs_text);
  status.suspended = suspended.lines(jobs_text);
}

/// Nodes that are bad, and how one comes back.
void take_bad_nodes(const CampaignMachine& machine, CampaignStatus& status) {
  for (const auto& mark : machine.bad_nodes())
    status.bad_nodes.push_back(
        {mark.node, text_of(mark), fmt::format("'pippin nodes {}' says more", status.sweep)});
}

}  // namespace

CampaignStatus status_of(const Globals& globals, const CampaignMachine& machine,
                         const std::string& why) {
  Records records(globals, machine.campaign());
  CampaignStatus status;
  const Campaign& campaign = machine.campaign();
  status.sweep = campaign.sweep;
  status.campaign = campaign.number;
  status.started = campaign.started;
  status.cluster = campaign.cluster;
  take_counts(machine.counts(), status);
  take_fates(machine, records, status);
  take_tasks(machine, status);
  take_bad_nodes(machine, status);
  if (const auto given_up = machine.given_up())
    status.stuck.push_back({"given up", text_of(*given_up), "mend that, and 'run' goes on"});
  if (status.unsubmitted > 0)
    status.held_back = fmt::format("{} not submitted{}", runs_text(status.unsubmitted),
                                   why.empty() ? "" : ", as " + why);
  return status;
}

}  // namespace pippin
