// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probes/comm/backend_settings.h"
#include "probes/common/megatron.h"
#include "probes/common/optimizer.h"
#include "probes/common/options.h"
#include "probes/common/setup.h"

namespace pippin::probes {

struct TrainingSettings {
  Setup setup;
  OptimizerSettings optimizer;  ///< its lr comes from the setup
  double loss_scale = 0;        ///< with fp16; 0: one that follows the gradients
  LossScaling dynamic_scale = {4294967296, 1, 1000, 2};  ///< that one
  std::string device = "cpu";                            ///< or "cuda"
  BackendSettings backend;
  std::int64_t threads = 1;            ///< of each rank
  std::int64_t memory_limit_mib = 0;   ///< of each rank; 0: its share of what its node has free
  std::string timing_log_level = "1";  ///< "0": no times of parts, "1": all
  std::string trace;                   ///< a directory, or empty
};

/// What losses are scaled by: only gradients in fp16 need it.
LossScaling loss_scaling(const TrainingSettings& settings);

/// The rows of `settings`' options. `settings` must outlive them.
OptionTable training_options(TrainingSettings& settings);

/// Errors: those of check_setup() and check_layout(); Error (bad input) for a dimension beyond
/// BLAS' int.
void check(const TrainingSettings& settings, std::int64_t launched);

/// Bytes that each of the `ranks` on a node with `free` bytes may take.
std::uint64_t memory_limit_bytes(const TrainingSettings& settings, std::uint64_t free, int ranks);

/// What the dump of arguments says beside the setup.
Arguments training_arguments(const TrainingSettings& settings);

}  // namespace pippin::probes
