// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/collective/operation.h"
#include "probes/common/host_device.h"

namespace pippin::probes {

/// Known data: whole numbers so small that a sum over 100,000 ranks is exact in any order, and in
/// one byte; a rank that is missing changes every sum, another rank's part every element. Numbers
/// of 16 bits hold only sums of kFew: there all other ranks add 0 to an element.
class Pattern {
 public:
  /// `round`: so that what is left of an earlier call is not right by accident.
  Pattern(int ranks, std::uint32_t round, Element element);

  /// Element `i` of what a rank gives to be moved.
  PROBES_HOST_DEVICE double value(int rank, std::int64_t i) const {
    return of_element(i) + of_rank(rank);
  }
  /// … to be reduced.
  PROBES_HOST_DEVICE double term(int rank, std::int64_t i) const {
    return adds(rank, i) ? value(rank, i) : 0;
  }
  /// Of all ranks' terms.
  PROBES_HOST_DEVICE double sum(std::int64_t i) const;
  PROBES_HOST_DEVICE double largest(std::int64_t i) const;

 private:
  static constexpr int kFew = 4;

  PROBES_HOST_DEVICE bool adds(int rank, std::int64_t i) const {
    return !narrow_ || (rank + turn(i)) % ranks_ < kFew;
  }
  PROBES_HOST_DEVICE int adders() const { return ranks_ < kFew ? ranks_ : kFew; }
  /// Of the ranks that add to element i the k-th.
  PROBES_HOST_DEVICE int adder(std::int64_t i, int k) const {
    return (k + ranks_ - turn(i)) % ranks_;
  }
  /// At most 127; where 16 bits must hold the sum, 31.
  PROBES_HOST_DEVICE int of_rank(int rank) const {
    const int most = narrow_ ? 31 : 127;
    return 1 + (rank + rank / most) % most;
  }
  /// 0 … 31.
  PROBES_HOST_DEVICE int of_element(std::int64_t i) const {
    return static_cast<int>(hash(i) >> 27);
  }
  PROBES_HOST_DEVICE int turn(std::int64_t i) const {
    return static_cast<int>((hash(i) >> 3) % ranks_);
  }
  /// Multiplicative (Knuth, TAOCP 3, 6.4): the upper bits are the good ones.
  PROBES_HOST_DEVICE std::uint32_t hash(std::int64_t i) const {
    return static_cast<std::uint32_t>(i) * 2654435761U + shift_;
  }

  int ranks_;
  std::uint32_t shift_;
  bool narrow_;
  double sum_of_ranks_ = 0, largest_of_ranks_ = 0;
};

PROBES_HOST_DEVICE double Pattern::sum(std::int64_t i) const {
  if (!narrow_) return static_cast<double>(ranks_) * of_element(i) + sum_of_ranks_;
  double sum = 0;
  for (int k = 0; k < adders(); ++k) sum += value(adder(i, k), i);
  return sum;
}

PROBES_HOST_DEVICE double Pattern::largest(std::int64_t i) const {
  if (!narrow_) return of_element(i) + largest_of_ranks_;
  double largest = 0;
  for (int k = 0; k < adders(); ++k) {
    const double own = value(adder(i, k), i);
    if (own > largest) largest = own;
  }
  return largest;
}

/// What a rank gives to a call and what the call must give it; a GPU's kernels ask, too.
class KnownData {
 public:
  KnownData(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks);

  const CollectiveCall& call() const { return call_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  std::int64_t inputs() const;   ///< elements
  std::int64_t results() const;  ///< elements

  /// Element `i` of the input as a T, which holds it exactly.
  template <typename T>
  PROBES_HOST_DEVICE T input(std::int64_t i) const {
    return exact<T>(reduces_ ? pattern_.term(rank_, i) : pattern_.value(rank_, i));
  }
  template <typename T>
  PROBES_HOST_DEVICE T result(std::int64_t i) const {
    return exact<T>(result_of(i));
  }

 private:
  template <typename T>
  PROBES_HOST_DEVICE static T exact(double value) {
    return T(static_cast<Wide<T>>(value));
  }
  PROBES_HOST_DEVICE double reduced(std::int64_t i) const {
    return call_.reduction == Reduction::kSum ? pattern_.sum(i) : pattern_.largest(i);
  }
  PROBES_HOST_DEVICE double result_of(std::int64_t i) const;

  CollectiveCall call_;
  Pattern pattern_;
  int rank_, ranks_;
  bool reduces_;
};

PROBES_HOST_DEVICE double KnownData::result_of(std::int64_t i) const {
  switch (call_.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
      return reduced(i);
    case Operation::kReduceScatter:
      return reduced(rank_ * call_.count + i);
    case Operation::kBroadcast:
      return pattern_.value(call_.root, i);
    case Operation::kAllGather:
      return pattern_.value(static_cast<int>(i / call_.count), i % call_.count);
    case Operation::kAllToAll:
      return pattern_.value(static_cast<int>(i / call_.count),
                            rank_ * call_.count + i % call_.count);
    case Operation::kSendRecv:
      return pattern_.value((rank_ + ranks_ - 1) % ranks_, i);
  }
  return 0;
}

/// Puts a rank's data in its place and clears the rest.
void fill(const KnownData& data, CollectiveBuffers& buffers);

/// Elements of a rank's result that are not what they must be.
std::int64_t count_wrong(const KnownData& data, CollectiveBuffers& buffers);

}  // namespace pippin::probes
