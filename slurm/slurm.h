// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/scheduler.h"
#include "slurm/answers.h"
#include "slurm/limits.h"

namespace pippin {

/// Slurm, through sbatch, squeue, sacct, scancel and scontrol. A token is the job's name: ids are
/// reused by a controller that has lost its state. A job that has left squeue is looked up in
/// sacct where the cluster has accounting; else its files alone can tell.
class SlurmScheduler : public Scheduler {
 public:
  SlurmScheduler() = default;
  /// `place`: of the cluster file; it says which limits apply.
  explicit SlurmScheduler(slurm::Place place,
                          std::chrono::milliseconds pause = std::chrono::seconds(2))
      : place_(std::move(place)), pause_(pause) {}

  Handed submit(const JobRequest& request) override;
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override;
  void cancel(const std::vector<Asked>& asked) override;
  Room room() override;
  std::string place() override;
  bool excludes_nodes() const override { return true; }
  void exclude(const std::vector<Asked>& asked, const std::vector<std::string>& nodes) override;

  /// Has sbatch check a script without submitting it; its words.
  /// Errors: Error (bad input) where it would be refused.
  static std::string test(const std::string& script);

  /// `scontrol update` of what waits; how many jobs were changed.
  /// Errors: Error with Slurm's words where one is refused.
  std::int64_t update(const std::vector<Asked>& asked, const std::vector<std::string>& changes);

 private:
  /// What the queue has shown of a task.
  struct SeenTask {
    std::optional<std::chrono::steady_clock::time_point> waiting_at;  ///< the last time
    bool left_array = false;  ///< it is not there, though others of its array were
  };
  using Answers = std::map<std::string, std::vector<JobStatus>>;

  const std::string& config();
  bool has_accounting();
  bool may_see_all(const Asked& asked);
  bool is_odd(const std::vector<slurm::Entry>& entries, const std::vector<Asked>& asked) const;
  std::vector<Asked> ask_accounting(std::vector<Asked> missing, Answers& answers);
  void read_accounting_of(const std::vector<Asked>& missing, Answers& answers);
  Answers query_once(const std::vector<Asked>& asked);
  std::int64_t may_arrive_for_s(const Asked& asked);
  bool may_lag(const Asked& asked, std::size_t task);
  void note_queue(const Asked& asked, const std::vector<JobStatus>& tasks);
  bool was_cancelled_waiting(const SeenTask& seen, const JobStatus& status);
  const slurm::LimitAnswers& settings();
  slurm::SubmitLimit submit_limit();
  void judge_missing(const Asked& asked, std::vector<JobStatus>& tasks);

  slurm::Place place_;
  std::chrono::milliseconds pause_ = std::chrono::seconds(2);  ///< before it asks once more
  std::string config_;
  std::optional<slurm::LimitAnswers> settings_;  ///< but for what counts against them
  /// Since when a task is neither in the queue nor over by its accounting, which lags.
  std::map<std::pair<std::string, std::size_t>, std::chrono::steady_clock::time_point> missed_;
  std::map<std::string, std::vector<SeenTask>> seen_;  ///< of a token
  bool believes_earlier_ = false;  ///< a task would be gone by what an earlier process has missed
  /// Since when a submission is known that a clock ahead of this one has handed over.
  std::map<std::string, std::chrono::steady_clock::time_point> ahead_;
};

}  // namespace pippin
