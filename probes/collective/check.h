#pragma once

#include <cstdint>

#include "probes/collective/operation.h"

namespace pippin::probes {

/// Known data: whole numbers so small that a sum over 100,000 ranks is exact in any order, and in
/// one byte; a rank that is missing changes every sum, another rank's part every element. Numbers
/// of 16 bits hold only sums of kFew: there all other ranks add 0 to an element.
class Pattern {
 public:
  /// `round`: so that what is left of an earlier call is not right by accident.
  Pattern(int ranks, std::uint32_t round, Element element);

  /// Element `i` of what a rank gives to be moved.
  double value(int rank, std::int64_t i) const { return of_element(i) + of_rank(rank); }
  /// … to be reduced.
  double term(int rank, std::int64_t i) const { return adds(rank, i) ? value(rank, i) : 0; }
  /// Of all ranks' terms.
  double sum(std::int64_t i) const;
  double largest(std::int64_t i) const;

 private:
  static constexpr int kFew = 4;

  bool adds(int rank, std::int64_t i) const { return !narrow_ || (rank + turn(i)) % ranks_ < kFew; }
  /// Of the ranks that add to element i the k-th.
  int adder(std::int64_t i, int k) const { return (k + ranks_ - turn(i)) % ranks_; }
  /// At most 127; where 16 bits must hold the sum, 31.
  int of_rank(int rank) const {
    const int most = narrow_ ? 31 : 127;
    return 1 + (rank + rank / most) % most;
  }
  /// 0 … 31.
  int of_element(std::int64_t i) const { return static_cast<int>(hash(i) >> 27); }
  int turn(std::int64_t i) const { return static_cast<int>((hash(i) >> 3) % ranks_); }
  /// Multiplicative (Knuth, TAOCP 3, 6.4): the upper bits are the good ones.
  std::uint32_t hash(std::int64_t i) const {
    return static_cast<std::uint32_t>(i) * 2654435761U + shift_;
  }

  int ranks_;
  std::uint32_t shift_;
  bool narrow_;
  double sum_of_ranks_ = 0, largest_of_ranks_ = 0;
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
