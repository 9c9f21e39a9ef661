#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/machine.h"

namespace pippin::test {

/// Thrown where pippin is killed.
struct Crash {};

/// Files in memory; what was written survives a crash.
class MemoryFiles : public FileSystem {
 public:
  std::optional<std::string> read(const fs::path& path) override;
  void write(const fs::path& path, std::string_view text) override;
  bool make_directory(const fs::path& path) override;
  bool exists(const fs::path& path) override;
  std::vector<std::string> list(const fs::path& directory) override;

 private:
  std::map<std::string, std::string> files_;
  std::set<std::string> directories_;
};

/// When pippin dies: at its operation number `at`, before or after that took effect.
struct Fault {
  enum class Kind {
    kCrashBefore,  ///< killed, and nothing happened
    kCrashAfter,   ///< killed, and it happened
    kErrorBefore,  ///< an Error, and nothing happened
    kErrorAfter,   ///< an Error, and it happened: the answer was lost
  };
  std::int64_t at = -1;
  Kind kind = Kind::kCrashBefore;
};

/// A machine with a scheduler of its own, on which pippin can be killed at every operation and a
/// job at each of its steps.
class World : public Scheduler {
 public:
  /// Every run exits 0 but those named "bad…", which exit 1.
  explicit World(std::int64_t job_dies_at_step = -1, std::int64_t tasks_per_job = 1)
      : job_dies_at_step_(job_dies_at_step), tasks_per_job_(tasks_per_job) {}

  /// The next operations of pippin count from here.
  void plan_faults(std::vector<Fault> faults);
  std::int64_t operations() const { return operation_; }

  /// Lets jobs make up to `steps` steps: claim, claim a run, run it, mark it done, …
  void tick(std::int64_t steps);

  /// What pippin sees: each call is an operation that may fail.
  FileSystem& files() { return faulty_files_; }
  Handed submit(const JobRequest& request) override;
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override;
  void cancel(const std::vector<Asked>& asked) override;
  Room room() override { return {tasks_per_job_, INT64_MAX, {}}; }

  /// The truth.
  FileSystem& disk() { return disk_; }
  const std::map<std::string, int>& executions() const { return executions_; }
  const std::map<std::string, int>& handed_over() const { return handed_over_; }

 private:
  class FaultyFiles : public FileSystem {
   public:
    explicit FaultyFiles(World& world) : world_(world) {}
    std::optional<std::string> read(const fs::path& path) override;
    void write(const fs::path& path, std::string_view text) override;
    bool make_directory(const fs::path& path) override;
    bool exists(const fs::path& path) override;
    std::vector<std::string> list(const fs::path& directory) override;

   private:
    World& world_;
  };

  struct Job {
    std::string token;
    std::int64_t task = 1;
    std::string attempt;    ///< "2-7-0": by the second submission, as job 7
    std::string directory;  ///< of the sweep
    std::vector<std::string> runs;
    std::size_t step = 0;
    bool ended = false, died = false;
  };

  void step(Job& job);
  JobStatus status_of(const std::string& token, std::int64_t task) const;
  void before();
  void after();

  MemoryFiles disk_;
  FaultyFiles faulty_files_{*this};
  std::vector<Job> jobs_;
  std::vector<Fault> faults_;
  std::int64_t operation_ = 0;
  std::int64_t job_steps_ = 0, job_dies_at_step_, tasks_per_job_;
  std::map<std::string, int> executions_, handed_over_;
};

}  // namespace pippin::test

template <>
struct Catch::StringMaker<pippin::RunCounts> {
  static std::string convert(const pippin::RunCounts& counts);
};
