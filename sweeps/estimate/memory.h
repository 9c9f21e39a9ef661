// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// What a GPU of a stage holds, at the moment when it holds most. Unit: bytes.
struct StageMemory {
  double weights = 0, gradients = 0, optimizer = 0;
  double buffers = 0;      ///< of libraries and of the allocator, for as long as the run
  double retained = 0;     ///< of the last micro-batch, when the step is over
  double activations = 0;  ///< kept for the backward pass by the micro-batches in flight
  double working = 0;      ///< logits, gradients on their way, what is made again
  double peak = 0;         ///< the largest sum of what is there at a time

  /// Between two steps; PyTorch's memory_allocated.
  double allocated() const { return weights + gradients + optimizer + buffers + retained; }
};

/// What PyTorch's allocator counts; for the training probe what that counts.
/// Source: tensor by tensor as the frameworks allocate them; Korthikanti et al., 2022; Rajbhandari
/// et al., 2020. Of Megatron 2.x, of BigScience's ZeRO-1 and of DeepSpeed's ZeRO some bytes a
/// parameter are fitted: memory_older.cpp.
StageMemory stage_memory(const Setup& setup, std::int64_t stage);

/// What the first stage needs by the paper's formulas: 18 bytes a parameter of its layers, and its
/// activations. Unit: bytes. Source: Korthikanti et al., 2022, figure 1, equations 1, 2 and 4.
double korthikanti_bytes(const Setup& setup);

/// The stage that needs most.
std::int64_t largest_stage(const Setup& setup);

/// What lies on the GPU beside PyTorch's allocator: the CUDA context and NCCL. Unit: bytes.
double context_bytes(const Setup& setup);

/// What a GPU of a stage, or of the largest, must have at least, without what the allocator caches.
/// Unit: bytes.
double needed_bytes(const Setup& setup, std::int64_t stage);
double needed_bytes(const Setup& setup);

}  // namespace pippin
