// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"
#include "core/base/text.h"
#include "harness/commands/steps/findings.h"

namespace pippin {

std::optional<Finding> pbs_finding() {
  std::vector<std::string> missing;
  for (const char* program : {"qsub", "qselect", "qstat", "qdel", "qalter"}) {
    if (find_program(program).empty()) missing.emplace_back(program);
  }
  // Slurm brings a qsub and a qstat of its own, and no qselect.
  if (find_program("qselect").empty()) return std::nullopt;
  if (missing.empty()) return Finding{Finding::State::kHere, "PBS", find_program("qsub").string()};
  return Finding{Finding::State::kNote, "PBS",
                 join(missing, ", ") + " not on PATH: clusters with scheduler: pbs need them"};
}

}  // namespace pippin
