// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pippin::probes {

/// Causal grouped-query attention over a batch of sequences. Where the heads are split over ranks
/// these are one rank's.
/// Shape: qkv rows × groups × (the group's queries, its key, its value) × head_width, Megatron's
/// order, so that tensor-parallel ranks own whole columns; probabilities batch × heads × seq × seq;
/// context rows × width.
struct AttentionShape {
  std::int64_t batch, seq, heads, groups, head_width;

  std::int64_t rows() const { return batch * seq; }
  std::int64_t width() const { return heads * head_width; }
  std::int64_t heads_of_group() const { return heads / groups; }
  std::int64_t qkv_width() const { return (heads + 2 * groups) * head_width; }
};

}  // namespace pippin::probes
