// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/device/cuda/attention_order.h"
#include "probes/device/cuda/attention_place.h"
#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/warp.h"

namespace pippin::probes::cuda {

// Attention in float by plain arithmetic, for numbers and widths that tensor cores do not take. The
// algorithms are those of attention_forward.h and attention_backward.h.

/// 32 × 32 scores at a time. Eight threads of one warp share a row: thread c of them has columns c,
/// c + 8, … of everything that has this row.
struct PlainTiles {
  static constexpr int kRows = 32, kShare = 8, kThreads = kRows * kShare;
  static constexpr int kScores = kRows / kShare;  ///< of a thread
  static constexpr int kScoreStep = kRows + 1;

  /// Odd: the rows that a warp reads at once begin in different banks.
  __host__ __device__ static constexpr int step(int width) { return width | 1; }
  __host__ __device__ static constexpr int tile_size(int width) { return kRows * step(width); }
  static constexpr int shared_bytes(int tiles, int score_tiles, int width) {
    return (tiles * tile_size(width) + score_tiles * kRows * kScoreStep) *
           static_cast<int>(sizeof(float));
  }
};

__device__ inline int plain_row() { return static_cast<int>(threadIdx.x) / PlainTiles::kShare; }
__device__ inline int plain_column() { return static_cast<int>(threadIdx.x) % PlainTiles::kShare; }

/// Copies 32 rows from `first` on; zeros beyond the last.
template <typename T>
__device__ void load_plain(const Rows<const T>& from, int first, int width, float* tile) {
  for (int row = static_cast<int>(threadIdx.x) / kWarp; row < PlainTiles::kRows;
       row += PlainTiles::kThreads / kWarp)
    for (int column = lane_index(); column < width; column += kWarp)
      tile[row * PlainTiles::step(width) + column] =
          first + row < from.count ? static_cast<float>(from.row(first + row)[column]) : 0;
}

/// This thread's part of a·bᵀ. Requires: both are 32 rows.
__device__ inline void multiply_plain(const float* a, const float* b, int width,
                                      float (&sums)[PlainTiles::kScores]) {
  const int step = PlainTiles::step(width);
  const float *a_row = a + plain_row() * step, *b_row = b + plain_column() * step;
#pragma unroll
  for (float& sum : sums) sum = 0;
  for (int k = 0; k < width; ++k)
#pragma unroll
    for (int i = 0; i < PlainTiles::kScores; ++i)
      sums[i] += a_row[k] * b_row[i * PlainTiles::kShare * step + k];
}

/// Adds this thread's part of factors·b. Requires: its warp has stored the factors.
template <int kColumns>
__device__ void add_plain_product(const float* factors, const float* b, int width,
                                  float (&sums)[kColumns]) {
  const float *row = factors + plain_row() * PlainTiles::kScoreStep, *own = b + plain_column();
  for (int k = 0; k < PlainTiles::kRows; ++k)
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      if (j * PlainTiles::kShare + plain_column() < width)
        sums[j] += row[k] * own[k * PlainTiles::step(width) + j * PlainTiles::kShare];
}

template <typename T, int kColumns>
__device__ void store_plain(const float (&sums)[kColumns], float factor, int width,
                            const Rows<T>& to, int row) {
  if (row >= to.count) return;
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    const int column = j * PlainTiles::kShare + plain_column();
    if (column < width) to.row(row)[column] = static_cast<T>(sums[j] * factor);
  }
}

/// Over the threads that share a row.
template <typename Combine>
__device__ float of_plain_row(float value) {
#pragma unroll
  for (int bits = PlainTiles::kShare / 2; bits > 0; bits /= 2)
    value = Combine()(value, __shfl_xor_sync(kAllLanes, value, bits));
  return value;
}

/// See flash_forward(). Requires: head_width at most 8·kColumns, as for all that follow.
template <typename T, int kColumns>
__global__ void __launch_bounds__(PlainTiles::kThreads)
    attention_plain(AttentionPlace at, AttentionOrder order, const T* qkv, float* kept,
                    T* context) {
  constexpr int kRows = PlainTiles::kRows;
  const AttentionWork work = order.work(blockIdx.x);
  const int group = work.head / at.heads_of_group, width = at.head_width;
  float* query_tile = dynamic_shared<float>();
  float *key_tile = query_tile + PlainTiles::tile_size(width),
        *value_tile = key_tile + PlainTiles::tile_size(width),
        *score_tile = value_tile + PlainTiles::tile_size(width);
  float* own_scores = score_tile + plain_row() * PlainTiles::kScoreStep + plain_column();

  const int first = (blocks_of(at.seq, kRows) - 1 - work.block) * kRows,
            query = first + plain_row();
  float largest = -INFINITY, sum = 0, outs[kColumns] = {};
  load_plain(at.queries(qkv, work.sequence, group, work.head % at.heads_of_group), first, width,
             query_tile);
  for (int key = 0; key <= first; key += kRows) {
    __syncthreads();  // the tiles before were used
    load_plain(at.keys(qkv, work.sequence, group), key, width, key_tile);
    load_plain(at.values(qkv, work.sequence, group), key, width, value_tile);
    __syncthreads();
    float scores[PlainTiles::kScores];
    multiply_plain(query_tile, key_tile, width, scores);
    float now = largest;
#pragma unroll
    for (int i = 0; i < PlainTiles::kScores; ++i) {
      if (key + i * PlainTiles::kShare + plain_column() > query) scores[i] = -INFINITY;
      now = fmaxf(now, scores[i]);
    }
    now = of_plain_row<Larger>(now);
    const float factor = exp2f((largest - now) * at.scale2);
    largest = now;
    sum *= factor;
#pragma unroll
    for (int i = 0; i < PlainTiles::kScores; ++i) {
      const float p = exp2f(scores[i] * at.scale2 - now * at.scale2);
      sum += p;
      own_scores[i * PlainTiles::kShare] = p;
    }
    __syncwarp();
#pragma unroll
    for (float& out : outs) out *= factor;
    add_plain_product(score_tile, value_tile, width, outs);
  }
  sum = of_plain_row<Plus>(sum);
  if (plain_column() == 0 && query < at.seq)
    at.per_query(kept, work.sequence, work.head)[query] = largest * at.scale2 + log2f(sum);
  store_plain(outs, 1 / sum, width, at.context(context, work.sequence, work.head), query);
}

/// See attention_backward_keys(): rows are keys, columns queries.
template <typename T, int kColumns>
__global__ void __launch_bounds__(PlainTiles::kThreads)
    attention_plain_keys(AttentionPlace at, AttentionOrder order, const T* qkv, const float* kept,
                         const float* row_sums, const T* dcontext, T* dqkv) {
  constexpr int kRows = PlainTiles::kRows;
  const AttentionWork work = order.work(blockIdx.x);  // head: the group
  const int width = at.head_width, first = work.block * kRows, key = first + plain_row();
  float* key_tile = dynamic_shared<float>();
  float *value_tile = key_tile + PlainTiles::tile_size(width),
        *query_tile = value_tile + PlainTiles::tile_size(width),
        *dcontext_tile = query_tile + PlainTiles::tile_size(width),
        *score_tile = dcontext_tile + PlainTiles::tile_size(width),
        *dscore_tile = score_tile + kRows * PlainTiles::kScoreStep;
  const int own = plain_row() * PlainTiles::kScoreStep + plain_column();

  float dkeys[kColumns] = {}, dvalues[kColumns] = {};
  load_plain(at.keys(qkv, work.sequence, work.head), first, width, key_tile);
  load_plain(at.values(qkv, work.sequence, work.head), first, width, value_tile);
  const int blocks = blocks_of(at.seq - first, kRows);
  for (int step = 0; step < blocks * at.heads_of_group; ++step) {
    const int head_of_group = step / blocks, head = work.head * at.heads_of_group + head_of_group,
              first_query = first + step % blocks * kRows;
    __syncthreads();  // the tiles before were used
    load_plain(at.queries(qkv, work.sequence, work.head, head_of_group), first_query, width,
               query_tile);
    load_plain(at.context(dcontext, work.sequence, head), first_query, width, dcontext_tile);
    __syncthreads();
    float scores[PlainTiles::kScores], dscores[PlainTiles::kScores];
    multiply_plain(key_tile, query_tile, width, scores);
    multiply_plain(value_tile, dcontext_tile, width, dscores);
#pragma unroll
    for (int i = 0; i < PlainTiles::kScores; ++i) {
      const int query = first_query + i * PlainTiles::kShare + plain_column();
      const bool counts = key <= query && query < at.seq;
      const float p =
          counts ? exp2f(scores[i] * at.scale2 - at.per_query(kept, work.sequence, head)[query])
                 : 0;
      const float sum = counts ? at.per_query(row_sums, work.sequence, head)[query] : 0;
      score_tile[own + i * PlainTiles::kShare] = p;
      dscore_tile[own + i * PlainTiles::kShare] = p * (dscores[i] - sum);
    }
    __syncwarp();
    add_plain_product(score_tile, dcontext_tile, width, dvalues);
    add_plain_product(dscore_tile, query_tile, width, dkeys);
  }
  store_plain(dkeys, at.scale, width, at.keys(dqkv, work.sequence, work.head), key);
  store_plain(dvalues, 1, width, at.values(dqkv, work.sequence, work.head), key);
}

/// See attention_backward_queries().
template <typename T, int kColumns>
__global__ void __launch_bounds__(PlainTiles::kThreads)
    attention_plain_queries(AttentionPlace at, AttentionOrder order, const T* qkv,
                            const float* kept, const float* row_sums, const T* dcontext, T* dqkv) {
  constexpr int kRows = PlainTiles::kRows;
  const AttentionWork work = order.work(blockIdx.x);
  const int group = work.head / at.heads_of_group, width = at.head_width;
  float* query_tile = dynamic_shared<float>();
  float *dcontext_tile = query_tile + PlainTiles::tile_size(width),
        *key_tile = dcontext_tile + PlainTiles::tile_size(width),
        *value_tile = key_tile + PlainTiles::tile_size(width),
        *dscore_tile = value_tile + PlainTiles::tile_size(width);
  float* own_dscores = dscore_tile + plain_row() * PlainTiles::kScoreStep + plain_column();

  const int first = (blocks_of(at.seq, kRows) - 1 - work.block) * kRows,
            query = first + plain_row();
  const bool is_valid = query < at.seq;
  const float kept_of = is_valid ? at.per_query(kept, work.sequence, work.head)[query] : INFINITY;
  const float sum = is_valid ? at.per_query(row_sums, work.sequence, work.head)[query] : 0;
  float dqueries[kColumns] = {};
  load_plain(at.queries(qkv, work.sequence, group, work.head % at.heads_of_group), first, width,
             query_tile);
  load_plain(at.context(dcontext, work.sequence, work.head), first, width, dcontext_tile);
  for (int first_key = 0; first_key <= first; first_key += kRows) {
    __syncthreads();  // the tiles before were used
    load_plain(at.keys(qkv, work.sequence, group), first_key, width, key_tile);
    load_plain(at.values(qkv, work.sequence, group), first_key, width, value_tile);
    __syncthreads();
    float scores[PlainTiles::kScores], dscores[PlainTiles::kScores];
    multiply_plain(query_tile, key_tile, width, scores);
    multiply_plain(dcontext_tile, value_tile, width, dscores);
#pragma unroll
    for (int i = 0; i < PlainTiles::kScores; ++i) {
      const int key = first_key + i * PlainTiles::kShare + plain_column();
      const float p = key <= query ? exp2f(scores[i] * at.scale2 - kept_of) : 0;
      own_dscores[i * PlainTiles::kShare] = p * (dscores[i] - sum);
    }
    __syncwarp();
    add_plain_product(dscore_tile, key_tile, width, dqueries);
  }
  store_plain(dqueries, at.scale, width,
              at.queries(dqkv, work.sequence, group, work.head % at.heads_of_group), query);
}

}  // namespace pippin::probes::cuda
