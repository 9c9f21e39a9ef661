#include "probes/collective/check.h"

#include <algorithm>
#include <cstring>

namespace pippin::probes {

Pattern::Pattern(int ranks, std::uint32_t round, Element element)
    : ranks_(ranks), shift_(round * 2246822519U), narrow_(bytes_of(element) == 2) {
  for (int rank = 0; rank < ranks; ++rank) {
    sum_of_ranks_ += of_rank(rank);
    largest_of_ranks_ = std::max<double>(largest_of_ranks_, of_rank(rank));
  }
}

double Pattern::sum(std::int64_t i) const {
  if (!narrow_) return static_cast<double>(ranks_) * of_element(i) + sum_of_ranks_;
  double sum = 0;
  for (int k = 0; k < std::min(kFew, ranks_); ++k) sum += value(adder(i, k), i);
  return sum;
}

double Pattern::largest(std::int64_t i) const {
  if (!narrow_) return of_element(i) + largest_of_ranks_;
  double largest = 0;
  for (int k = 0; k < std::min(kFew, ranks_); ++k)
    largest = std::max(largest, value(adder(i, k), i));
  return largest;
}

namespace {

double reduced(const CollectiveCall& call, const Pattern& pattern, std::int64_t i) {
  return call.reduction == Reduction::kSum ? pattern.sum(i) : pattern.largest(i);
}

std::int64_t inputs_of(const CollectiveCall& call, int ranks) {
  const bool all_parts =
      call.operation == Operation::kReduceScatter || call.operation == Operation::kAllToAll;
  return call.count * (all_parts ? ranks : 1);
}

std::int64_t results_of(const CollectiveCall& call, int ranks) {
  const bool all_parts =
      call.operation == Operation::kAllGather || call.operation == Operation::kAllToAll;
  return call.count * (all_parts ? ranks : 1);
}

/// Exact: the pattern's numbers are small.
template <typename T>
T number(double value) {
  return T(static_cast<Wide<T>>(value));
}

template <typename T>
void fill_as(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
             unsigned char* place) {
  T* data = reinterpret_cast<T*>(place);
  const std::int64_t count = inputs_of(call, ranks);
  const bool reduces = kind_of(call.operation).reduces;
  for (std::int64_t i = 0; i < count; ++i)
    data[i] = number<T>(reduces ? pattern.term(rank, i) : pattern.value(rank, i));
}

template <typename T>
std::int64_t count_wrong_as(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
                            const unsigned char* place) {
  const T* data = reinterpret_cast<const T*>(place);
  const std::int64_t count = results_of(call, ranks);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i)
    wrong += data[i] != number<T>(expected(call, pattern, rank, ranks, i));
  return wrong;
}

}  // namespace

double expected(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
                std::int64_t i) {
  switch (call.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
      return reduced(call, pattern, i);
    case Operation::kReduceScatter:
      return reduced(call, pattern, rank * call.count + i);
    case Operation::kBroadcast:
      return pattern.value(call.root, i);
    case Operation::kAllGather:
      return pattern.value(static_cast<int>(i / call.count), i % call.count);
    case Operation::kAllToAll:
      return pattern.value(static_cast<int>(i / call.count), rank * call.count + i % call.count);
    case Operation::kSendRecv:
      return pattern.value((rank + ranks - 1) % ranks, i);
  }
  return 0;
}

void fill(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
          CollectiveBuffers& buffers) {
  const auto bytes = static_cast<std::size_t>(bytes_of(call, ranks));
  std::memset(buffers.send.data(), 0, bytes);
  std::memset(buffers.receive.data(), 0, bytes);
  unsigned char* place = input_of(call, rank, buffers);
  if (!place) return;
  switch (call.element) {
    case Element::kByte:
      return fill_as<unsigned char>(call, pattern, rank, ranks, place);
    case Element::kFloat:
      return fill_as<float>(call, pattern, rank, ranks, place);
    case Element::kDouble:
      return fill_as<double>(call, pattern, rank, ranks, place);
    case Element::kHalf:
      return fill_as<Half>(call, pattern, rank, ranks, place);
    case Element::kBFloat16:
      return fill_as<BFloat16>(call, pattern, rank, ranks, place);
  }
}

std::int64_t count_wrong(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
                         CollectiveBuffers& buffers) {
  const unsigned char* place = result_of(call, rank, buffers);
  if (!place) return 0;
  switch (call.element) {
    case Element::kByte:
      return count_wrong_as<unsigned char>(call, pattern, rank, ranks, place);
    case Element::kFloat:
      return count_wrong_as<float>(call, pattern, rank, ranks, place);
    case Element::kDouble:
      return count_wrong_as<double>(call, pattern, rank, ranks, place);
    case Element::kHalf:
      return count_wrong_as<Half>(call, pattern, rank, ranks, place);
    case Element::kBFloat16:
      return count_wrong_as<BFloat16>(call, pattern, rank, ranks, place);
  }
  return 0;
}

}  // namespace pippin::probes
