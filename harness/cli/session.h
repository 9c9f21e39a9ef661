#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/base/lock.h"
#include "harness/campaign/machine.h"
#include "harness/cli/commands.h"
#include "harness/records/sweep.h"
#include "harness/schedulers/local.h"

namespace pippin {

/// Where a database keeps the files of its runs: absolute.
fs::path runs_directory(const fs::path& db);
/// The files of one sweep: below it, by the sweep's name.
fs::path sweep_directory(const fs::path& db, const std::string& sweep);

/// Where the probes lie: beside this program when it was built, or where it was installed.
fs::path probes_directory();

/// Errors: Error (bad input) where a point is to run on GPUs, and its probe was built without CUDA.
void check_probe_is_built(const Sweep& sweep);

/// The scheduler of a cluster. Errors: Error (bad input) for one that cannot be submitted to.
std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler,
                                        const NamedValues& options = {});

/// Points by their id; they must outlive it.
using PointIndex = std::map<std::string, const Point*>;
PointIndex index_of(const std::vector<Point>& points);

/// The files of a submission as this machine would hand it over; `points` holds those of its runs.
JobFiles files_of_submission(const Sweep& sweep, const PointIndex& points, const fs::path& root,
                             const Submission& submission, const std::vector<TaskPlan>& tasks);

/// The user and the machine that this process belongs to, as a machine wants to know them.
MachineOptions own_surroundings();

/// A machine that looks and cancels; it is never asked to write a script.
CampaignMachine observer_of(const SweepFolder& folder, const Campaign& campaign,
                            Scheduler& scheduler);

/// A sweep that this process works on: its lock, its campaign and the machine that drives it.
class Session {
 public:
  /// Opens the newest campaign or begins one. Errors: Error where another process works on the
  /// sweep, or bash does not understand its command.
  Session(const Globals& globals, Sweep sweep, const RunOptions& options);

  const Sweep& sweep() const { return sweep_; }
  SweepFolder& folder() { return folder_; }
  const Campaign& campaign() const { return campaign_; }
  CampaignMachine& machine() { return *machine_; }
  Scheduler& scheduler() { return *scheduler_; }

  /// The script of a job that was handed over and that the sweep would write otherwise today: its
  /// command, environment, iterations or folder have changed. Nothing where all is as it was.
  std::optional<fs::path> outdated_script();

 private:
  JobFiles files(const Submission& submission, const std::vector<TaskPlan>& tasks) const;
  std::optional<std::vector<TaskPlan>> tasks_of(const Submission& submission) const;

  Sweep sweep_;
  SweepFolder folder_;
  std::optional<FileLock> lock_;
  std::unique_ptr<Scheduler> scheduler_;
  Campaign campaign_;
  PointIndex points_;
  std::unique_ptr<CampaignMachine> machine_;
};

}  // namespace pippin
