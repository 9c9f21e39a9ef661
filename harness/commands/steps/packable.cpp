// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/packable.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"

namespace pippin {

namespace {

using Phase = JobStatus::Phase;
using SubmissionState = CampaignMachine::SubmissionState;
using Names = std::unordered_set<std::string>;

bool is_on_disk(const fs::path& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

/// Whether a job has written its own log within the last hour, as one does after each run.
bool wrote_lately(SweepFolder& folder, const Submission& submission) {
  constexpr std::int64_t kLately_ns = std::int64_t{3600} * 1'000'000'000;
  const std::int64_t now_ns = std::time(nullptr) * std::int64_t{1'000'000'000};
  const fs::path jobs = folder.directory(submission);
  const auto names = disk().list(jobs);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const bool is_own = name.ends_with(".log") || name.starts_with("claim-");
    const auto file = is_own ? disk().identity(jobs / name) : std::nullopt;
    return file && file->written_ns + kLately_ns > now_ns;
  });
}

/// One campaign of the folder, as files and the scheduler have it now.
class Finished {
 public:
  Finished(SweepFolder& folder, const CampaignMachine& machine, Scheduler& scheduler)
      : folder_(folder), machine_(machine), answers_(query(scheduler)) {}

  /// Adds what is over; `recorded` are the names of runs.
  void find(const Names& recorded, Packable& found) {
    for (const auto& state : machine_.submissions()) look_at(state, recorded, found);
    for (const auto& run : machine_.runs()) look_at(run, recorded, found);
  }

 private:
  std::map<std::string, std::vector<JobStatus>> query(Scheduler& scheduler) const {
    std::vector<Asked> asked;
    for (const auto& state : machine_.submissions()) {
      const Submission& one = state.submission;
      if (!is_on_disk(folder_.directory(one))) continue;  // packed, when it was over
      asked.push_back({one.token, std::ssize(one.tasks), one.handed.has_value(), one.owner});
    }
    return asked.empty() ? std::map<std::string, std::vector<JobStatus>>() : scheduler.query(asked);
  }

  /// Whether the scheduler still has the task. That it does not know says nothing of a job that
  /// wrote a moment ago.
  bool is_alive(const SubmissionState& state, std::size_t task) {
    const auto answers = answers_.find(state.submission.token);
    if (answers == answers_.end() || task >= answers->second.size()) return false;
    const Phase phase = answers->second[task].phase;
    if (phase == Phase::kUnknown) return wrote_lately(folder_, state.submission);
    return phase == Phase::kWaiting || phase == Phase::kRunning;
  }

  void look_at(const SubmissionState& state, const Names& recorded, Packable& found) {
    bool is_over = true;
    const auto is_unrecorded = [&](const TrackedRun* run) {
      return run->fate.phase == RunPhase::kDone && recorded.count(run->planned->name) == 0;
    };
    for (std::size_t task = 0; task < state.settled.size(); ++task) {
      const bool alive = state.settled[task] && is_alive(state, task);
      const auto& runs = state.runs[task];
      found.on_the_way += alive ? 1 : 0;
      is_over = is_over && std::none_of(runs.begin(), runs.end(), is_unrecorded);
      if (state.settled[task] && !alive) continue;
      is_over = false;
      busy_.insert(runs.begin(), runs.end());
    }
    if (is_over && is_on_disk(folder_.directory(state.submission)))
      found.folders.push_back("jobs/" + state.submission.name);
  }

  void look_at(const TrackedRun& run, const Names& recorded, Packable& found) const {
    const std::string& name = run.planned->name;
    const RunFate& fate = run.fate;
    const bool is_done = fate.phase == RunPhase::kDone && fate.certain;
    if (!is_done || busy_.count(&run) > 0) {
      if (fate.phase != RunPhase::kLeft) ++found.unfinished;
    } else if (is_on_disk(folder_.root() / name)) {
      if (recorded.count(name) == 0) {
        ++found.unrecorded;
        return;
      }
      found.folders.push_back(name);
      ++found.runs;
    }
  }

  SweepFolder& folder_;
  const CampaignMachine& machine_;
  std::map<std::string, std::vector<JobStatus>> answers_;
  std::set<const TrackedRun*> busy_;  ///< a job may look at them
};

Names recorded_runs(const Globals& globals, const Campaign& campaign) {
  Names names;
  std::error_code none;
  if (!fs::exists(globals.db, none)) return names;
  existing_database(globals).each_recorded_run({campaign.sweep, campaign.number},
                                               [&](const std::string& run) { names.insert(run); });
  return names;
}

}  // namespace

Packable packable(const Globals& globals, const SweepFolders& folders, SweepFolder& folder) {
  Packable found;
  for (const std::int64_t number : folder.campaigns()) {
    Campaign campaign = folders.load_plan(folder, number);
    const Names recorded = recorded_runs(globals, campaign);
    const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
    CampaignMachine machine = observer_of(folder, std::move(campaign), *scheduler);
    machine.observe();
    Finished(folder, machine, *scheduler).find(recorded, found);
  }
  for (const auto& submission : folder.submissions()) {
    if (submission.refused && is_on_disk(folder.directory(submission)))
      found.folders.push_back("jobs/" + submission.name);
  }
  return found;
}

}  // namespace pippin
