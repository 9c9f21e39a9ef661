#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/jobs/protocol.h"
#include "harness/jobs/scheduler.h"
#include "harness/records/campaign.h"

namespace pippin {

/// Where one run stands.
enum class RunPhase {
  kPlanned,  ///< not handed over, or handed over and waiting
  kRunning,
  kDone,       ///< it left an exit code: the attempt that counts
  kLost,       ///< its jobs ended without running it to its end, and no retry is left
  kCancelled,  ///< its job was cancelled under this machine's eyes; the next one takes it up again
};

/// How far a campaign is.
struct RunCounts {
  std::int64_t planned = 0, running = 0, succeeded = 0, failed = 0, lost = 0, cancelled = 0;
  std::int64_t total() const { return planned + running + succeeded + failed + lost + cancelled; }
  bool finished() const { return planned == 0 && running == 0; }
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

/// Brings a campaign from any state on disk to its end: hands jobs over, looks for what they left,
/// hands over again what was lost. It keeps nothing that the folder does not hold, so that a new
/// machine goes on wherever an old one died; it never waits and never reads a clock.
/// One machine at a time may work on a sweep's folder: the caller holds its lock.
class CampaignMachine {
 public:
  /// The text of the script that runs `runs` of `job`; nothing else of a sweep matters here.
  using ScriptWriter = std::function<std::string(
      const PlannedJob& job, const std::vector<PlannedRun>& runs, std::int64_t submission)>;

  /// Whether a run that was lost may be launched again.
  using Wanted = std::function<bool(const PlannedRun& run)>;

  /// Requires that the campaign is saved in `folder`. This machine hands a lost job over `retries`
  /// times more, however often earlier ones did.
  CampaignMachine(
      SweepFolder folder, FileSystem& files, Scheduler& scheduler, Campaign campaign,
      ScriptWriter script, std::int64_t retries,
      Wanted wanted = [](const PlannedRun&) { return true; });

  CampaignMachine(const CampaignMachine&) = delete;
  CampaignMachine& operator=(const CampaignMachine&) = delete;

  /// Does all that can be done now. Errors: throws Error; the next step, also of another machine,
  /// takes up what this one left.
  RunCounts step();

  /// Looks where everything stands, and does nothing about it.
  RunCounts observe();

  /// Ends what waits and what runs. Another machine, at work elsewhere, sees it too.
  void cancel();

  /// As the last step, or the start, has seen it.
  RunCounts counts() const;
  RunPhase phase(const std::string& run) const { return phases_.at(run); }
  /// What the scheduler said last of the jobs that a lost run was part of.
  const std::string& evidence(const std::string& job) const;

 private:
  struct Job {
    const PlannedJob* plan;
    std::vector<Submission> submissions;
    // Before this machine began:
    std::size_t earlier_cancelled = 0;
    std::size_t earlier_lost = 0;  ///< without the last, which may still run
    bool over = false;
    std::string evidence;
  };

  std::map<std::string, JobStatus> query();
  void look(Job& job);
  void hand_over(Job& job);
  void hand_over_next(Job& job, const std::vector<PlannedRun>& runs);
  void after_its_end(Job& job);
  std::vector<PlannedRun> unfinished(const Job& job) const;
  std::vector<PlannedRun> to_hand_over(const Job& job) const;

  SweepFolder folder_;
  FileSystem& files_;
  Scheduler& scheduler_;
  Campaign campaign_;
  ScriptWriter script_;
  std::int64_t retries_;
  Wanted wanted_;
  std::vector<Job> jobs_;
  std::map<std::string, RunPhase> phases_;
  std::set<std::string> failed_;
};

}  // namespace pippin
