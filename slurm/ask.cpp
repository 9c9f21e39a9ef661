// SPDX-License-Identifier: Apache-2.0
#include "slurm/ask.h"

#include <algorithm>
#include <string>
#include <vector>

namespace pippin::slurm {

namespace {

/// A variable that would change what Slurm's programs do or say.
bool is_theirs(const std::string& name) {
  static const std::vector<std::string> kPrefixes{"SLURM_",    "SBATCH_", "SALLOC_",  "SRUN_",
                                                  "SQUEUE_",   "SACCT_",  "SCANCEL_", "SINFO_",
                                                  "SCONTROL_", "PMI_",    "PMIX_"};
  return name != "SLURM_CONF" && name != "SLURM_CONF_SERVER" &&
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const std::string& prefix) {
           return name.compare(0, prefix.size(), prefix) == 0;
         });
}

}  // namespace

Answer ask(const std::vector<std::string>& command, std::chrono::seconds patience) {
  Variables environment = own_environment();
  std::erase_if(environment, [](const auto& variable) { return is_theirs(variable.first); });
  // A job inherits what sbatch has.
  if (command.front() != "sbatch") {
    environment.emplace_back("SLURM_TIME_FORMAT", "%s");
    environment.emplace_back("SLURM_BITSTR_LEN", "0");
  }
  return ask_program(command, environment, patience);
}

std::vector<std::string> dropped_variables() {
  std::vector<std::string> names;
  for (const auto& [name, value] : own_environment())
    if (name.starts_with("SBATCH_")) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pippin::slurm
