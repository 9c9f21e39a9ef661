// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/check.h"

#include <algorithm>

#include "probes/collective/memory_space.h"

namespace pippin::probes {

Pattern::Pattern(int ranks, std::uint32_t round, Element element)
    : ranks_(ranks), shift_(round * 2246822519U), narrow_(bytes_of(element) == 2) {
  for (int rank = 0; rank < ranks; ++rank) {
    sum_of_ranks_ += of_rank(rank);
    largest_of_ranks_ = std::max<double>(largest_of_ranks_, of_rank(rank));
  }
}

KnownData::KnownData(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks)
    : call_(call),
      pattern_(pattern),
      rank_(rank),
      ranks_(ranks),
      reduces_(kind_of(call.operation).reduces) {}

std::int64_t KnownData::inputs() const {
  const bool all_parts =
      call_.operation == Operation::kReduceScatter || call_.operation == Operation::kAllToAll;
  return call_.count * (all_parts ? ranks_ : 1);
}

std::int64_t KnownData::results() const {
  const bool all_parts =
      call_.operation == Operation::kAllGather || call_.operation == Operation::kAllToAll;
  return call_.count * (all_parts ? ranks_ : 1);
}

void fill(const KnownData& data, CollectiveBuffers& buffers) {
  const std::int64_t bytes = bytes_of(data.call(), data.ranks());
  buffers.space.clear(buffers.send.data(), bytes);
  buffers.space.clear(buffers.receive.data(), bytes);
  if (unsigned char* place = input_of(data.call(), data.rank(), buffers))
    buffers.space.fill(data, place);
}

std::int64_t count_wrong(const KnownData& data, CollectiveBuffers& buffers) {
  const unsigned char* place = result_of(data.call(), data.rank(), buffers);
  return place ? buffers.space.count_wrong(data, place) : 0;
}

}  // namespace pippin::probes
