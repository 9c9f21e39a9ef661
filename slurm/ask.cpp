// SPDX-License-Identifier: Apache-2.0
#include "slurm/ask.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pippin::slurm {

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A variable that would change what Slurm's programs do or say, but for which controller they ask,
/// and as whom.
bool is_theirs(const std::string& name) {
  static const std::vector<std::string> kPrefixes{"SLURM_",    "SBATCH_", "SALLOC_",  "SRUN_",
                                                  "SQUEUE_",   "SACCT_",  "SCANCEL_", "SINFO_",
                                                  "SCONTROL_", "PMI_",    "PMIX_"};
  return !is_one_of(name, {"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT"}) &&
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const std::string& prefix) {
           return name.compare(0, prefix.size(), prefix) == 0;
         });
}

/// Options of sbatch's own. Source: sbatch(1), "INPUT ENVIRONMENT VARIABLES".
bool is_for_sbatch(std::string_view name) {
  return name.starts_with("SBATCH_") || is_one_of(name, {"SLURM_CLUSTERS", "SLURM_HINT"});
}

/// How the shell that pippin runs in has ranks launched: jobs inherit it, as by a plain sbatch. Of
/// a shell within a job most of it would be about that job. Source: srun(1), "INPUT ENVIRONMENT
/// VARIABLES".
bool is_for_srun(std::string_view name) {
  const bool launches =
      name.starts_with("SRUN_") || name.starts_with("SLURM_PMI") ||
      is_one_of(name,
                {"SLURM_CPU_BIND", "SLURM_CPU_FREQ_REQ", "SLURM_DISTRIBUTION", "SLURM_EXACT",
                 "SLURM_EXPORT_ENV", "SLURM_GPU_BIND", "SLURM_GPU_FREQ", "SLURM_KILL_BAD_EXIT",
                 "SLURM_LABELIO", "SLURM_MEM_BIND", "SLURM_MPI_TYPE", "SLURM_NETWORK",
                 "SLURM_OOM_KILL_STEP", "SLURM_OVERLAP", "SLURM_RESV_PORTS", "SLURM_TASK_EPILOG",
                 "SLURM_TASK_PROLOG", "SLURM_UNBUFFEREDIO", "SLURM_WAIT"});
  return launches && std::getenv("SLURM_JOB_ID") == nullptr;
}

}  // namespace

Answer ask(const std::vector<std::string>& command, std::chrono::seconds patience) {
  const bool is_submission = command.front() == "sbatch";  // a job inherits what it has
  Variables environment = own_environment();
  std::erase_if(environment, [&](const auto& variable) {
    return is_theirs(variable.first) && !(is_submission && is_for_srun(variable.first));
  });
  if (!is_submission) {
    environment.emplace_back("SLURM_TIME_FORMAT", "%s");
    environment.emplace_back("SLURM_BITSTR_LEN", "0");
  }
  return ask_program(command, environment, patience);
}

std::vector<std::string> dropped_variables() {
  std::vector<std::string> names;
  for (const auto& [name, value] : own_environment())
    if (is_for_sbatch(name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pippin::slurm
