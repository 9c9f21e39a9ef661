// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "slurm/survey.h"

namespace pippin {

/// One thing that pippin uses, or could.
struct Finding {
  enum class State {
    kHere,
    kNote,    ///< here, with something to know or do
    kAbsent,  ///< not here, and not needed on this machine
    kMissing  ///< not here, or no good, though sweeps on this machine need it
  };
  State state = State::kHere;
  std::string thing;
  std::string words;  ///< figures; of what is not here why it matters, and what to do
};

/// What sweeps on this machine need, and its GPUs. Makes a file beside the database, and takes it
/// away again.
std::vector<Finding> machine_findings(const fs::path& db);

/// PBS's programs, where there are any.
std::optional<Finding> pbs_finding();

/// What pippin finds of Slurm.
std::vector<Finding> slurm_findings(const slurm::Survey& survey, const slurm::OwnPlace& place);

/// A line for each; longer ones are wrapped at `width`.
std::string findings_text(const std::vector<Finding>& findings, std::size_t width);

/// The GPUs of this machine.
struct OwnGpus {
  std::string name;  ///< "NVIDIA A100-SXM4-40GB"; of several kinds the first
  std::optional<double> memory_gib;
  std::string driver;
  std::size_t count = 0;
  bool mixed = false;
};
/// Reads `nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader,nounits`.
OwnGpus read_own_gpus(std::string_view output);
/// Asks nvidia-smi; none where it is not here or fails, its words then in `trouble`.
OwnGpus own_gpus(std::string& trouble);

}  // namespace pippin
