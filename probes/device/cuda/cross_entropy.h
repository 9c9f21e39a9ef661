// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/pack.h"
#include "probes/device/cuda/warp.h"
#include "probes/device/device.h"
#include "probes/device/fused_arithmetic.h"

namespace pippin::probes::cuda {

// Logits are by far the largest activations: they are read twice and written once. A block does one
// row.

inline constexpr int kRowThreads = 512;

__device__ inline RunningSoftmax warp_together(RunningSoftmax own) {
#pragma unroll
  for (int bits = kWarp / 2; bits > 0; bits /= 2)
    own = together(own, {__shfl_xor_sync(kAllLanes, own.largest, bits),
                         __shfl_xor_sync(kAllLanes, own.sum, bits)});
  return own;
}

/// A pack's numbers, where padding, from column `known` on, counts as nothing.
template <typename T, int kCount>
__device__ Pack<float, kCount> widen_known(const Pack<T, kCount>& pack, int column, int known) {
  Pack<float, kCount> wide;
#pragma unroll
  for (int j = 0; j < kCount; ++j) wide.at[j] = pack.at[j];
  if (column + kCount <= known) return wide;  // nearly always
#pragma unroll
  for (int j = 0; j < kCount; ++j)
    if (column + j >= known) wide.at[j] = softmax_of_none().largest;
  return wide;
}

template <int kCount>
__device__ void add_pack(RunningSoftmax& running, const Pack<float, kCount>& pack) {
  float largest = running.largest;
#pragma unroll
  for (int j = 0; j < kCount; ++j) largest = fmaxf(largest, pack.at[j]);
  if (largest > running.largest) rebase(running, largest);
#pragma unroll
  for (int j = 0; j < kCount; ++j) running.sum += quick_exponential(pack.at[j] - largest);
}

/// `notes`: the logarithm of the sum of the row's exponentials.
template <typename T, int kCount>
__global__ void __launch_bounds__(kRowThreads)
    find_largest(VocabPart part, const T* logits, float* largest, float* notes) {
  constexpr int kTogether = kCount == 1 ? 8 : 4;
  __shared__ RunningSoftmax of_warps[kRowThreads / kWarp];
  const T* row = logits + std::int64_t{blockIdx.x} * part.rows;
  constexpr int kStep = kRowThreads * kCount;
  RunningSoftmax own = softmax_of_none();
  const int known = static_cast<int>(part.known);
  for (int begin = static_cast<int>(threadIdx.x) * kCount; begin < known;
       begin += kTogether * kStep) {
    Pack<T, kCount> packs[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (begin + i * kStep < known) packs[i] = load_pack<kCount>(row + begin + i * kStep);
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (begin + i * kStep < known) add_pack(own, widen_known(packs[i], begin + i * kStep, known));
  }
  own = warp_together(own);
  if (lane_index() == 0) of_warps[warp_index()] = own;
  __syncthreads();
  if (warp_index() > 0) return;
  own = lane_index() < kRowThreads / kWarp ? of_warps[lane_index()] : softmax_of_none();
  own = warp_together(own);
  if (lane_index() > 0) return;
  // Of nothing but padding the largest is that of none.
  largest[blockIdx.x] = part.known > 0 ? own.largest : -__int_as_float(0x7f800000);
  notes[blockIdx.x] = log_sum(own);
}

/// sums: notes before.
template <typename T>
__global__ void sum_exponentials(std::int64_t rows, VocabPart part, const std::int32_t* targets,
                                 const float* largest, const T* logits, float* sums,
                                 float* targets_logit) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  sums[row] = part.known > 0 ? std::exp(sums[row] - largest[row]) : 0;
  const std::int64_t target = targets[row] - part.first;
  const bool is_ours = target >= 0 && target < part.known;
  targets_logit[row] =
      is_ours ? static_cast<float>(logits[row * part.rows + target]) - largest[row] : 0;
}

/// The logits become their gradient: (softmax − 1 for the target) · scale; padding 0.
template <typename T, int kCount>
__global__ void __launch_bounds__(kRowThreads)
    softmax_gradient(VocabPart part, const std::int32_t* targets, const float* largest,
                     const float* sums, float scale, const StepState* state, T* logits) {
  constexpr int kTogether = kCount == 1 ? 8 : 4;
  constexpr int kStep = kRowThreads * kCount;
  T* row = logits + std::int64_t{blockIdx.x} * part.rows;
  const std::int64_t target = targets[blockIdx.x] - part.first;
  const float most = largest[blockIdx.x];
  const float whole = scale * static_cast<float>(state->loss_scale);
  const float factor = whole / sums[blockIdx.x];
  const int rows = static_cast<int>(part.rows), known = static_cast<int>(part.known);
  for (int begin = static_cast<int>(threadIdx.x) * kCount; begin < rows;
       begin += kTogether * kStep) {
    Pack<T, kCount> packs[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (begin + i * kStep < rows) packs[i] = load_pack<kCount>(row + begin + i * kStep);
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const int column = begin + i * kStep;
      if (column >= rows) continue;
      auto values = widen_known(packs[i], column, known);
#pragma unroll
      for (int j = 0; j < kCount; ++j)
        values.at[j] = factor * quick_exponential(values.at[j] - most);
      if (target >= column && target < column + kCount) {
#pragma unroll
        for (int j = 0; j < kCount; ++j)
          if (column + j == target) values.at[j] -= whole;
      }
#pragma unroll
      for (int j = 0; j < kCount; ++j) packs[i].at[j] = T(values.at[j]);
      store_pack<kCount>(row + column, packs[i]);
    }
  }
}

inline constexpr int kLossThreads = 1024;

/// One block, so that the losses are always added in the same order.
template <typename W>
__global__ void __launch_bounds__(kLossThreads)
    add_losses(std::int64_t rows, const W* sums, const W* targets_logit, double* loss) {
  __shared__ double scratch[kLossThreads / kWarp];
  double own = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += kLossThreads)
    own += static_cast<double>(std::log(sums[row]) - targets_logit[row]);
  const double all = block_sum(own, scratch);
  if (threadIdx.x == 0) *loss += all;
}

template <typename T>
bool has_packs(const VocabPart& part, const T* logits) {
  return part.rows % kLanes<T> == 0 && are_aligned<kLanes<T>>(logits);
}

}  // namespace pippin::probes::cuda
