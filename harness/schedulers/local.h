// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/jobs/scheduler.h"

namespace pippin {

/// This machine: jobs one at a time, oldest first, whoever handed them over. They run detached, so
/// that pippin may end and they go on.
///
/// State, all in `folder`: waiting/NUMBER-TOKEN holds script and log, each ended by a NUL; a queue
/// process moves it to running/ when its turn comes and to ended/ with the exit status when it is
/// over. The queue process and the job hold a lock on running/NUMBER-TOKEN: where nobody holds it,
/// they are gone. All processes of a job have PIPPIN_QUEUE_ENTRY=NUMBER-TOKEN in their environment:
/// by it they are found when the job is cancelled, and what is left of them is killed before the
/// next begins.
class LocalScheduler : public Scheduler {
 public:
  /// `machine_lock`: a file that all queues of this user on this machine share, in a folder that no
  /// other user can write to. Who has it says so in it. `only_looks`: it is never asked to hand
  /// over or to cancel, and writes nothing: no queue that is gone is started again.
  LocalScheduler(fs::path folder, fs::path machine_lock, bool only_looks = false);

  Handed submit(const JobRequest& request) override;
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override;
  void cancel(const std::vector<Asked>& asked) override;
  /// One job at a time is handed over, as many as there are.
  Room room() override { return {}; }

 private:
  void start_queue() const;
  std::string other_holder() const;

  fs::path folder_;
  fs::path machine_lock_;
  bool only_looks_;
};

/// The lock that all of this user's queues share, in a folder of the user's alone below that for
/// temporary files. (What lies in $XDG_RUNTIME_DIR goes when the user logs out, and the jobs go
/// on.) Errors: Error (machine) where there is no such folder.
fs::path default_machine_lock();

}  // namespace pippin
