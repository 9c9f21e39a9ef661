// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/memory.h"

namespace pippin {

/// The peak of a stage in Megatron 2.x, DeepSpeed and FSDP, whose states stand in `memory`.
/// Source: what the logs of BigScience's runs say of each stage; DeepSpeed's and PyTorch's code.
void add_older_peak(const Setup& setup, std::int64_t stage, StageMemory& memory);

}  // namespace pippin
