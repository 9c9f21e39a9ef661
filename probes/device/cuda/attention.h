// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "probes/device/attention_shape.h"

namespace pippin::probes::cuda {

// Causal grouped-query attention, T one of float, BFloat16, Half; all pointers are to the device's
// memory. The same bits every time. 16-bit numbers in heads of a multiple of 8 up to 128 go to
// tensor cores, which need pointers aligned to 16 bytes; everything else is slow.

/// Numbers that start_attention() leaves for start_attention_backward(): of each sequence, head and
/// query the logarithm to base 2 of the sum of its scores' exponentials.
std::int64_t attention_kept(const AttentionShape& shape);

/// Numbers that start_attention_backward() needs meanwhile: its row sums, and where key blocks are
/// few, gradients of keys and values of several parts of a group.
std::int64_t attention_scratch(const AttentionShape& shape);

/// Bytes of what blocks that run together read again and again: keys and values, or queries and the
/// context's gradients. One section's blocks end while the next one's begin: both lie in an L2
/// cache of 40 MB (A100) or 50 MB (H100). Source: NVIDIA's architecture whitepapers of both.
inline constexpr std::int64_t kSectionBytes = 20'000'000;

/// Errors: kBadInput for heads wider than 256.
template <typename T>
void start_attention(cudaStream_t stream, const AttentionShape& shape, const T* qkv, float* kept,
                     T* context, std::int64_t section_bytes = kSectionBytes);

/// Overwrites all of dqkv.
template <typename T>
void start_attention_backward(cudaStream_t stream, const AttentionShape& shape, const T* qkv,
                              const float* kept, const T* context, const T* dcontext,
                              float* scratch, T* dqkv, std::int64_t section_bytes = kSectionBytes);

}  // namespace pippin::probes::cuda
