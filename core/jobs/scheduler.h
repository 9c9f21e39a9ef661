// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace pippin {

/// A submission that somebody asks for.
struct Asked {
  std::string token;
  std::int64_t tasks = 1;
  bool handed = false;  ///< the scheduler said that it has it
  std::string owner;    ///< who handed it over; empty: unknown
  /// Seconds since 1970: nobody has tried to hand it over since. 0: long ago.
  std::int64_t tried_until = 0;
  std::string id = {};   ///< that the scheduler gave it; empty: unknown
  fs::path script = {};  ///< as JobRequest's
  /// By task, from 1: for how many seconds it has been JobStatus::missed, whenever somebody looked.
  std::map<std::int64_t, std::int64_t> missed_s = {};
};

/// A sender on another machine, of which nobody can tell whether it lives, has given up by then.
inline constexpr std::int64_t kLongestSending_s = 200;

/// What is handed over at once: one job, or an array of them. The token is its only identity: a
/// scheduler may forget its own ids, or give them to another.
struct JobRequest {
  std::string token;               ///< unique for ever; a file name that needs no quoting
  fs::path script;                 ///< bash
  fs::path log;                    ///< takes what the script prints; an array's tasks share it
  std::int64_t tasks = 1;          ///< above 1: an array whose tasks count from 1
  std::int64_t max_in_flight = 0;  ///< tasks that may run at a time; 0: all
  std::vector<Asked> after = {};   ///< what has to end first
  std::optional<std::int64_t> begin = {};  ///< seconds since 1970: not before
  std::vector<std::string> options = {};   ///< of the scheduler's own, for this job
  std::vector<std::string> exclude = {};   ///< names of nodes that it must not run on
  std::vector<std::string> only_on = {};   ///< … that it may run on; empty: all others
};

/// What came of handing over.
struct Handed {
  enum class Answer {
    kTaken,    ///< it is there; `words` is the scheduler's id
    kNoRoom,   ///< surely not there: a limit is reached, later may do
    kRefused,  ///< surely not there: it would be refused again
    kUnsure,   ///< no answer that can be trusted: only query() knows
  };
  Answer answer = Answer::kUnsure;
  std::string words;
  bool is_strange = false;  ///< of kUnsure: `words` are none of the scheduler's
};

/// Why a job is over.
enum class End {
  kCompleted,       ///< its script came to its end
  kApplication,     ///< its script failed
  kLimit,           ///< time or memory
  kInfrastructure,  ///< node failure, preemption, no such folder: worth another try
  kUser,            ///< cancelled
  kUnknown,         ///< nobody can tell any more
};

/// What a scheduler says of one task.
struct JobStatus {
  enum class Phase {
    kUnknown,  ///< no sure answer now: ask again
    kAbsent,   ///< surely never arrived, and will not
    kWaiting,
    kRunning,
    kEnded,
  };
  Phase phase = Phase::kUnknown;
  std::string evidence = {};            ///< the scheduler's own words: "exit 0", "NODE_FAIL on n3"
  End end = End::kUnknown;              ///< of one that has ended
  std::string remedy = {};              ///< of one that waits and will not start by itself
  std::optional<std::int64_t> at = {};  ///< seconds since 1970: when it may start, or must end
  bool suspended = false;               ///< of one that runs: it is held still
  /// Of one that is not known: it had arrived, is not there, and nothing says that it ended.
  bool missed = false;
};

/// Whether a scheduler's words say that memory ran out: Slurm's "OUT_OF_MEMORY on n1", "out of
/// memory: over its mem" of PBS.
inline bool says_out_of_memory(std::string_view evidence) {
  return evidence.find("OUT_OF_MEMORY") != std::string_view::npos ||
         evidence.find("out of memory") != std::string_view::npos;
}

/// What a scheduler would take now.
struct Room {
  std::int64_t tasks_per_job = 1;
  std::int64_t tasks = INT64_MAX;
  std::string limit = {};  ///< the one that sets `tasks`: "MaxJobCount 20000"
  bool is_shut = {};       ///< `limit` is 0: what ends makes no room
};

/// Where jobs go. Any later process sees the same: what an implementation remembers may only make
/// it more patient.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// Hands over. Errors: throws Error where the scheduler cannot even be asked; the job may have
  /// arrived all the same, only query() knows.
  virtual Handed submit(const JobRequest& request) = 0;

  /// One answer for each task of each token (the first is task 1), from a few calls to each of the
  /// scheduler's services, however many are asked for.
  virtual std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) = 0;

  /// Ends the jobs that wait or run; the others stay what they are.
  virtual void cancel(const std::vector<Asked>& asked) = 0;

  virtual Room room() = 0;

  /// A name by which two of the kind are told apart, such as a cluster's; empty: there is one.
  /// Errors: Error where it does not answer.
  virtual std::string place() { return ""; }

  /// Whether it can be told on which nodes not to run.
  virtual bool excludes_nodes() const { return false; }
  /// Keeps those of the jobs that wait off these nodes, and no others. Requires excludes_nodes().
  /// Errors: Error with the scheduler's words where it refuses, or does not answer.
  virtual void exclude(const std::vector<Asked>& asked, const std::vector<std::string>& nodes) {
    (void)asked;
    (void)nodes;
  }
};

}  // namespace pippin
