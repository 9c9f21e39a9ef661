// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/arithmetic.h"
#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/pack.h"
#include "probes/device/cuda/warp.h"
#include "probes/device/device.h"

namespace pippin::probes::cuda {

// Layer norm and RMS norm. A block does one row after the other. Each of its threads has kPacks
// packs of the row in registers, a block's width apart; what is wider is read once more.

/// The sum over the block's threads of two numbers; always in the same order.
/// Requires: called by every thread; whole warps. `scratch` is shared memory.
__device__ inline float2 block_sums(float a, float b, float2* scratch) {
  a = warp_sum(a);
  b = warp_sum(b);
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  if (warps == 1) return make_float2(a, b);
  if (lane_index() == 0) scratch[warp_index()] = make_float2(a, b);
  __syncthreads();
  const float2 part = lane_index() < warps ? scratch[lane_index()] : make_float2(0, 0);
  __syncthreads();
  return make_float2(warp_sum(part.x), warp_sum(part.y));
}

/// A thread's packs of one row.
template <typename T, int kCount, int kPacks>
struct RowPart {
  Pack<T, kCount> kept[kPacks];

  __device__ static std::int64_t column(int pack) {
    return (static_cast<std::int64_t>(threadIdx.x) + std::int64_t{pack} * blockDim.x) * kCount;
  }
  __device__ void load(const T* row, std::int64_t width) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      if (column(p) < width) kept[p] = load_pack<kCount>(row + column(p));
  }
};

/// Calls each(column, pack) for the thread's packs of a row.
template <typename T, int kCount, int kPacks, typename Each>
__device__ void for_each_pack(const RowPart<T, kCount, kPacks>& part, const T* row,
                              std::int64_t width, Each each) {
#pragma unroll
  for (int p = 0; p < kPacks; ++p)
    if (part.column(p) < width) each(part.column(p), part.kept[p]);
  for (std::int64_t c = part.column(kPacks); c < width; c += std::int64_t{blockDim.x} * kCount)
    each(c, load_pack<kCount>(row + c));
}

template <typename T, int kCount, int kPacks, bool kCentred>
__global__ void __launch_bounds__(1024)
    norm_rows(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
              NormState<T> state, T* y) {
  __shared__ float2 scratch[kWarp];
  using Values = Pack<T, kCount>;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* from = x + row * width;
    RowPart<T, kCount, kPacks> part;
    part.load(from, width);
    float mean = 0;
    if (kCentred) {
      float sum = 0;
      for_each_pack(part, from, width, [&](std::int64_t, const Values& values) {
#pragma unroll
        for (int j = 0; j < kCount; ++j) sum += static_cast<float>(values.at[j]);
      });
      mean = block_sums(sum, 0, scratch).x / static_cast<float>(width);
    }
    float squares = 0;
    for_each_pack(part, from, width, [&](std::int64_t, const Values& values) {
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        const float centred = static_cast<float>(values.at[j]) - mean;
        squares += centred * centred;
      }
    });
    squares = block_sums(squares, 0, scratch).x;
    const float inverse_sd =
        1.0F / square_root(squares / static_cast<float>(width) + static_cast<float>(kNormEpsilon));
    for_each_pack(part, from, width, [&](std::int64_t column, const Values& values) {
      const auto g = load_pack<kCount>(gain + column);
      Values b, made;
      if (kCentred) b = load_pack<kCount>(bias + column);
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        const float n = (static_cast<float>(values.at[j]) - mean) * inverse_sd;
        const float scaled = n * static_cast<float>(g.at[j]);
        made.at[j] = T(kCentred ? scaled + static_cast<float>(b.at[j]) : scaled);
      }
      store_pack<kCount>(y + row * width + column, made);
    });
    if (threadIdx.x == 0) {
      if (kCentred) state.mean[row] = mean;
      state.inverse_sd[row] = inverse_sd;
    }
  }
}

/// Threads of a block, whole warps, so that each has at most kPacks packs of a row; at most `most`.
inline int norm_threads(std::int64_t width, int count, int packs, int most) {
  const std::int64_t share = std::int64_t{count} * packs * kWarp;
  const std::int64_t warps = (width + share - 1) / share;
  return static_cast<int>(warps * kWarp < most ? warps * kWarp : most);
}

/// Enough blocks to fill any GPU; each then goes on with other rows.
inline constexpr std::int64_t kNormBlocks = 8192;

template <typename T, bool kCentred>
void start_norm(cudaStream_t stream, std::int64_t rows, std::int64_t width, const T* x,
                const T* gain, const T* bias, NormState<T> state, T* y) {
  constexpr int kCount = kLanes<T>, kPacks = 4, kSinglePacks = 8, kMost = 1024;
  const std::int64_t blocks = rows < kNormBlocks ? rows : kNormBlocks;
  if (width % kCount == 0 && are_aligned<kCount>(x, gain, bias, y))
    launch(stream, {blocks, norm_threads(width, kCount, kPacks, kMost), 0, "norm"},
           norm_rows<T, kCount, kPacks, kCentred>, rows, width, x, gain, bias, state, y);
  else
    launch(stream, {blocks, norm_threads(width, 1, kSinglePacks, kMost), 0, "norm"},
           norm_rows<T, 1, kSinglePacks, kCentred>, rows, width, x, gain, bias, state, y);
}

}  // namespace pippin::probes::cuda
