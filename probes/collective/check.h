#pragma once

#include <cstdint>

#include "probes/collective/operation.h"

namespace pippin::probes {

/// Known data: whole numbers so small that a sum over 100,000 ranks is exact in any order, and in
/// one byte; a rank that is missing changes every sum, another rank's part every element.
class Pattern {
 public:
  /// `round`: so that what is left of an earlier call is not right by accident.
  Pattern(int ranks, std::uint32_t round);

  /// Element `i` of what a rank puts in.
  double value(int rank, std::int64_t i) const { return of_element(i) + of_rank(rank); }
  /// Over all ranks.
  double sum(std::int64_t i) const { return ranks_ * of_element(i) + sum_of_ranks_; }
  double largest(std::int64_t i) const { return of_element(i) + largest_of_ranks_; }

 private:
  static double of_rank(int rank) { return 1 + (rank + rank / 127) % 127; }
  /// 0 … 31, from the upper bits of a multiplicative hash (Knuth, TAOCP 3, 6.4).
  double of_element(std::int64_t i) const {
    return (static_cast<std::uint32_t>(i) * 2654435761U + shift_) >> 27;
  }

  std::uint32_t shift_;
  double ranks_, sum_of_ranks_ = 0, largest_of_ranks_ = 0;
};

/// What element `i` of a rank's result must be.
double expected(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
                std::int64_t i);

/// Puts a rank's data in its place and clears the rest.
void fill(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
          CollectiveBuffers& buffers);

/// Elements of a rank's result that are not what they must be.
std::int64_t count_wrong(const CollectiveCall& call, const Pattern& pattern, int rank, int ranks,
                         CollectiveBuffers& buffers);

}  // namespace pippin::probes
