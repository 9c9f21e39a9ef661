// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/setup.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

/// What libraries keep for as long as a run of Megatron-Core lasts: workspaces of matrix products,
/// room for gathers. Unit: bytes. Source: torch/cuda/CUDABlas; Transformer Engine's and Megatron's
/// code.
double workspace_bytes(const Setup& setup);

/// What PyTorch's allocator does not split off behind the tensors of weights, gradients and the
/// optimizer. Unit: bytes. Source: c10/cuda/CUDACachingAllocator; the share of medium tensors is
/// fitted.
double allocator_rest_bytes(const Setup& setup, std::int64_t stage, const Parameters& own);

/// The elements of the largest weight of a layer, on one GPU.
double largest_weight(const Setup& setup, std::int64_t stage);

}  // namespace pippin
