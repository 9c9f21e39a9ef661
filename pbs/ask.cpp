// SPDX-License-Identifier: Apache-2.0
#include "pbs/ask.h"

#include <algorithm>
#include <set>

namespace pippin::pbs {

namespace {

/// A variable of a job's, or one that changes what a submission means.
/// Source: qsub(1B), ENVIRONMENT VARIABLES; pbs.conf's names are not among them.
bool is_of_a_job(const std::string& name) {
  static const std::set<std::string> kNames{
      "PBS_ARRAY_ID", "PBS_ARRAY_INDEX", "PBS_DPREFIX", "PBS_ENVIRONMENT", "PBS_JOBCOOKIE",
      "PBS_JOBDIR",   "PBS_JOBID",       "PBS_JOBNAME", "PBS_MOMPORT",     "PBS_NODEFILE",
      "PBS_NODENUM",  "PBS_QUEUE",       "PBS_TASKNUM", "NCPUS",           "PIPPIN_TOKEN"};
  return name.starts_with("PBS_O_") || kNames.count(name) > 0;
}

}  // namespace

Answer ask(const std::vector<std::string>& command, std::chrono::seconds patience) {
  const bool submits = command.front() == "qsub";
  Variables environment = own_environment();
  std::erase_if(environment, [&](const auto& variable) {
    return is_of_a_job(variable.first) || (!submits && variable.first == "TZ");
  });
  if (!submits) environment.emplace_back("TZ", "UTC0");
  return ask_program(command, environment, patience);
}

}  // namespace pippin::pbs
