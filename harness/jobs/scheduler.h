#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/files.h"

namespace pippin {

/// One job as a scheduler takes it. The token is its only identity: a scheduler may forget or reuse
/// its own ids.
struct JobRequest {
  std::string token;  ///< unique for ever; a file name that needs no quoting
  fs::path script;    ///< bash
  fs::path log;       ///< takes the script's output; its folder exists
};

/// What a scheduler says of a token.
struct JobStatus {
  enum class Phase {
    kUnknown,  ///< no sure answer now: ask again
    kAbsent,   ///< surely never arrived, and will not
    kWaiting,
    kRunning,
    kEnded,  ///< over, in whatever way; `evidence` says which
  };
  Phase phase = Phase::kUnknown;
  std::string evidence;  ///< the scheduler's own words: "exit 0", "its process is gone"
};

/// Where jobs go. Implementations hold no state of their own: any later process sees the same.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// Hands one job over and returns when the scheduler has it.
  /// Errors: throws Error; the job may have arrived all the same, only query() knows.
  virtual void submit(const JobRequest& request) = 0;

  /// One answer for each token, in one call to the scheduler.
  virtual std::map<std::string, JobStatus> query(const std::vector<std::string>& tokens) = 0;

  /// Ends the jobs that wait or run; the others stay what they are.
  virtual void cancel(const std::vector<std::string>& tokens) = 0;
};

}  // namespace pippin
