// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "probes/device/arithmetic.h"
#include "probes/device/attention_shape.h"
#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/pack.h"

namespace pippin::probes::cuda {

/// Rotary positions. Shape: seq × (cosines, sines) of a head's pairs.
inline std::vector<float> rotary_table(const AttentionShape& s) {
  const std::int64_t half = s.head_width / 2;
  std::vector<float> table(static_cast<std::size_t>(s.seq * 2 * half));
  for (std::int64_t position = 0; position < s.seq; ++position)
    for (std::int64_t i = 0; i < half; ++i) {
      // In double: an angle of thousands of radians has few digits left in float.
      const double angle = static_cast<double>(position) * rotary_frequency(i, s.head_width);
      const auto at = static_cast<std::size_t>(position * 2 * half + i);
      table[at] = static_cast<float>(std::cos(angle));
      table[at + static_cast<std::size_t>(half)] = static_cast<float>(std::sin(angle));
    }
  return table;
}

/// A block does a row: a thread keeps its angles for the pairs of several queries and keys.
template <typename T, int kCount>
__global__ void __launch_bounds__(256)
    rotate_rows(AttentionShape shape, float sign, const float* table, T* qkv) {
  const std::int64_t half = shape.head_width / 2;
  const int packs = static_cast<int>(half / kCount),
            of_group = static_cast<int>(shape.heads / shape.groups);
  const int vectors = static_cast<int>(shape.groups) * (of_group + 1);
  const float* angles = table + blockIdx.x % shape.seq * shape.head_width;
  T* row = qkv + std::int64_t{blockIdx.x} * (shape.heads + 2 * shape.groups) * shape.head_width;
  const int step =
      static_cast<int>(blockDim.x) / packs > 0 ? static_cast<int>(blockDim.x) / packs : 1;
  // Threads beyond the last whole vector rest; a head wider than the block takes several rounds.
  if (static_cast<int>(threadIdx.x) >= step * packs) return;
  for (int p = static_cast<int>(threadIdx.x) % packs; p < packs;
       p += static_cast<int>(blockDim.x)) {
    const auto cosine = load_pack<kCount>(angles + p * kCount);
    const auto sine = load_pack<kCount>(angles + half + p * kCount);
    for (int v = static_cast<int>(threadIdx.x) / packs; v < vectors; v += step) {
      // After a group's queries and its key comes its value, which is not turned.
      T* low = row + (v + v / (of_group + 1)) * shape.head_width + p * kCount;
      const auto a = load_pack<kCount>(low), b = load_pack<kCount>(low + half);
      Pack<T, kCount> turned_a, turned_b;
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        const float c = cosine.at[j], s = sign * sine.at[j], x = a.at[j], y = b.at[j];
        turned_a.at[j] = T(x * c - y * s);
        turned_b.at[j] = T(x * s + y * c);
      }
      store_pack<kCount>(low, turned_a);
      store_pack<kCount>(low + half, turned_b);
    }
  }
}

template <typename T>
void start_rotate(cudaStream_t stream, const AttentionShape& shape, int turns, const float* table,
                  T* qkv) {
  constexpr int kCount = kLanes<T>;
  if (shape.head_width < 2) return;
  const bool packs = shape.head_width / 2 % kCount == 0 && shape.head_width % 2 == 0 &&
                     are_aligned<kCount>(static_cast<const T*>(qkv), table);
  launch(stream, {shape.rows(), 256, 0, "rotate"},
         packs ? rotate_rows<T, kCount> : rotate_rows<T, 1>, shape, static_cast<float>(turns),
         table, qkv);
}

}  // namespace pippin::probes::cuda
