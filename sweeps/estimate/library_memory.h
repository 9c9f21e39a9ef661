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

/// Autograd wants a gradient of each weight, also where its product has added it up already: of
/// each shape Transformer Engine keeps one for good. Unit: bytes. Source: get_dummy_wgrad, since
/// April 2025; Megatron-LM, tensor_parallel/layers.py, since August 2025.
double idle_gradient_bytes(const Setup& setup, std::int64_t stage);

/// The elements of the largest weight of a layer, on one GPU.
double largest_weight(const Setup& setup, std::int64_t stage);

}  // namespace pippin
