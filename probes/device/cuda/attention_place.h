// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

#include "probes/device/attention_shape.h"

namespace pippin::probes::cuda {

/// One head's rows of a matrix.
template <typename T>
struct Rows {
  T* first;
  int step;  ///< numbers from a row to the next
  int count;

  __device__ T* row(int i) const { return first + static_cast<std::int64_t>(i) * step; }
};

/// Where attention's kernels find one head of one sequence. Shape: AttentionShape's.
struct AttentionPlace {
  int batch, seq, heads, groups, heads_of_group, head_width;
  float scale;   ///< of scores
  float scale2;  ///< of scores whose exponential is taken by powers of 2

  explicit AttentionPlace(const AttentionShape& shape)
      : batch(static_cast<int>(shape.batch)),
        seq(static_cast<int>(shape.seq)),
        heads(static_cast<int>(shape.heads)),
        groups(static_cast<int>(shape.groups)),
        heads_of_group(static_cast<int>(shape.heads_of_group())),
        head_width(static_cast<int>(shape.head_width)),
        scale(1.0F / std::sqrt(static_cast<float>(head_width))),
        scale2(scale * 1.4426950408889634F) {}  // log2(e)

  /// `head`: of the group.
  template <typename T>
  __device__ Rows<T> queries(T* qkv, int sequence, int group, int head) const {
    return part(qkv, sequence, group, head);
  }
  template <typename T>
  __device__ Rows<T> keys(T* qkv, int sequence, int group) const {
    return part(qkv, sequence, group, heads_of_group);
  }
  template <typename T>
  __device__ Rows<T> values(T* qkv, int sequence, int group) const {
    return part(qkv, sequence, group, heads_of_group + 1);
  }
  template <typename T>
  __device__ Rows<T> context(T* context, int sequence, int head) const {
    const int step = heads * head_width;
    return {context + static_cast<std::int64_t>(sequence) * seq * step + head * head_width, step,
            seq};
  }
  /// One number for each of the head's queries, of an array batch × heads × seq.
  template <typename T>
  __device__ T* per_query(T* numbers, int sequence, int head) const {
    return numbers + (static_cast<std::int64_t>(sequence) * heads + head) * seq;
  }

 private:
  template <typename T>
  __device__ Rows<T> part(T* qkv, int sequence, int group, int index) const {
    const int kinds = heads_of_group + 2, step = groups * kinds * head_width;
    return {qkv + static_cast<std::int64_t>(sequence) * seq * step +
                (group * kinds + index) * head_width,
            step, seq};
  }
};

__host__ __device__ constexpr int blocks_of(int count, int size) {
  return (count + size - 1) / size;
}

}  // namespace pippin::probes::cuda
