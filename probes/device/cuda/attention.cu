// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "probes/device/cuda/attention.h"
#include "probes/device/cuda/attention_backward.h"
#include "probes/device/cuda/attention_forward.h"
#include "probes/device/cuda/attention_plain.h"
#include "probes/device/cuda/launch.h"

namespace pippin::probes::cuda {

namespace {

template <int value>
using Constant = std::integral_constant<int, value>;

/// Calls `use` with the width of tiles that hold a head.
template <typename Use>
void with_tile_width(std::int64_t head_width, const Use& use) {
  if (head_width <= 32) return use(Constant<32>());
  if (head_width <= 64) return use(Constant<64>());
  if (head_width <= 96) return use(Constant<96>());
  use(Constant<128>());
}

/// Calls `use` with the columns of a head that one thread of a plain kernel has.
template <typename Use>
void with_plain_columns(std::int64_t head_width, const Use& use) {
  if (head_width <= 64) return use(Constant<64 / PlainTiles::kShare>());
  if (head_width <= 128) return use(Constant<128 / PlainTiles::kShare>());
  if (head_width <= 256) return use(Constant<256 / PlainTiles::kShare>());
  throw Error(ExitCode::kBadInput, "attention: heads of width " + std::to_string(head_width) +
                                       ": a GPU's kernels take at most 256; use more heads");
}

template <typename T>
constexpr bool kHasTensorCores = !std::is_same_v<T, float>;

bool fits_tensor_cores(const AttentionShape& s) {
  return s.head_width % 8 == 0 && s.head_width <= 128;
}

/// Blocks of `size` queries each, which share keys and values.
template <typename T>
AttentionOrder query_order(const AttentionShape& s, int size, std::int64_t section_bytes) {
  const std::int64_t bytes = 2 * s.rows() * s.groups * s.head_width * sizeof(T);
  return {s.heads, s.batch, (s.seq + size - 1) / size, bytes, section_bytes};
}

/// Blocks of `size` keys for each of a group's parts, which share queries and the context's
/// gradients.
template <typename T>
AttentionOrder key_order(const AttentionShape& s, int parts, int size, std::int64_t section_bytes) {
  const std::int64_t bytes = 2 * s.rows() * s.width() * sizeof(T);
  return {s.groups * parts, s.batch, (s.seq + size - 1) / size, bytes, section_bytes};
}

/// Blocks of keys that a GPU should have: several for each place, since they are of unequal length.
/// An H200 has 132 SMs, on each of which two blocks run at a time.
constexpr std::int64_t kKeyBlocks = 512;

KeyParts key_parts(const AttentionShape& s, float* sums) {
  if (!fits_tensor_cores(s)) return {1, static_cast<int>(s.heads_of_group()), sums};
  const std::int64_t blocks = (s.seq + KeyTiles::kKeys - 1) / KeyTiles::kKeys * s.groups * s.batch,
                     wanted = std::clamp((kKeyBlocks + blocks - 1) / blocks, std::int64_t{1},
                                         s.heads_of_group()),
                     heads = (s.heads_of_group() + wanted - 1) / wanted;
  return {static_cast<int>((s.heads_of_group() + heads - 1) / heads), static_cast<int>(heads),
          sums};
}

/// Of all parts.
std::int64_t key_sums(const AttentionShape& s) {
  const int parts = key_parts(s, nullptr).count;
  return parts > 1 ? parts * s.rows() * s.groups * 2 * s.head_width : 0;
}

/// Of the scratch; what follows begins at a multiple of 16 bytes.
std::int64_t row_sums(const AttentionShape& s) { return (s.batch * s.heads * s.seq + 3) / 4 * 4; }

template <typename T, int kCount>
void add_up_rows(cudaStream_t stream, const AttentionShape& s, const T* context, const T* dcontext,
                 float* row_sums) {
  constexpr std::int64_t kMostThreads = 256;
  int share = 1;
  while (share < kWarp && share * kCount < s.head_width) share *= 2;
  const std::int64_t warps = (s.heads * share + kWarp - 1) / kWarp;
  launch(stream,
         {s.rows(), static_cast<int>(std::min(warps * kWarp, kMostThreads)), 0,
          "attention's row sums"},
         &attention_row_sums<T, kCount>, AttentionPlace(s), share, context, dcontext, row_sums);
}

template <typename T>
void forward_by_tensor_cores(cudaStream_t stream, const AttentionShape& s, const T* qkv,
                             float* kept, T* context, std::int64_t section_bytes) {
  using Tiles = ForwardTiles;
  const AttentionOrder order = query_order<T>(s, Tiles::kQueries, section_bytes);
  with_tile_width(s.head_width, [&](auto width) {
    launch(stream, {order.size(), Tiles::kThreads, Tiles::shared_bytes<T, width>(), "attention"},
           &flash_forward<T, width>, AttentionPlace(s), order, qkv, kept, context);
  });
}

template <typename T>
void backward_by_tensor_cores(cudaStream_t stream, const AttentionShape& s, const T* qkv,
                              const float* kept, float* scratch, const T* dcontext, T* dqkv,
                              std::int64_t section_bytes) {
  const KeyParts parts = key_parts(s, scratch + row_sums(s));
  const AttentionOrder keys = key_order<T>(s, parts.count, KeyTiles::kKeys, section_bytes),
                       queries = query_order<T>(s, QueryTiles::kQueries, section_bytes);
  with_tile_width(s.head_width, [&](auto width) {
    launch(stream,
           {keys.size(), KeyTiles::kThreads, KeyTiles::shared_bytes<T, width>(),
            "attention's gradients of keys and values"},
           &attention_backward_keys<T, width>, AttentionPlace(s), keys, qkv, kept, scratch,
           dcontext, parts, dqkv);
    launch(stream,
           {queries.size(), QueryTiles::kThreads, QueryTiles::shared_bytes<T, width>(),
            "attention's gradients of queries"},
           &attention_backward_queries<T, width>, AttentionPlace(s), queries, qkv, kept, scratch,
           dcontext, dqkv);
  });
  if (parts.count == 1) return;
  constexpr int kThreads = 256;
  const std::int64_t sums = s.rows() * s.groups * 2 * s.head_width;
  launch(stream,
         {(sums + kThreads - 1) / kThreads, kThreads, 0, "attention's sums over parts of groups"},
         &attention_add_parts<T>, AttentionPlace(s), parts, dqkv);
}

template <typename T>
void plain_forward(cudaStream_t stream, const AttentionShape& s, const T* qkv, float* kept,
                   T* context, std::int64_t section_bytes) {
  const int width = static_cast<int>(s.head_width);
  const AttentionOrder order = query_order<T>(s, PlainTiles::kRows, section_bytes);
  with_plain_columns(s.head_width, [&](auto columns) {
    launch(stream,
           {order.size(), PlainTiles::kThreads, PlainTiles::shared_bytes(3, 1, width),
            "plain attention"},
           &attention_plain<T, columns>, AttentionPlace(s), order, qkv, kept, context);
  });
}

template <typename T>
void plain_backward(cudaStream_t stream, const AttentionShape& s, const T* qkv, const float* kept,
                    const float* row_sums, const T* dcontext, T* dqkv, std::int64_t section_bytes) {
  const int width = static_cast<int>(s.head_width);
  const AttentionOrder keys = key_order<T>(s, 1, PlainTiles::kRows, section_bytes),
                       queries = query_order<T>(s, PlainTiles::kRows, section_bytes);
  with_plain_columns(s.head_width, [&](auto columns) {
    launch(stream,
           {keys.size(), PlainTiles::kThreads, PlainTiles::shared_bytes(4, 2, width),
            "plain attention's gradients of keys, values"},
           &attention_plain_keys<T, columns>, AttentionPlace(s), keys, qkv, kept, row_sums,
           dcontext, dqkv);
    launch(stream,
           {queries.size(), PlainTiles::kThreads, PlainTiles::shared_bytes(4, 1, width),
            "plain attention's gradients of queries"},
           &attention_plain_queries<T, columns>, AttentionPlace(s), queries, qkv, kept, row_sums,
           dcontext, dqkv);
  });
}

}  // namespace

std::int64_t attention_kept(const AttentionShape& s) { return s.batch * s.heads * s.seq; }

std::int64_t attention_scratch(const AttentionShape& s) { return row_sums(s) + key_sums(s); }

template <typename T>
void start_attention(cudaStream_t stream, const AttentionShape& s, const T* qkv, float* kept,
                     T* context, std::int64_t section_bytes) {
  if constexpr (kHasTensorCores<T>)
    if (fits_tensor_cores(s))
      return forward_by_tensor_cores(stream, s, qkv, kept, context, section_bytes);
  plain_forward(stream, s, qkv, kept, context, section_bytes);
}

template <typename T>
void start_attention_backward(cudaStream_t stream, const AttentionShape& s, const T* qkv,
                              const float* kept, const T* context, const T* dcontext,
                              float* scratch, T* dqkv, std::int64_t section_bytes) {
  constexpr int kCount = kLanes<T>;
  if (s.head_width % kCount == 0 && are_aligned<kCount>(context, dcontext))
    add_up_rows<T, kCount>(stream, s, context, dcontext, scratch);
  else
    add_up_rows<T, 1>(stream, s, context, dcontext, scratch);
  if constexpr (kHasTensorCores<T>)
    if (fits_tensor_cores(s))
      return backward_by_tensor_cores(stream, s, qkv, kept, scratch, dcontext, dqkv, section_bytes);
  plain_backward(stream, s, qkv, kept, scratch, dcontext, dqkv, section_bytes);
}

template void start_attention<float>(cudaStream_t, const AttentionShape&, const float*, float*,
                                     float*, std::int64_t);
template void start_attention_backward<float>(cudaStream_t, const AttentionShape&, const float*,
                                              const float*, const float*, const float*, float*,
                                              float*, std::int64_t);
template void start_attention<BFloat16>(cudaStream_t, const AttentionShape&, const BFloat16*,
                                        float*, BFloat16*, std::int64_t);
template void start_attention_backward<BFloat16>(cudaStream_t, const AttentionShape&,
                                                 const BFloat16*, const float*, const BFloat16*,
                                                 const BFloat16*, float*, BFloat16*, std::int64_t);
template void start_attention<Half>(cudaStream_t, const AttentionShape&, const Half*, float*, Half*,
                                    std::int64_t);
template void start_attention_backward<Half>(cudaStream_t, const AttentionShape&, const Half*,
                                             const float*, const Half*, const Half*, float*, Half*,
                                             std::int64_t);

}  // namespace pippin::probes::cuda
