// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/columns.h"
#include "probes/device/cuda/norms.h"

namespace pippin::probes::cuda {

/// More would leave a thread too few registers.
inline constexpr int kMostNormThreads = 512;

/// The block's sums of dy·n and of dy over its rows, for the columns whose packs are in registers;
/// those of others are kept in memory from the beginning.
template <int kCount, int kPacks, bool kCentred>
struct GainSums {
  Pack<float, kCount> gain[kPacks], bias[kCentred ? kPacks : 1];
};

/// One thread for each 128 bytes of a row, by all threads of the block.
template <typename T>
__device__ void prefetch_row(const T* row, std::int64_t width) {
  constexpr int kCount = 128 / static_cast<int>(sizeof(T));
#pragma unroll 1
  for (std::int64_t column = std::int64_t{threadIdx.x} * kCount; column < width;
       column += std::int64_t{blockDim.x} * kCount)
    prefetch(row + column);
}

/// With n = (x − mean)/sd and g = dy·gain: dx += (g − mean(g) − n·mean(g·n))/sd, where mean(g)
/// belongs to a norm that is centred. `partial`: a block's sums of dy·n, then of dy.
template <typename T, int kCount, int kPacks, bool kCentred>
__global__ void __launch_bounds__(kMostNormThreads)
    norm_rows_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                       NormState<T> state, const T* dy, T* dx, float* partial) {
  // With more packs there are no registers for dx before it is needed.
  constexpr bool kEarly = kPacks * kCount < 24;
  __shared__ float2 scratch[kWarp];
  using Part = RowPart<T, kCount, kPacks>;
  using Values = Pack<T, kCount>;
  GainSums<kCount, kPacks, kCentred> sums = {};
  float* own = partial + std::int64_t{blockIdx.x} * (kCentred ? 2 : 1) * width;
  // A block of the most threads is alone on its multiprocessor: while it adds up over its threads,
  // nothing else keeps the memory busy.
  const bool is_alone = blockDim.x == kMostNormThreads;
  if (is_alone && !kEarly && blockIdx.x < rows) prefetch_row(dx + blockIdx.x * width, width);
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *x_row = x + row * width, *dy_row = dy + row * width;
    T* dx_row = dx + row * width;
    if (const std::int64_t next = row + gridDim.x; is_alone && next < rows) {
      prefetch_row(x + next * width, width);
      prefetch_row(dy + next * width, width);
      prefetch_row(dx + next * width, width);
    }
    Part x_part, dy_part, dx_part;
    x_part.load(x_row, width);
    dy_part.load(dy_row, width);
    if (kEarly) dx_part.load(dx_row, width);
    const float mean = kCentred ? state.mean[row] : 0, inverse_sd = state.inverse_sd[row];
    float sum_g = 0, sum_gn = 0;
    const auto add = [&](std::int64_t column, const Values& xs, const Values& dys, float* to_gain,
                         float* to_bias) {
      const auto g = load_pack<kCount>(gain + column);
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        const float n = (static_cast<float>(xs.at[j]) - mean) * inverse_sd;
        const float d = dys.at[j], scaled = d * static_cast<float>(g.at[j]);
        sum_g += scaled;
        sum_gn += scaled * n;
        to_gain[j] += d * n;
        if (kCentred) to_bias[j] += d;
      }
    };
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      if (Part::column(p) < width)
        add(Part::column(p), x_part.kept[p], dy_part.kept[p], sums.gain[p].at,
            sums.bias[kCentred ? p : 0].at);
    for (std::int64_t c = Part::column(kPacks); c < width; c += std::int64_t{blockDim.x} * kCount) {
      if (row == blockIdx.x)
        for (int j = 0; j < kCount; ++j) {
          own[c + j] = 0;
          if (kCentred) own[width + c + j] = 0;
        }
      add(c, load_pack<kCount>(x_row + c), load_pack<kCount>(dy_row + c), own + c, own + width + c);
    }
    const float2 all = block_sums(sum_g, sum_gn, scratch);
    const float mean_g = kCentred ? all.x / static_cast<float>(width) : 0;
    const float mean_gn = all.y / static_cast<float>(width);
    const auto store = [&](std::int64_t column, const Values& xs, const Values& dys,
                           const Values& before) {
      const auto g = load_pack<kCount>(gain + column);
      Values made;
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        const float n = (static_cast<float>(xs.at[j]) - mean) * inverse_sd;
        const float scaled = static_cast<float>(dys.at[j]) * static_cast<float>(g.at[j]);
        made.at[j] =
            T(static_cast<float>(before.at[j]) + (scaled - mean_g - n * mean_gn) * inverse_sd);
      }
      store_pack<kCount>(dx_row + column, made);
    };
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      if (Part::column(p) < width)
        store(Part::column(p), x_part.kept[p], dy_part.kept[p],
              kEarly ? dx_part.kept[p] : load_pack<kCount>(dx_row + Part::column(p)));
    for (std::int64_t c = Part::column(kPacks); c < width; c += std::int64_t{blockDim.x} * kCount)
      store(c, load_pack<kCount>(x_row + c), load_pack<kCount>(dy_row + c),
            load_pack<kCount>(dx_row + c));
  }
#pragma unroll
  for (int p = 0; p < kPacks; ++p)
    if (Part::column(p) < width) {
      store_pack<kCount>(own + Part::column(p), sums.gain[p]);
      if (kCentred) store_pack<kCount>(own + width + Part::column(p), sums.bias[kCentred ? p : 0]);
    }
}

/// Threads of all blocks: as many as the GPU's registers hold.
inline std::int64_t norm_backward_threads(int multiprocessors) {
  return std::int64_t{multiprocessors} * kMostNormThreads;
}

/// How a backward pass of a norm is shared out. `room`: elements of the scratch.
struct NormBackwardGrid {
  std::int64_t blocks;
  int threads;
};
inline NormBackwardGrid norm_backward_grid(std::int64_t rows, std::int64_t width, int count,
                                           int packs, int multiprocessors, std::int64_t room) {
  // A block writes its sums once: four rows at least make that cheap beside what it reads.
  constexpr std::int64_t kFewestRows = 4;
  const int threads = norm_threads(width, count, packs, kMostNormThreads);
  std::int64_t blocks = norm_backward_threads(multiprocessors) / threads;
  if (blocks > (rows + kFewestRows - 1) / kFewestRows)
    blocks = (rows + kFewestRows - 1) / kFewestRows;
  if (blocks > room / (2 * width)) blocks = room / (2 * width);
  return {blocks, threads};
}

/// Elements of the scratch that lets the grid be as large as it may.
inline std::int64_t norm_backward_room(std::int64_t rows, std::int64_t width, int multiprocessors) {
  // A thread has at most 32 columns; of what is wider, all blocks of the most threads.
  constexpr std::int64_t kColumns = 32;
  std::int64_t room = norm_backward_threads(multiprocessors) * kColumns;
  if (room < multiprocessors * width) room = multiprocessors * width;
  const std::int64_t of_rows = (rows + 3) / 4 * width;
  return 2 * (room < of_rows ? room : of_rows);
}

/// `scratch`: `room` elements, at least two rows, aligned to 16 bytes.
template <typename T, int kCount, int kPacks, bool kCentred>
void start_norm_backward(cudaStream_t stream, std::int64_t rows, std::int64_t width, const T* x,
                         const T* gain, NormState<T> state, const T* dy, T* dx, float* dgain,
                         float* dbias, int multiprocessors, float* scratch, std::int64_t room) {
  const NormBackwardGrid grid =
      norm_backward_grid(rows, width, kCount, kPacks, multiprocessors, room);
  launch(stream, {grid.blocks, grid.threads, 0, "norm_backward"},
         norm_rows_backward<T, kCount, kPacks, kCentred>, rows, width, x, gain, state, dy, dx,
         scratch);
  const std::int64_t step = (kCentred ? 2 : 1) * width;
  start_add_slices(stream, grid.blocks, width, step, scratch, dgain);
  if (kCentred) start_add_slices(stream, grid.blocks, width, step, scratch + width, dbias);
}

/// As many packs a thread as the row asks for, so that few registers lie idle.
template <typename T, bool kCentred>
void start_norm_backward(cudaStream_t stream, std::int64_t rows, std::int64_t width, const T* x,
                         const T* gain, NormState<T> state, const T* dy, T* dx, float* dgain,
                         float* dbias, int multiprocessors, float* scratch, std::int64_t room) {
  constexpr int kCount = kLanes<T>;
  const auto start = [&](auto begin) {
    begin(stream, rows, width, x, gain, state, dy, dx, dgain, dbias, multiprocessors, scratch,
          room);
  };
  if (width % kCount != 0 || !are_aligned<kCount>(x, gain, dy, static_cast<const T*>(dx)))
    start(start_norm_backward<T, 1, 8, kCentred>);
  else if (width <= 2 * kCount * kMostNormThreads)
    start(start_norm_backward<T, kCount, 2, kCentred>);
  else
    start(start_norm_backward < T, kCount, kCentred ? 3 : 4, kCentred >);
}

}  // namespace pippin::probes::cuda
