// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/attention_order.h"
#include "probes/device/cuda/attention_place.h"
#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/tensor_core.h"
#include "probes/device/cuda/warp.h"

namespace pippin::probes::cuda {

// Tiles in shared memory, and products of them by tensor cores. A warp's sums are tiles of 16 × 8;
// element i of a lane lies in row fragment_row(i), column fragment_column(i) of its tile.

__device__ inline int fragment_row(int i) { return lane_index() / 4 + i / 2 * 8; }
__device__ inline int fragment_column(int i) { return lane_index() % 4 * 2 + i % 2; }

/// From a row to the next. The 8 rows that ldmatrix reads at once must begin in different banks:
/// the step is an odd number of 16 bytes.
template <int kWidth>
inline constexpr int kTileStep = kWidth + 8;

template <int kWidth>
__host__ __device__ constexpr int tile_size(int rows) {
  return rows * kTileStep<kWidth>;
}

/// load_tile() where a thread stays in its column. Between products every instruction counts: one
/// pointer that goes down the rows costs a seventh of finding each place by itself.
template <int kWidth, int kRows, int kThreads, typename T>
__device__ void load_columns(const Rows<const T>& from, int first, int width, T* tile) {
  constexpr int kPieces = kWidth / Vector<T>::kCount, kRowsAtOnce = kThreads / kPieces;
  static_assert(kThreads % kPieces == 0 && kRows % kRowsAtOnce == 0);
  const int thread = static_cast<int>(threadIdx.x), own_row = thread / kPieces,
            column = thread % kPieces * Vector<T>::kCount;
  const int rows_left = column < width ? from.count - first - own_row : 0;
  const std::int64_t step = std::int64_t{from.step} * kRowsAtOnce;
  const T* place = from.row(first + own_row) + column;
  T* to = tile + own_row * kTileStep<kWidth> + column;
#pragma unroll
  for (int row = 0; row < kRows; row += kRowsAtOnce, place += step)
    copy_async(to + row * kTileStep<kWidth>, place, row < rows_left);
}

/// load_tile() for every width.
template <int kWidth, int kRows, int kThreads, typename T>
__device__ void load_pieces(const Rows<const T>& from, int first, int width, T* tile) {
  constexpr int kPieces = kWidth / Vector<T>::kCount;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kPieces; i += kThreads) {
    const int row = i / kPieces, column = i % kPieces * Vector<T>::kCount;
    copy_async(tile + row * kTileStep<kWidth> + column, from.row(first + row) + column,
               first + row < from.count && column < width);
  }
}

/// Begins to copy kRows rows from `first` on, by all kThreads threads of the block; zeros beyond
/// the head.
template <int kWidth, int kRows, int kThreads, typename T>
__device__ void load_tile(const Rows<const T>& from, int first, int width, T* tile) {
  if constexpr (kThreads % (kWidth / Vector<T>::kCount) == 0)
    load_columns<kWidth, kRows, kThreads>(from, first, width, tile);
  else
    load_pieces<kWidth, kRows, kThreads>(from, first, width, tile);
}

/// sums = a·bᵀ. Shape: a 16·kRows × kWidth, b 8·kColumns × kWidth.
template <int kWidth, int kRows, int kColumns, typename T>
__device__ void multiply_transposed(const T* a, const T* b, float (&sums)[kRows][kColumns][4]) {
  constexpr int kStep = kTileStep<kWidth>;
  static_assert(kColumns % 2 == 0 && kWidth % 16 == 0);
  const int lane = lane_index();
  const T* a_row = a + lane % 16 * kStep + lane / 16 * 8;
  const T* b_row = b + (lane % 8 + lane / 16 * 8) * kStep + lane / 8 % 2 * 8;
#pragma unroll
  for (int m = 0; m < kRows; ++m)
#pragma unroll
    for (int n = 0; n < kColumns; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[m][n][i] = 0;
#pragma unroll
  for (int k = 0; k < kWidth; k += 16) {
    std::uint32_t a_parts[kRows][4];
#pragma unroll
    for (int m = 0; m < kRows; ++m) load_matrices(a_row + m * 16 * kStep + k, a_parts[m]);
#pragma unroll
    for (int n = 0; n < kColumns; n += 2) {
      std::uint32_t b_parts[4];
      load_matrices(b_row + n * 8 * kStep + k, b_parts);
#pragma unroll
      for (int m = 0; m < kRows; ++m) {
        multiply_add<T>(a_parts[m], b_parts[0], b_parts[1], sums[m][n]);
        multiply_add<T>(a_parts[m], b_parts[2], b_parts[3], sums[m][n + 1]);
      }
    }
  }
}

/// Minus infinity for keys that come after their query, apart from what else is done with scores:
/// most tiles have none. Shape: rows are queries, columns keys, or the other way round.
template <bool kRowsAreKeys, int kRows, int kColumns>
__device__ void mask_scores(int first_row, int first_column, float (&scores)[kRows][kColumns][4]) {
#pragma unroll
  for (int m = 0; m < kRows; ++m)
#pragma unroll
    for (int n = 0; n < kColumns; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = first_row + m * 16 + fragment_row(i),
                  column = first_column + n * 8 + fragment_column(i);
        if (kRowsAreKeys ? row > column : column > row) scores[m][n][i] = -INFINITY;
      }
}

/// Sums as a factor of the next product: the lanes hold two neighbouring tiles as they must hold
/// 16 columns of it.
template <typename T, int kRows, int kColumns>
__device__ void to_factors(const float (&sums)[kRows][kColumns][4],
                           std::uint32_t (&factors)[kRows][kColumns / 2][4]) {
#pragma unroll
  for (int m = 0; m < kRows; ++m)
#pragma unroll
    for (int n = 0; n < kColumns; ++n) {
      factors[m][n / 2][n % 2 * 2] = pack<T>(sums[m][n][0], sums[m][n][1]);
      factors[m][n / 2][n % 2 * 2 + 1] = pack<T>(sums[m][n][2], sums[m][n][3]);
    }
}

/// sums += a·b. Shape: a 16·kRows × 16·kInner, b 16·kInner × kWidth.
template <int kWidth, int kRows, int kInner, typename T>
__device__ void multiply_factor(const std::uint32_t (&a)[kRows][kInner][4], const T* b,
                                float (&sums)[kRows][kWidth / 8][4]) {
  constexpr int kStep = kTileStep<kWidth>;
  const T* b_row = b + lane_index() % 16 * kStep + lane_index() / 16 * 8;
#pragma unroll
  for (int k = 0; k < kInner; ++k)
#pragma unroll
    for (int n = 0; n < kWidth / 8; n += 2) {
      std::uint32_t b_parts[4];
      load_transposed(b_row + k * 16 * kStep + n * 8, b_parts);
#pragma unroll
      for (int m = 0; m < kRows; ++m) {
        multiply_add<T>(a[m][k], b_parts[0], b_parts[1], sums[m][n]);
        multiply_add<T>(a[m][k], b_parts[2], b_parts[3], sums[m][n + 1]);
      }
    }
}

/// Stores a warp's sums times `factors`, one for each row that a lane holds, as rows from `first`
/// on; nothing beyond the head. `tile` is overwritten.
/// Requires: a tile of 16·kRows rows that no other warp looks at.
template <int kWidth, int kRows, typename T>
__device__ void store_rows(const float (&sums)[kRows][kWidth / 8][4],
                           const float (&factors)[kRows][2], T* tile, const Rows<T>& to, int first,
                           int width) {
  constexpr int kStep = kTileStep<kWidth>, kPieces = kWidth / Vector<T>::kCount;
#pragma unroll
  for (int m = 0; m < kRows; ++m)
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float factor = factors[m][half];
        T* place = tile + (m * 16 + fragment_row(2 * half)) * kStep + n * 8 + fragment_column(0);
        *reinterpret_cast<std::uint32_t*>(place) =
            pack<T>(sums[m][n][2 * half] * factor, sums[m][n][2 * half + 1] * factor);
      }
  __syncwarp();
  for (int i = lane_index(); i < kRows * 16 * kPieces; i += kWarp) {
    const int row = i / kPieces, column = i % kPieces * Vector<T>::kCount;
    if (first + row < to.count && column < width)
      store_vector(to.row(first + row) + column, load_vector(tile + row * kStep + column));
  }
}

}  // namespace pippin::probes::cuda
