// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/schedulers.h"

#include "core/base/error.h"
#include "harness/commands/steps/directories.h"
#include "harness/schedulers/local.h"
#include "pbs/directives.h"
#include "pbs/pbs.h"
#include "slurm/directives.h"
#include "slurm/slurm.h"

namespace pippin {

std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler,
                                        const NamedValues& options, bool only_looks) {
  if (scheduler == "local") {
    return std::make_unique<LocalScheduler>(runs_directory(db) / ".local", default_machine_lock(),
                                            only_looks);
  }
  const auto said = [&](const char* name) {
    const Value* value = find_value(options, name);
    return value ? value->text : std::string();
  };
  if (scheduler == "slurm")
    return std::make_unique<SlurmScheduler>(slurm::Place{
        said("account"), said("qos"), said("partition"), said("dependency"), said("exclude")});
  if (scheduler == "pbs") return std::make_unique<PbsScheduler>(said("q"));
  bad_input("scheduler '{}': pippin knows local, slurm and pbs", scheduler);
}

std::vector<std::string> directives_of(const Cluster& cluster, const JobWishes& job) {
  if (cluster.scheduler == "slurm") return sbatch_directives(cluster, job);
  if (cluster.scheduler == "pbs") return pbs_directives(cluster, job);
  return {};
}

}  // namespace pippin
