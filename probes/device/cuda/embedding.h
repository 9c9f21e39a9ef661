// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/elementwise.h"
#include "probes/device/device.h"

namespace pippin::probes::cuda {

/// The row of the table that a token has here; negative where it is another rank's.
__device__ inline std::int64_t table_row(const VocabPart& part, std::int32_t token) {
  const std::int64_t row = token - part.first;
  return row < part.rows ? row : -1;
}

template <typename T>
struct Embed {
  std::int64_t width;
  VocabPart part;
  const std::int32_t* tokens;
  const T* table;
  T* x;

  template <int kCount>
  __device__ One<T, kCount> load(std::int64_t i) const {
    const std::int64_t row = i / width, from = table_row(part, tokens[row]);
    if (from >= 0) return {load_pack<kCount>(table + from * width + (i - row * width))};
    One<T, kCount> zeros;
#pragma unroll
    for (int j = 0; j < kCount; ++j) zeros.x.at[j] = T(0.0F);
    return zeros;
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const One<T, kCount>& loaded) const {
    store_pack<kCount>(x + i, loaded.x);
  }
};

/// Tokens come again, in several rows: these sums, and no others, are taken in the order in which
/// the rows happen to come, so they differ from run to run by rounding.
template <typename T>
struct EmbedBackward {
  std::int64_t width;
  VocabPart part;
  const std::int32_t* tokens;
  const T* dx;
  float* dtable;

  template <int kCount>
  __device__ One<T, kCount> load(std::int64_t i) const {
    return {load_pack<kCount>(dx + i)};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const One<T, kCount>& loaded) const {
    const std::int64_t row = i / width, to = table_row(part, tokens[row]);
    if (to < 0) return;
    float* sums = dtable + to * width + (i - row * width);
#pragma unroll
    for (int j = 0; j < kCount; ++j) atomicAdd(sums + j, static_cast<float>(loaded.x.at[j]));
  }
};

template <typename T>
struct AddPositions {
  std::int64_t first, seq, width;
  const T* positions;
  T* x;

  template <int kCount>
  __device__ Two<T, kCount> load(std::int64_t i) const {
    const std::int64_t row = i / width, position = (first + row) % seq;
    return {load_pack<kCount>(x + i),
            load_pack<kCount>(positions + position * width + (i - row * width))};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Two<T, kCount>& loaded) const {
    Pack<T, kCount> made;
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      made.at[j] = T(static_cast<float>(loaded.x.at[j]) + static_cast<float>(loaded.y.at[j]));
    store_pack<kCount>(x + i, made);
  }
};

/// Element i of the positions' gradients gets those of all its rows, in their order.
template <typename T>
struct PositionsBackward {
  std::int64_t rows, first, seq, width;
  const T* dx;
  float* dpositions;

  template <int kCount>
  __device__ One<float, kCount> load(std::int64_t i) const {
    const std::int64_t position = i / width, column = i - position * width;
    One<float, kCount> sum;
#pragma unroll
    for (int j = 0; j < kCount; ++j) sum.x.at[j] = 0;
    // The first row that has this position: first + row = position, modulo seq.
    for (std::int64_t row = (position + seq - first % seq) % seq; row < rows; row += seq) {
      const auto values = load_pack<kCount>(dx + row * width + column);
#pragma unroll
      for (int j = 0; j < kCount; ++j) sum.x.at[j] += static_cast<float>(values.at[j]);
    }
    return sum;
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const One<float, kCount>& loaded) const {
    auto sums = load_pack<kCount>(dpositions + i);
#pragma unroll
    for (int j = 0; j < kCount; ++j) sums.at[j] += loaded.x.at[j];
    store_pack<kCount>(dpositions + i, sums);
  }
};

}  // namespace pippin::probes::cuda
