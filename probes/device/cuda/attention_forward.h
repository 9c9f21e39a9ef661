// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/device/cuda/attention_tiles.h"

namespace pippin::probes::cuda {

// Attention without a matrix of probabilities in memory: keys and values go by in tiles, and what
// was summed is scaled down whenever a larger score turns up.
// Source: Dao et al. 2022, FlashAttention; Dao 2023, FlashAttention-2. Milakov and Gimelshein 2018
// for the softmax.

/// Tiles of the forward kernel. With 32 rows a warp uses what it reads of keys and values twice:
/// with 16 the shared memory's bandwidth is the limit of tensor cores.
struct ForwardTiles {
  static constexpr int kWarps = 4, kThreads = kWarps * kWarp;
  static constexpr int kRowTiles = 2, kWarpRows = 16 * kRowTiles;
  static constexpr int kQueries = kWarps * kWarpRows, kKeys = 64;
  /// For which a multiprocessor must have registers.
  template <int kWidth>
  static constexpr int kBlocks = kWidth == 32 ? 3 : 2;

  template <typename T, int kWidth>
  static constexpr int shared_bytes() {
    return tile_size<kWidth>(kQueries + 2 * kKeys) * static_cast<int>(sizeof(T));
  }
};

/// The softmax of a warp's rows so far. A lane holds two rows of each tile.
template <int kRows>
struct OnlineSoftmax {
  float largest[kRows][2], sums[kRows][2];  // sums: this lane's share

  __device__ OnlineSoftmax() {
#pragma unroll
    for (int m = 0; m < kRows; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        largest[m][half] = -INFINITY;
        sums[m][half] = 0;
      }
  }

  /// Over the four lanes that share a row.
  template <typename Combine>
  __device__ static float of_row(float value) {
    value = Combine()(value, __shfl_xor_sync(kAllLanes, value, 1));
    return Combine()(value, __shfl_xor_sync(kAllLanes, value, 2));
  }

  /// Scores become exponentials, relative to the largest score so far; what was summed before is
  /// scaled to that.
  template <int kColumns, int kOuts>
  __device__ void add(float scale2, float (&scores)[kRows][kColumns][4],
                      float (&outs)[kRows][kOuts][4]) {
    float factors[kRows][2];
    bool has_grown = false;
#pragma unroll
    for (int m = 0; m < kRows; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float now = largest[m][half];
#pragma unroll
        for (int n = 0; n < kColumns; ++n)
          now = fmaxf(now, fmaxf(scores[m][n][2 * half], scores[m][n][2 * half + 1]));
        now = of_row<Larger>(now);
        has_grown |= now > largest[m][half];
        factors[m][half] = power_of_2((largest[m][half] - now) * scale2);
        largest[m][half] = now;
        sums[m][half] *= factors[m][half];
        const float shift = now * scale2;
#pragma unroll
        for (int n = 0; n < kColumns; ++n)
#pragma unroll
          for (int i = 2 * half; i < 2 * half + 2; ++i) {
            scores[m][n][i] = power_of_2(scores[m][n][i] * scale2 - shift);
            sums[m][half] += scores[m][n][i];
          }
      }
    // After the first tiles the largest score is seldom beaten.
    if (!__any_sync(kAllLanes, has_grown)) return;
#pragma unroll
    for (int m = 0; m < kRows; ++m)
#pragma unroll
      for (int n = 0; n < kOuts; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) outs[m][n][i] *= factors[m][i / 2];
  }
};

/// The context of a block of queries, and of each the logarithm to base 2 of its scores'
/// exponentials' sum.
template <typename T, int kWidth>
__global__ void __launch_bounds__(ForwardTiles::kThreads, ForwardTiles::kBlocks<kWidth>)
    flash_forward(AttentionPlace at, AttentionOrder order, const T* qkv, float* kept, T* context) {
  using Tiles = ForwardTiles;
  constexpr int kRows = Tiles::kRowTiles, kKeys = Tiles::kKeys;
  const AttentionWork work = order.work(blockIdx.x);
  const int group = work.head / at.heads_of_group;
  const Rows<const T> queries =
                          at.queries(qkv, work.sequence, group, work.head % at.heads_of_group),
                      keys = at.keys(qkv, work.sequence, group),
                      values = at.values(qkv, work.sequence, group);
  T* query_tile = dynamic_shared<T>();
  T *key_tile = query_tile + tile_size<kWidth>(Tiles::kQueries),
    *value_tile = key_tile + tile_size<kWidth>(kKeys);
  const auto load_keys = [&](const Rows<const T>& from, int first_key, T* tile) {
    load_tile<kWidth, kKeys, Tiles::kThreads>(from, first_key, at.head_width, tile);
  };

  // The last queries have the most keys.
  const int first = (blocks_of(at.seq, Tiles::kQueries) - 1 - work.block) * Tiles::kQueries;
  const int end = min(at.seq, first + Tiles::kQueries);
  const int warp_first = first + warp_index() * Tiles::kWarpRows;
  T* warp_tile = query_tile + tile_size<kWidth>(warp_index() * Tiles::kWarpRows);

  OnlineSoftmax<kRows> softmax;
  float outs[kRows][kWidth / 8][4] = {};
  load_tile<kWidth, Tiles::kQueries, Tiles::kThreads>(queries, first, at.head_width, query_tile);
  load_keys(keys, 0, key_tile);
  commit_copies();
  for (int key = 0; key < end; key += kKeys) {
    const bool has_work = key < warp_first + Tiles::kWarpRows;
    float scores[kRows][kKeys / 8][4];
    wait_copies<0>();
    __syncthreads();  // the keys are here, the values before were used
    load_keys(values, key, value_tile);
    commit_copies();
    if (has_work) multiply_transposed<kWidth>(warp_tile, key_tile, scores);
    wait_copies<0>();
    __syncthreads();  // the values are here, the keys were used
    if (key + kKeys < end) load_keys(keys, key + kKeys, key_tile);
    commit_copies();
    if (!has_work) continue;
    if (key + kKeys > warp_first) mask_scores<false>(warp_first, key, scores);
    softmax.add(at.scale2, scores, outs);
    std::uint32_t probabilities[kRows][kKeys / 16][4];
    to_factors<T>(scores, probabilities);
    multiply_factor<kWidth>(probabilities, value_tile, outs);
  }

  float factors[kRows][2];
#pragma unroll
  for (int m = 0; m < kRows; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = softmax.template of_row<Plus>(softmax.sums[m][half]);
      factors[m][half] = 1 / sum;
      const int query = warp_first + m * 16 + fragment_row(2 * half);
      if (lane_index() % 4 == 0 && query < at.seq)
        at.per_query(kept, work.sequence, work.head)[query] =
            softmax.largest[m][half] * at.scale2 + log2f(sum);
    }
  store_rows<kWidth>(outs, factors, warp_tile, at.context(context, work.sequence, work.head),
                     warp_first, at.head_width);
}

}  // namespace pippin::probes::cuda
