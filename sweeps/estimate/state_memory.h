// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sweeps/estimate/setup.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

/// What training keeps of the parameters themselves, between steps. Unit: bytes of one GPU.
struct StateMemory {
  double weights = 0, gradients = 0, optimizer = 0;
  double all() const { return weights + gradients + optimizer; }
};

/// Source: Megatron-LM's distrib_optimizer.md; Rajbhandari et al., 2020. The gradients' bytes of
/// Megatron-DeepSpeed are fitted to what nvidia-smi showed of BigScience's and Argonne's runs.
StateMemory state_memory(const Setup& setup, const Parameters& own);

/// What a checkpoint has of one parameter: its weight in the type that is trained in, and the
/// optimizer's state, gradients' copies left out. Unit: bytes. Source: BigScience's 104B notes (14
/// = 2 + 12).
double checkpoint_bytes(const Setup& setup);

/// In words, of one parameter: "weights 2, gradients 4, optimizer 12 / 8 ranks".
std::string state_words(const Setup& setup);

}  // namespace pippin
