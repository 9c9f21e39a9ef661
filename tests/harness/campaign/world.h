// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign/machine.h"
#include "tests/support/catch.h"

namespace pippin::test {

/// Thrown where pippin is killed.
struct Crash {};

/// Files in memory; what was written survives a crash.
class MemoryFiles : public FileSystem {
 public:
  std::optional<std::string> read(const fs::path& path) override;
  void write(const fs::path& path, std::string_view text) override;
  void write_private(const fs::path& path, std::string_view text) override { write(path, text); }
  bool make_directory(const fs::path& path) override;
  bool exists(const fs::path& path) override;
  std::vector<std::string> list(const fs::path& directory) override;

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, std::set<std::string>> directories_;  ///< names in each
};

/// When pippin dies: at its operation number `at`, before or after that took effect.
struct Fault {
  enum class Kind {
    kCrashBefore,    ///< killed, and nothing happened
    kCrashAfter,     ///< killed, and it happened
    kCrashInFlight,  ///< killed, and what it handed over arrives later
    kErrorBefore,    ///< an Error, and nothing happened
    kErrorAfter,     ///< an Error, and it happened: the answer was lost
  };
  std::int64_t at = -1;
  Kind kind = Kind::kCrashBefore;
};

/// What the scheduler makes of a submission.
enum class Arrival {
  kTaken,
  kNoRoom,
  kRefused,
  kUnsureThere,  ///< no answer, and the job is there
  kUnsureLost,   ///< no answer, and it never arrives
  kUnsureLater,  ///< no answer, and it arrives some queries later
};

/// What befalls the job that is about to make its step number `at`, of all jobs' steps.
struct Mishap {
  enum class Kind {
    kNone,
    kNodeFails,      ///< and its processes with it
    kNodeIsLost,     ///< the scheduler gives it up, its processes run on
    kNodeSickens,    ///< whatever it runs fails, until it dies some steps later
    kRequeued,       ///< preempted: begun again under the same id
    kRequeuedTwice,  ///< … and its first processes run on beside the second
    kSickRequeued,   ///< what it runs fails, until it is begun again
    kTimeUp,         ///< the script notes that it is interrupted
    kTimeUpAtOnce,   ///< … it is killed before it can
    kGivesWay,       ///< the script notes that its run is interrupted, and ends in order
    kCancelled,      ///< by somebody
    kLaunchFails,    ///< never began: its folder was missing
    kScriptFails,    ///< its prolog exits 1
    kDiskFull,       ///< for some steps no job can write
  };
  Kind kind = Kind::kNone;
  std::int64_t at = 0;
};

/// How a World's scheduler and nodes behave.
struct Weather {
  std::int64_t tasks_per_job = 1;
  std::int64_t slots = 1;              ///< tasks that run at a time
  std::int64_t room = INT64_MAX;       ///< tasks that may wait or run
  bool tells_room = true;              ///< else only who submits learns of it
  std::vector<Arrival> arrivals = {};  ///< of the first submissions; later ones are taken
  std::vector<Mishap> mishaps = {};    ///< each happens once
  std::int64_t silent_from = 0;        ///< number of the first query that gets no answer
  std::int64_t silent_for = 0;         ///< queries
  std::int64_t forgets_at = 0;         ///< query before which the controller is born again
  std::int64_t cancelled_at = 0;       ///< query before which another pippin cancels
  std::int64_t files_late_s = 0;       ///< pippin sees so late what jobs have written
};

/// A cluster on which pippin can be killed at every operation and a job at each of its steps.
class World : public Scheduler {
 public:
  /// Every run exits 0 but those named "bad…", which exit 1.
  explicit World(Weather weather = {}) : weather_(std::move(weather)) {}

  /// The next operations of pippin count from here.
  void plan_faults(std::vector<Fault> faults);
  std::int64_t operations() const { return operation_; }
  std::int64_t now() const { return now_s_; }

  /// As a poll does, where there is nothing to ask for.
  void let_time_pass() { now_s_ += kPoll_s; }
  /// Lets jobs make up to `steps` steps: claim a run, run it, mark it done, say so.
  void tick(std::int64_t steps);
  /// Nothing befalls them any more, and all make what steps they have left.
  void clear_up();

  /// What pippin sees: each call is an operation that may fail.
  FileSystem& files() { return faulty_files_; }
  Handed submit(const JobRequest& request) override;
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override;
  void cancel(const std::vector<Asked>& asked) override;
  Room room() override;

  /// The truth.
  FileSystem& disk() { return disk_; }
  std::int64_t steps() const { return job_step_; }
  std::int64_t queries() const { return query_; }
  /// How often each run was launched.
  const std::map<std::string, int>& executions() const { return executions_; }
  /// How many jobs or arrays there were by each token, but for those that went without a trace.
  const std::map<std::string, int>& arrived() const { return arrived_; }

 private:
  class FaultyFiles : public FileSystem {
   public:
    explicit FaultyFiles(World& world) : world_(world) {}
    std::optional<std::string> read(const fs::path& path) override;
    void write(const fs::path& path, std::string_view text) override;
    void write_private(const fs::path& path, std::string_view text) override { write(path, text); }
    bool make_directory(const fs::path& path) override;
    bool exists(const fs::path& path) override;
    std::vector<std::string> list(const fs::path& directory) override;

   private:
    World& world_;
  };

  /// One task, and what runs of it.
  struct Job {
    std::string token;
    std::int64_t task = 1;
    fs::path folder;         ///< of the sweep
    std::string submission;  ///< its number
    std::int64_t id = 0, restart = 0;
    std::vector<std::string> runs;
    std::size_t step = 0;
    bool runs_on = false;                 ///< has processes
    bool is_known = true;                 ///< to the scheduler
    bool sick = false;                    ///< whatever it runs fails
    std::set<std::string> failing = {};   ///< runs that failed since the last success
    std::set<std::string> suspects = {};  ///< … before it was begun again
    JobStatus status = {JobStatus::Phase::kWaiting};
    fs::path attempt(const std::string& run) const;
  };

  struct InFlight {
    JobRequest request;
    std::int64_t arrives_at;
  };

  static constexpr std::int64_t kPoll_s = 10;  ///< a poll takes so long

  void before();
  void after();
  Handed answer(const JobRequest& request);
  void arrive(const JobRequest& request);
  void let_arrive();
  std::int64_t live_tasks() const;
  JobStatus status_of(const Asked& asked, std::int64_t task) const;
  void forget();
  void cancel_all();
  void end(Job& job, End end, const std::string& words, bool processes_too = true);
  void begin_again(std::size_t job);
  bool befalls(std::size_t job);
  void start_jobs();
  void step(std::size_t job);
  void step_of_run(Job& job, const std::string& run);
  bool is_done(const Job& job, const std::string& run);
  bool add(const fs::path& path, const std::string& line);
  bool say(const Job& job, const std::string& run, const std::string& words);
  bool is_open(const Job& job, const std::string& run);
  void show_late(const fs::path& path);
  bool is_seen(const fs::path& path) const;
  std::optional<std::string> seen_text(const fs::path& path);

  Weather weather_;
  MemoryFiles disk_;
  FaultyFiles faulty_files_{*this};
  std::vector<Job> jobs_;
  std::vector<InFlight> in_flight_;
  std::vector<Fault> faults_;
  std::int64_t operation_ = 0, query_ = 0, submit_ = 0, job_step_ = 0, next_id_ = 1, now_s_ = 1000;
  std::int64_t disk_full_until_ = 0, sick_until_ = 0;
  bool sick_is_requeued_ = false;
  std::size_t turn_ = 0;
  std::map<std::string, int> executions_, arrived_;
  std::map<std::string, std::int64_t> seen_from_;  ///< what jobs wrote; seconds since 1970
  /// What files were, and until when pippin sees them so.
  std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> older_texts_;
};

}  // namespace pippin::test

template <>
struct Catch::StringMaker<pippin::RunCounts> {
  static std::string convert(const pippin::RunCounts& counts);
};
