// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/pack.h"
#include "probes/device/cuda/warp.h"

namespace pippin::probes::cuda {

// Sums over rows, one for each column, always in the same order: first of slices of the rows, which
// are kept apart, then of the slices.

/// Columns of packs × rows that a block looks at together.
inline constexpr int kColumnWarps = 8;

/// Rows of slices: `partial[slice][column]`, the sum of the rows slice, slice + slices, … of groups
/// of kColumnWarps. blockIdx: (columns, slice).
template <typename T, int kCount>
__global__ void __launch_bounds__(kWarp* kColumnWarps)
    sum_slices(std::int64_t rows, std::int64_t width, const T* x, float* partial) {
  constexpr int kTogether = kCount == 1 ? 8 : 4;
  __shared__ float sums[kColumnWarps][kWarp * kCount];
  const std::int64_t column = (std::int64_t{blockIdx.x} * kWarp + lane_index()) * kCount;
  const std::int64_t step = std::int64_t{gridDim.y} * kColumnWarps;
  float sum[kCount] = {};
  if (column < width) {
    std::int64_t row = std::int64_t{blockIdx.y} * kColumnWarps + warp_index();
    for (; row + (kTogether - 1) * step < rows; row += kTogether * step) {
      Pack<T, kCount> packs[kTogether];
#pragma unroll
      for (int i = 0; i < kTogether; ++i)
        packs[i] = load_pack<kCount>(x + (row + i * step) * width + column);
#pragma unroll
      for (int i = 0; i < kTogether; ++i)
#pragma unroll
        for (int j = 0; j < kCount; ++j) sum[j] += static_cast<float>(packs[i].at[j]);
    }
    for (; row < rows; row += step) {
      const auto pack = load_pack<kCount>(x + row * width + column);
#pragma unroll
      for (int j = 0; j < kCount; ++j) sum[j] += static_cast<float>(pack.at[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) sums[warp_index()][j * kWarp + lane_index()] = sum[j];
  __syncthreads();
  // Thread i sums up one column of the block's; they lie as they were written, lane by lane.
  for (int i = static_cast<int>(threadIdx.x); i < kWarp * kCount; i += kWarp * kColumnWarps) {
    const std::int64_t to = (std::int64_t{blockIdx.x} * kWarp + i % kWarp) * kCount + i / kWarp;
    float all = 0;
#pragma unroll
    for (int warp = 0; warp < kColumnWarps; ++warp) all += sums[warp][i];
    if (to < width) partial[std::int64_t{blockIdx.y} * width + to] = all;
  }
}

inline constexpr int kSliceWarps = 32;

/// sums[column] += the sum of the slices' partial[slice][column]; rows of them are `step` apart.
template <typename W>
__global__ void __launch_bounds__(kWarp* kSliceWarps)
    add_slices(std::int64_t slices, std::int64_t width, std::int64_t step, const W* partial,
               W* sums) {
  __shared__ W parts[kSliceWarps][kWarp];
  const std::int64_t column = std::int64_t{blockIdx.x} * kWarp + lane_index();
  W sum = 0;
  if (column < width) {
#pragma unroll 8
    for (std::int64_t slice = warp_index(); slice < slices; slice += kSliceWarps)
      sum += partial[slice * step + column];
  }
  parts[warp_index()][lane_index()] = sum;
  __syncthreads();
  if (warp_index() > 0 || column >= width) return;
  W all = 0;
#pragma unroll
  for (int warp = 0; warp < kSliceWarps; ++warp) all += parts[warp][lane_index()];
  sums[column] += all;
}

inline void start_add_slices(cudaStream_t stream, std::int64_t slices, std::int64_t width,
                             std::int64_t step, const float* partial, float* sums) {
  launch(stream, {(width + kWarp - 1) / kWarp, kWarp * kSliceWarps, 0, "sums of slices"},
         add_slices<float>, slices, width, step, partial, sums);
}

/// Adds the sum of x's rows to `sums`. `scratch`: `room` elements, at least a row.
template <typename T>
void start_add_rows(cudaStream_t stream, std::int64_t rows, std::int64_t width, const T* x,
                    float* sums, float* scratch, std::int64_t room) {
  constexpr int kCount = kLanes<T>;
  const bool packs = width % kCount == 0 && are_aligned<kCount>(x);
  const std::int64_t columns = kWarp * (packs ? kCount : 1),
                     blocks = (width + columns - 1) / columns;
  // Enough to fill any GPU, while a slice has at least four rows for each of its warps.
  constexpr std::int64_t kBlocks = 1056, kFewestRows = 4 * kColumnWarps;
  std::int64_t slices = (kBlocks + blocks - 1) / blocks;
  if (slices > (rows + kFewestRows - 1) / kFewestRows)
    slices = (rows + kFewestRows - 1) / kFewestRows;
  if (slices > room / width) slices = room / width;
  launch(stream, {{blocks, slices}, kWarp * kColumnWarps, 0, "sums of rows"},
         packs ? sum_slices<T, kCount> : sum_slices<T, 1>, rows, width, x, scratch);
  start_add_slices(stream, slices, width, width, scratch, sums);
}

}  // namespace pippin::probes::cuda
