// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace pippin::probes::cuda {

/// What one block of a grid works on: rows of one head of one sequence, or of one part of a group.
struct AttentionWork {
  int head, sequence, block;
};

/// Which work the blocks of a grid have, in the order in which they start. They go through sections
/// of the heads: what a section's blocks read again and again stays in the L2 cache. In a section
/// all heads' first rows come first, then their second ones: the longest work must begin first, or
/// it ends last and alone.
struct AttentionOrder {
  int heads;    ///< of a sequence
  int places;   ///< heads of all sequences
  int blocks;   ///< of a head
  int section;  ///< heads of a section; the last may have fewer

  /// `bytes`: what the blocks of all heads share, divided into sections of at most `limit`.
  AttentionOrder(std::int64_t heads_, std::int64_t sequences, std::int64_t blocks_,
                 std::int64_t bytes, std::int64_t limit)
      : heads(static_cast<int>(heads_)),
        places(static_cast<int>(heads_ * sequences)),
        blocks(static_cast<int>(blocks_)) {
    const std::int64_t sections = std::max<std::int64_t>((bytes + limit - 1) / limit, 1);
    section = static_cast<int>((heads_ * sequences + sections - 1) / sections);
  }

  std::int64_t size() const { return std::int64_t{places} * blocks; }

  __host__ __device__ AttentionWork work(unsigned index) const {
    const int i = static_cast<int>(index), first = i / (section * blocks) * section,
              of_section = section < places - first ? section : places - first,
              in_section = i - first * blocks, place = first + in_section % of_section;
    return {place % heads, place / heads, in_section / of_section};
  }
};

}  // namespace pippin::probes::cuda
