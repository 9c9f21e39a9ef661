// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/scheduler.h"
#include "pbs/answers.h"

namespace pippin {

/// PBS Pro or OpenPBS, through qsub, qselect, qstat, qdel and qalter. A token is the job's
/// variable PIPPIN_TOKEN, and its name where PBS lets it be one. A job that has left the queue is
/// looked up in the history where the server keeps one; else its files alone can tell.
class PbsScheduler : public Scheduler {
 public:
  PbsScheduler() = default;
  /// Of the cluster file: whose limits apply. Empty: the server's default queue.
  explicit PbsScheduler(std::string queue) : queue_(std::move(queue)) {}

  Handed submit(const JobRequest& request) override;
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override;
  void cancel(const std::vector<Asked>& asked) override;
  Room room() override;
  std::string place() override;

  /// qalter of what waits; how many tasks were changed. `changes`: "-l", "walltime=00:20:00", …
  /// Errors: Error with PBS's words where one is refused.
  std::int64_t update(const std::vector<Asked>& asked, const std::vector<std::string>& changes);

 private:
  const pbs::Attributes& server();
  bool keeps_history();
  bool may_see_all(const Asked& asked);
  std::vector<pbs::Entry> jobs_of(const std::vector<Asked>& asked, bool with_finished);
  std::vector<pbs::Entry> live(const std::vector<Asked>& asked);
  void judge_missing(const Asked& asked, std::vector<JobStatus>& tasks);

  std::string queue_;
  std::optional<std::pair<std::string, pbs::Attributes>> server_;  ///< its name, and what it says
  /// Ids that a token was seen to have: asked for by themselves, whatever qselect says.
  std::map<std::string, std::string> ids_;
};

}  // namespace pippin
