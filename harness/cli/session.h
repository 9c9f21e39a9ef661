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

/// The scheduler of a cluster. Errors: Error (bad input) for one that cannot be submitted to.
std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler);

/// Points by their id; they must outlive it.
using PointIndex = std::map<std::string, const Point*>;
PointIndex index_of(const std::vector<Point>& points);

/// The script of a job as this machine would submit it; `points` holds those of its runs.
std::string script_of_job(const Sweep& sweep, const PointIndex& points, const fs::path& root,
                          const PlannedJob& job, const std::vector<PlannedRun>& runs,
                          std::int64_t submission);

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

  /// The script of a job that was handed over and that the sweep would write otherwise today: its
  /// command, environment, iterations or folder have changed. Nothing where all is as it was.
  std::optional<fs::path> outdated_script();

 private:
  std::string script(const PlannedJob& job, const std::vector<PlannedRun>& runs,
                     std::int64_t submission) const;

  Sweep sweep_;
  SweepFolder folder_;
  std::optional<FileLock> lock_;
  std::unique_ptr<Scheduler> scheduler_;
  Campaign campaign_;
  PointIndex points_;
  std::unique_ptr<CampaignMachine> machine_;
};

}  // namespace pippin
