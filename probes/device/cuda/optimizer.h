// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/pack.h"
#include "probes/device/cuda/warp.h"
#include "probes/device/fused_arithmetic.h"
#include "probes/device/step_state.h"

namespace pippin::probes::cuda {

inline constexpr int kSquareThreads = 512;
/// Blocks of a sum of squares at most: four for each multiprocessor of an H200.
inline constexpr std::int64_t kSquareBlocks = 4 * 132;

/// Each block's sum of squares.
template <int kCount>
__global__ void __launch_bounds__(kSquareThreads)
    sum_squares(std::int64_t count, std::int64_t first, const float* x, double* partial) {
  constexpr int kTogether = kCount == 1 ? 8 : 4;
  __shared__ double scratch[kSquareThreads / kWarp];
  const std::int64_t thread = std::int64_t{blockIdx.x} * kSquareThreads + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * kSquareThreads,
                     packs = (count - first) / kCount;
  const float* body = x + first;
  double sum = 0;
  for (std::int64_t pack = thread; pack < packs; pack += kTogether * step) {
    Pack<float, kCount> loaded[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (pack + i * step < packs) loaded[i] = load_pack<kCount>(body + (pack + i * step) * kCount);
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (pack + i * step < packs)
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
          const double value = loaded[i].at[j];
          sum += value * value;
        }
  }
  // What lies before the packs and behind them.
  const std::int64_t edge = thread < first ? thread : packs * kCount + thread;
  if (kCount > 1 && edge < count)
    sum += static_cast<double>(x[edge]) * static_cast<double>(x[edge]);
  const double all = block_sum(sum, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = all;
}

/// One block, so that the sums are always added in the same order.
template <typename W>
__global__ void __launch_bounds__(kSquareThreads)
    add_partial_squares(std::int64_t blocks, const W* partial, W* squares) {
  __shared__ W scratch[kSquareThreads / kWarp];
  W own = 0;
  for (std::int64_t i = threadIdx.x; i < blocks; i += kSquareThreads) own += partial[i];
  const W all = block_sum(own, scratch);
  if (threadIdx.x == 0) *squares += all;
}

/// Adds to *squares. `partial`: kSquareBlocks.
inline void start_add_squares(cudaStream_t stream, std::int64_t count, const float* x,
                              double* squares, double* partial) {
  if (count <= 0) return;
  constexpr int kCount = kLanes<float>;
  // A float's address is a multiple of 4: some element begins 16 bytes.
  std::int64_t first = elements_before_packs<kCount>(x);
  if (first > count) first = count;
  constexpr std::int64_t kShare = kSquareThreads * kCount;
  std::int64_t blocks = (count + kShare - 1) / kShare;
  if (blocks > kSquareBlocks) blocks = kSquareBlocks;
  launch(stream, {blocks, kSquareThreads, 0, "squares"}, sum_squares<kCount>, count, first, x,
         partial);
  launch(stream, {1, kSquareThreads, 0, "sum of squares"}, add_partial_squares<double>, blocks,
         partial, squares);
}

/// AdamW for sweep.h.
template <typename T>
struct Adam {
  const AdamFactors* factors;
  bool decays;
  const float* gradients;
  float *masters, *moments1, *moments2;
  T* values;

  template <int kCount>
  struct Loaded {
    Pack<float, kCount> gradients, masters, moments1, moments2;
  };
  template <int kCount>
  __device__ Loaded<kCount> load(std::int64_t i) const {
    Loaded<kCount> loaded;
    if (factors->is_made) {
      loaded.gradients = load_pack<kCount>(gradients + i);
      loaded.masters = load_pack<kCount>(masters + i);
      loaded.moments1 = load_pack<kCount>(moments1 + i);
      loaded.moments2 = load_pack<kCount>(moments2 + i);
    }
    return loaded;
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Loaded<kCount>& loaded) const {
    if (!factors->is_made) return;
    const AdamFactors f = *factors;
    Loaded<kCount> made = loaded;
    Pack<T, kCount> rounded;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      adam_update(f.step, decays ? f.decay : 0.0F, made.gradients.at[j] * f.gradient,
                  made.masters.at[j], made.moments1.at[j], made.moments2.at[j]);
      rounded.at[j] = T(made.masters.at[j]);
    }
    store_pack<kCount>(masters + i, made.masters);
    store_pack<kCount>(moments1 + i, made.moments1);
    store_pack<kCount>(moments2 + i, made.moments2);
    // Of float the masters themselves are the values.
    if constexpr (!std::is_same_v<T, float>) store_pack<kCount>(values + i, rounded);
  }
};

}  // namespace pippin::probes::cuda
