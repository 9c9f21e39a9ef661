// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "slurm/ask.h"
#include "slurm/slurm.h"
#include "tests/slurm/fake_slurm.h"

namespace pippin::test {

/// What `scontrol show config` says of a cluster, and of its accounting.
inline const std::string kConfig = "ClusterName = c1\nMaxArraySize = 11\nMaxJobCount = 100\n";
inline const std::string kAccounting = "AccountingStorageType = accounting_storage/slurmdbd\n";
inline const std::string kNoAccounting = "AccountingStorageType = accounting_storage/none\n";

/// Before an empty answer is asked for again.
inline constexpr std::chrono::milliseconds kPause{1};

inline Asked asked_of(const std::string& token, std::int64_t tasks = 1, bool handed = true) {
  Asked asked;
  asked.token = token;
  asked.tasks = tasks;
  asked.handed = handed;
  asked.owner = slurm::own_user();
  return asked;
}

/// A line of squeue, with '|' for the separator; its script is /d/s/jobs/a/job.sh.
inline std::string queued(const std::string& token, const std::string& id, const std::string& state,
                          const std::string& user = slurm::own_user(),
                          const std::string& excluded = "(null)") {
  return token + "|" + id + "|" + state + "|None|1|2|n1|" + user + "|" + excluded +
         "|/d/s/jobs/a/job.sh\n";
}

/// … of sacct.
inline std::string accounted(const std::string& token, const std::string& id,
                             const std::string& state) {
  return token + "|" + id + "|" + state + "|None|1|2|n1|" + slurm::own_user() + "|0:0\n";
}

inline std::vector<JobStatus> status_of(SlurmScheduler& slurm, const Asked& asked) {
  return slurm.query({asked}).at(asked.token);
}

}  // namespace pippin::test
