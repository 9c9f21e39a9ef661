// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/base/lock.h"
#include "core/jobs/submission_files.h"
#include "core/records/sweep.h"
#include "harness/campaign/machine.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/script_difference.h"

namespace pippin {

/// Errors: Error (bad input) where a point is to run on GPUs, and its probe was built without CUDA.
void check_probe_is_built(const Sweep& sweep);
/// Errors: Error (machine) where the probe of a sweep is not on this machine.
void check_probe_is_here(const Sweep& sweep);

/// How a campaign is opened and driven.
struct SessionOptions {
  bool again = false;               ///< begin a new campaign though the last one is finished
  std::int64_t retries = 2;         ///< how often a job that was lost is submitted again
  bool retry_failed = false;        ///< run again what failed or ran out of time
  std::int64_t give_up_after = 5;   ///< jobs launch no more after so many failures alike; 0: never
  std::int64_t bad_node_after = 3;  ///< failures of different points that make a node bad; 0: none
  std::int64_t max_in_flight = 0;   ///< jobs that may run at a time; 0: all
  std::string spread;               ///< "3d": allocations begin over so long
  std::string at;  ///< "00:00,06:00": … at these times of day, one after the other
  /// Nodes that the campaign's jobs keep off, and those that they keep to: "n[1-3],n7"; empty: all;
  /// nothing: as was said before.
  std::optional<std::string> exclude = {}, nodelist = {};
  std::string only;  ///< an expression: the points to measure now; empty: all
};

/// The files of a submission as this machine would hand it over; `points` holds those of its runs.
JobFiles files_of_submission(const Sweep& sweep, const PointIndex& points, const fs::path& root,
                             const Submission& submission, const std::vector<TaskPlan>& tasks,
                             std::int64_t give_up_after = SessionOptions().give_up_after,
                             std::int64_t bad_node_after = SessionOptions().bad_node_after);

/// The user and the machine that this process belongs to, as a machine that works on the files of
/// `folder` wants to know them.
MachineOptions own_surroundings(const fs::path& folder);

/// Whether the database has a good result of a run of that campaign; it is asked when the first run
/// is looked up.
std::function<bool(const std::string& run)> stored_results(const Globals& globals,
                                                           const Campaign& campaign);

/// A machine that looks and cancels; it is never asked to write a script.
CampaignMachine observer_of(const SweepFolder& folder, Campaign campaign, Scheduler& scheduler,
                            FileSystem& files = disk());
/// One that knows what the database has.
CampaignMachine observer_of(const Globals& globals, const SweepFolder& folder, Campaign campaign,
                            Scheduler& scheduler);

/// A sweep that this process works on: its lock, its campaign and the machine that drives it.
class Session {
 public:
  /// Opens the newest campaign or plans one. Errors: Error where another process works on the
  /// sweep, bash does not understand its command, or the campaign was dropped.
  Session(const Globals& globals, Sweep sweep, const SessionOptions& options);

  /// Saves the campaign. Until then all is as it was, whatever is refused.
  void begin();

  const Sweep& sweep() const { return sweep_; }
  SweepFolder& folder() { return folder_; }
  /// Without the runs that were set aside.
  const Campaign& campaign() const { return campaign_; }
  CampaignMachine& machine() { return *machine_; }
  Scheduler& scheduler() { return *scheduler_; }
  /// Whether the run is to be measured now, and somebody waits for it.
  bool is_wanted(const PlannedRun& run) const {
    return !run.left && (only_.empty() || only_.count(run.point_id) > 0);
  }

  /// Whether there is no campaign to go on with, and nobody asked for a new one.
  bool starts_over() const { return starts_over_; }

  /// A job that was handed over and that the sweep would write otherwise today.
  struct Outdated {
    fs::path script;
    ScriptDifference difference;
  };
  /// Nothing where all is as it was.
  std::optional<Outdated> outdated_script();

 private:
  JobFiles files(const Submission& submission, const std::vector<TaskPlan>& tasks) const;
  void choose_nodes(const SessionOptions& options);
  void leave_out_what_is_set_aside(const Globals& globals);
  std::optional<std::vector<TaskPlan>> tasks_of(const Submission& submission) const;
  std::optional<JobFiles> files_today(const Submission& submission) const;

  Sweep sweep_;
  SweepFolder folder_;
  std::optional<FileLock> lock_;
  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t give_up_after_, bad_node_after_;
  bool starts_over_ = false;
  Campaign campaign_;
  std::optional<Campaign> unsaved_;  ///< as it is saved: with the runs that were set aside
  PointIndex points_;
  std::set<std::string, std::less<>> only_;  ///< ids of points; empty: all
  std::unique_ptr<CampaignMachine> machine_;
};

}  // namespace pippin
