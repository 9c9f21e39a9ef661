// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/device/cuda/attention_tiles.h"
#include "probes/device/cuda/pack.h"

namespace pippin::probes::cuda {

// Gradients without a matrix of probabilities in memory: they are made again from the scores and
// what the forward kernel kept. One kernel sums over the queries of each key, one over the keys of
// each query: that costs two products of seven, and gives the same bits every time.
// Source: Dao et al. 2022, FlashAttention, algorithm 4; Dao 2023, FlashAttention-2.

/// Of each query the product of its context and its gradient, which the softmax takes off the
/// probabilities' gradients. A block has all heads of one query; `share` lanes, a power of 2, have
/// one head at a time, and read packs of kCount.
template <typename T, int kCount>
__global__ void attention_row_sums(AttentionPlace at, int share, const T* context,
                                   const T* dcontext, float* row_sums) {
  const int sequence = static_cast<int>(blockIdx.x) / at.seq,
            query = static_cast<int>(blockIdx.x) % at.seq, lane = lane_index() % share,
            heads_of_warp = kWarp / share;
  const int step = static_cast<int>(blockDim.x) / kWarp * heads_of_warp;
  for (int first = warp_index() * heads_of_warp; first < at.heads; first += step) {
    const int head = first + lane_index() / share, width = head < at.heads ? at.head_width : 0;
    const T *x = at.context(context, sequence, head).row(query),
            *dx = at.context(dcontext, sequence, head).row(query);
    float sum = 0;
#pragma unroll 1
    for (int column = lane * kCount; column < width; column += share * kCount) {
      const auto xs = load_pack<kCount>(x + column), dxs = load_pack<kCount>(dx + column);
#pragma unroll
      for (int j = 0; j < kCount; ++j)
        sum += static_cast<float>(xs.at[j]) * static_cast<float>(dxs.at[j]);
    }
#pragma unroll 1
    for (int bits = share / 2; bits > 0; bits /= 2) sum += __shfl_xor_sync(kAllLanes, sum, bits);
    if (lane == 0 && head < at.heads) at.per_query(row_sums, sequence, head)[query] = sum;
  }
}

/// Tiles of the kernel that owns keys. Gradients of keys and of values take a warp's registers: it
/// has 16 rows.
struct KeyTiles {
  static constexpr int kWarps = 4, kThreads = kWarps * kWarp;
  static constexpr int kKeys = 16 * kWarps, kQueries = 64, kStages = 2;
  /// For which a multiprocessor must have registers.
  template <int kWidth>
  static constexpr int kBlocks = kWidth == 32 ? 3 : 2;

  /// Of one stage: the queries, the context's gradients.
  template <int kWidth>
  static constexpr int kStageSize = 2 * tile_size<kWidth>(kQueries);
  template <typename T, int kWidth>
  static constexpr int shared_bytes() {
    const int in_tiles = 2 * tile_size<kWidth>(kKeys) + kStages * kStageSize<kWidth>;
    return in_tiles * static_cast<int>(sizeof(T)) +
           kStages * 2 * kQueries * static_cast<int>(sizeof(float));
  }
};

/// How a group's heads are divided among blocks, each of which then has sums of its own: where
/// groups are few, blocks of keys alone would leave most of a GPU idle.
struct KeyParts {
  int count, heads;  ///< heads of a part; the last may have fewer
  float* sums;  ///< count × rows × groups × (key, value) × head_width; unused if count is 1

  template <bool of_values>
  __device__ Rows<float> rows(const AttentionPlace& at, int part, int sequence, int group) const {
    const int step = at.groups * 2 * at.head_width;
    const std::int64_t row = (static_cast<std::int64_t>(part) * at.batch + sequence) * at.seq;
    return {sums + row * step + (group * 2 + (of_values ? 1 : 0)) * at.head_width, step, at.seq};
  }
};

/// Stores a warp's sums times `factor`, as rows from `first` on; nothing beyond the head.
template <int kColumns>
__device__ void store_sums(const float (&sums)[1][kColumns][4], float factor, const Rows<float>& to,
                           int first, int width) {
#pragma unroll
  for (int n = 0; n < kColumns; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first + fragment_row(2 * half), column = n * 8 + fragment_column(0);
      if (row < to.count && column < width)
        *reinterpret_cast<float2*>(to.row(row) + column) =
            make_float2(sums[0][n][2 * half] * factor, sums[0][n][2 * half + 1] * factor);
    }
}

/// Gradients of keys and values from the sums of parts, which always come in the same order.
template <typename T>
__global__ void attention_add_parts(AttentionPlace at, KeyParts parts, T* dqkv) {
  const std::int64_t step = at.groups * 2 * at.head_width,
                     all = static_cast<std::int64_t>(at.batch) * at.seq * step,
                     i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= all) return;
  float sum = 0;
  for (int part = 0; part < parts.count; ++part) sum += parts.sums[part * all + i];
  const int column = static_cast<int>(i % at.head_width),
            kind = static_cast<int>(i / at.head_width % 2),
            group = static_cast<int>(i % step / (2 * at.head_width)),
            row = static_cast<int>(i / step % at.seq),
            sequence = static_cast<int>(i / step / at.seq);
  const Rows<T> to = kind == 0 ? at.keys(dqkv, sequence, group) : at.values(dqkv, sequence, group);
  to.row(row)[column] = static_cast<T>(sum);
}

/// A step of a block of keys: which head of the group, which queries. Each reads another stage than
/// the one before.
struct KeyStep {
  int head, query, stage;

  __device__ KeyStep next(int first_query, int seq) const {
    const bool is_last = query + KeyTiles::kQueries >= seq;
    return {is_last ? head + 1 : head, is_last ? first_query : query + KeyTiles::kQueries,
            1 - stage};
  }
};

/// Adds what 64 queries give to a warp's 16 keys and values. Everything is transposed: rows are
/// keys, columns queries.
/// Shape: numbers (kept, row sums) × queries.
template <int kWidth, typename T>
__device__ void add_queries(float scale2, const T* keys, const T* values, int first_key,
                            const T* queries, const T* dcontext, const float* numbers,
                            int first_query, float (&dkeys)[1][kWidth / 8][4],
                            float (&dvalues)[1][kWidth / 8][4]) {
  constexpr int kQueries = KeyTiles::kQueries, kColumns = kQueries / 8;
  float scores[1][kColumns][4], dscores[1][kColumns][4];
  multiply_transposed<kWidth>(keys, queries, scores);
  multiply_transposed<kWidth>(values, dcontext, dscores);
  if (first_query < first_key + 16) mask_scores<true>(first_key, first_query, scores);
#pragma unroll
  for (int n = 0; n < kColumns; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = n * 8 + fragment_column(i);
      const float p = power_of_2(scores[0][n][i] * scale2 - numbers[column]);
      scores[0][n][i] = p;
      dscores[0][n][i] = p * (dscores[0][n][i] - numbers[kQueries + column]);
    }
  std::uint32_t factor[1][kQueries / 16][4];
  to_factors<T>(scores, factor);
  multiply_factor<kWidth>(factor, dcontext, dvalues);
  to_factors<T>(dscores, factor);
  multiply_factor<kWidth>(factor, queries, dkeys);
}

/// Gradients of a block of keys and values, over the heads of one part of their group.
template <typename T, int kWidth>
__global__ void __launch_bounds__(KeyTiles::kThreads, KeyTiles::kBlocks<kWidth>)
    attention_backward_keys(AttentionPlace at, AttentionOrder order, const T* qkv,
                            const float* kept, const float* row_sums, const T* dcontext,
                            KeyParts parts, T* dqkv) {
  using Tiles = KeyTiles;
  constexpr int kQueries = Tiles::kQueries;
  static_assert(Tiles::kThreads == 2 * kQueries, "each thread fetches one number a step");
  const AttentionWork work = order.work(blockIdx.x);
  const int group = work.head / parts.count, part = work.head % parts.count,
            group_head = group * at.heads_of_group, first_head = part * parts.heads,
            end_head = min(first_head + parts.heads, at.heads_of_group);
  const int first = work.block * Tiles::kKeys;  // the first have most queries
  T* key_tile = dynamic_shared<T>();
  T *value_tile = key_tile + tile_size<kWidth>(Tiles::kKeys),
    *stages = value_tile + tile_size<kWidth>(Tiles::kKeys);
  auto* numbers = reinterpret_cast<float*>(stages + Tiles::kStages * Tiles::kStageSize<kWidth>);

  static_assert(Tiles::kKeys == kQueries, "all tiles are of one size");
  const auto load = [&](const Rows<const T>& from, int row, T* tile) {
    load_tile<kWidth, kQueries, Tiles::kThreads>(from, row, at.head_width, tile);
  };
  const auto load_step = [&](const KeyStep& step) {
    T* tile = stages + step.stage * Tiles::kStageSize<kWidth>;
    load(at.queries(qkv, work.sequence, group, step.head), step.query, tile);
    load(at.context(dcontext, work.sequence, group_head + step.head), step.query,
         tile + tile_size<kWidth>(kQueries));
  };
  // The first threads fetch what was kept of each query, the next the row sums. Probabilities of
  // queries beyond the last are 0 by this.
  const auto fetch = [&](const KeyStep& step) {
    const bool is_kept = static_cast<int>(threadIdx.x) < kQueries;
    const int query = step.query + static_cast<int>(threadIdx.x) % kQueries;
    if (query >= at.seq) return is_kept ? INFINITY : 0.0F;
    return at.per_query(is_kept ? kept : row_sums, work.sequence, group_head + step.head)[query];
  };

  const int warp_row = warp_index() * 16, warp_first = first + warp_row;
  T *warp_keys = key_tile + tile_size<kWidth>(warp_row),
    *warp_values = value_tile + tile_size<kWidth>(warp_row);
  float dkeys[1][kWidth / 8][4] = {}, dvalues[1][kWidth / 8][4] = {};
  load(at.keys(qkv, work.sequence, group), first, key_tile);
  load(at.values(qkv, work.sequence, group), first, value_tile);
  const int first_query = first / kQueries * kQueries;
  KeyStep step{first_head, first_query, 0};
  load_step(step);
  commit_copies();
  numbers[threadIdx.x] = fetch(step);
  while (step.head < end_head) {
    const KeyStep next = step.next(first_query, at.seq);
    wait_copies<0>();
    __syncthreads();  // this step's tiles are here, those of the one before were used
    float next_number = 0;
    if (next.head < end_head) {
      load_step(next);
      next_number = fetch(next);
    }
    commit_copies();
    const T* query_tile = stages + step.stage * Tiles::kStageSize<kWidth>;
    add_queries<kWidth>(at.scale2, warp_keys, warp_values, warp_first, query_tile,
                        query_tile + tile_size<kWidth>(kQueries),
                        numbers + step.stage * Tiles::kThreads, step.query, dkeys, dvalues);
    numbers[next.stage * Tiles::kThreads + static_cast<int>(threadIdx.x)] = next_number;
    step = next;
  }

  if (parts.count > 1) {
    store_sums(dkeys, at.scale, parts.rows<false>(at, part, work.sequence, group), warp_first,
               at.head_width);
    return store_sums(dvalues, 1, parts.rows<true>(at, part, work.sequence, group), warp_first,
                      at.head_width);
  }
  const float of_keys[1][2] = {{at.scale, at.scale}}, of_values[1][2] = {{1, 1}};
  store_rows<kWidth>(dkeys, of_keys, warp_keys, at.keys(dqkv, work.sequence, group), warp_first,
                     at.head_width);
  store_rows<kWidth>(dvalues, of_values, warp_values, at.values(dqkv, work.sequence, group),
                     warp_first, at.head_width);
}

/// Tiles of the kernel that owns queries; see ForwardTiles. Narrow tiles of keys leave registers
/// for the rows, and shared memory for two blocks on an SM of compute capability 9.0.
struct QueryTiles {
  static constexpr int kWarps = 4, kThreads = kWarps * kWarp;
  static constexpr int kRowTiles = 2, kWarpRows = 16 * kRowTiles;
  static constexpr int kQueries = kWarps * kWarpRows, kKeys = 32, kStages = 2;
  /// For which a multiprocessor must have registers.
  template <int kWidth>
  static constexpr int kBlocks = kWidth == 32   ? 4
                                 : kWidth == 64 ? 3
                                                : 2;

  /// Of one stage: keys, values.
  template <int kWidth>
  static constexpr int kStageSize = 2 * tile_size<kWidth>(kKeys);
  template <typename T, int kWidth>
  static constexpr int shared_bytes() {
    const int in_tiles = 2 * tile_size<kWidth>(kQueries) + kStages * kStageSize<kWidth>;
    return in_tiles * static_cast<int>(sizeof(T)) + 2 * kQueries * static_cast<int>(sizeof(float));
  }
};

/// Adds what 32 keys and values give to a warp's queries.
/// Shape: numbers (kept, row sums) × the block's queries, from the warp's first on.
template <int kWidth, int kRows, typename T>
__device__ void add_keys(float scale2, const T* queries, const T* dcontext, const float* numbers,
                         int first_query, const T* keys, const T* values, int first_key,
                         float (&dqueries)[kRows][kWidth / 8][4]) {
  constexpr int kColumns = QueryTiles::kKeys / 8;
  float scores[kRows][kColumns][4], dscores[kRows][kColumns][4];
  multiply_transposed<kWidth>(queries, keys, scores);
  multiply_transposed<kWidth>(dcontext, values, dscores);
  if (first_key + QueryTiles::kKeys > first_query)
    mask_scores<false>(first_query, first_key, scores);
#pragma unroll
  for (int m = 0; m < kRows; ++m)
#pragma unroll
    for (int n = 0; n < kColumns; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = m * 16 + fragment_row(i);
        const float p = power_of_2(scores[m][n][i] * scale2 - numbers[row]);
        dscores[m][n][i] = p * (dscores[m][n][i] - numbers[QueryTiles::kQueries + row]);
      }
  std::uint32_t factor[kRows][kColumns / 2][4];
  to_factors<T>(dscores, factor);
  multiply_factor<kWidth>(factor, keys, dqueries);
}

/// Gradients of a block of queries.
template <typename T, int kWidth>
__global__ void __launch_bounds__(QueryTiles::kThreads, QueryTiles::kBlocks<kWidth>)
    attention_backward_queries(AttentionPlace at, AttentionOrder order, const T* qkv,
                               const float* kept, const float* row_sums, const T* dcontext,
                               T* dqkv) {
  using Tiles = QueryTiles;
  static_assert(Tiles::kThreads == Tiles::kQueries, "each thread fetches one query's numbers");
  constexpr int kRows = Tiles::kRowTiles, kKeys = Tiles::kKeys;
  const AttentionWork work = order.work(blockIdx.x);
  const int group = work.head / at.heads_of_group, head_of_group = work.head % at.heads_of_group;
  // The last queries have the most keys.
  const int first = (blocks_of(at.seq, Tiles::kQueries) - 1 - work.block) * Tiles::kQueries;
  T* query_tile = dynamic_shared<T>();
  T *dcontext_tile = query_tile + tile_size<kWidth>(Tiles::kQueries),
    *stages = dcontext_tile + tile_size<kWidth>(Tiles::kQueries);
  const auto load_queries = [&](const Rows<const T>& from, T* tile) {
    load_tile<kWidth, Tiles::kQueries, Tiles::kThreads>(from, first, at.head_width, tile);
  };
  const auto load = [&](const Rows<const T>& from, int key, T* tile) {
    load_tile<kWidth, kKeys, Tiles::kThreads>(from, key, at.head_width, tile);
  };
  const auto stage_of = [&](int key) {
    return stages + key / kKeys % Tiles::kStages * Tiles::kStageSize<kWidth>;
  };
  const auto load_keys = [&](int key) {
    T* tile = stage_of(key);
    load(at.keys(qkv, work.sequence, group), key, tile);
    load(at.values(qkv, work.sequence, group), key, tile + tile_size<kWidth>(kKeys));
  };

  const int end = min(at.seq, first + Tiles::kQueries);
  const int warp_row = warp_index() * Tiles::kWarpRows, warp_first = first + warp_row;
  T *warp_queries = query_tile + tile_size<kWidth>(warp_row),
    *warp_dcontext = dcontext_tile + tile_size<kWidth>(warp_row);
  load_queries(at.queries(qkv, work.sequence, group, head_of_group), query_tile);
  load_queries(at.context(dcontext, work.sequence, work.head), dcontext_tile);
  load_keys(0);
  commit_copies();
  // Two numbers for each query, where they cost no registers. Probabilities of queries beyond the
  // last are 0 by this.
  auto* numbers = reinterpret_cast<float*>(stages + Tiles::kStages * Tiles::kStageSize<kWidth>);
  const int own = static_cast<int>(threadIdx.x);
  const bool is_valid = first + own < at.seq;
  numbers[own] = is_valid ? at.per_query(kept, work.sequence, work.head)[first + own] : INFINITY;
  numbers[Tiles::kQueries + own] =
      is_valid ? at.per_query(row_sums, work.sequence, work.head)[first + own] : 0;

  float dqueries[kRows][kWidth / 8][4] = {};
  for (int key = 0; key < end; key += kKeys) {
    wait_copies<0>();
    __syncthreads();  // this step's tiles are here, those of the one before were used
    if (key + kKeys < end) load_keys(key + kKeys);
    commit_copies();
    if (key >= warp_first + Tiles::kWarpRows) continue;
    const T* key_tile = stage_of(key);
    add_keys<kWidth>(at.scale2, warp_queries, warp_dcontext, numbers + warp_row, warp_first,
                     key_tile, key_tile + tile_size<kWidth>(kKeys), key, dqueries);
  }

  float factors[kRows][2];
#pragma unroll
  for (int m = 0; m < kRows; ++m) factors[m][0] = factors[m][1] = at.scale;
  store_rows<kWidth>(dqueries, factors, warp_queries,
                     at.queries(dqkv, work.sequence, group, head_of_group), warp_first,
                     at.head_width);
}

}  // namespace pippin::probes::cuda
