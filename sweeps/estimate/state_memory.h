#pragma once

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

/// In words, of one parameter: "weights 2, gradients 4, optimizer 12 / 8 ranks".
std::string state_words(const Setup& setup);

}  // namespace pippin
