// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace pippin {

/// The course of a run: where it is steady, and what it was before.
struct Course {
  enum class Kind { kFlat, kWarmup, kSlowdown, kNoSteadyState, kTooShort };
  Kind kind = Kind::kFlat;
  std::vector<std::size_t> starts;  ///< first index of each segment; none where it is too short
  std::vector<double> means;        ///< of the logarithms in each segment, spikes replaced
  std::size_t steady_from = 0;      ///< index at which the last level begins, behind slow spikes
  std::size_t warm_from = 0;        ///< index up to which all levels are slower than the last
  bool sure = false;                ///< of a slowdown and a run without steady state: no chance

  /// Samples to leave out: those before the steady part of a warm-up. A slowdown and a run without
  /// steady state are kept whole, for a reader to judge; one that may be chance is steady from
  /// where it was warm.
  std::size_t cut() const;
};

/// The shortest series in which a warm-up is looked for.
inline constexpr std::size_t kShortestCourse = 8;
/// Of a longer series only this many samples are looked at: a warm-up lies at the start.
inline constexpr std::size_t kLongestCourse = 2000;

/// Finds levels in the step times of one run, from its first iteration on, and says what they are.
/// Shape: logarithms; spikes replaced by a Hampel filter (3 neighbours, 4 MAD); optimal
/// partitioning (levels.h) with penalty 3 ln n s^2, s = MAD of differences / sqrt 2, segments
/// of at least 5 samples, shorter only at the start; segments within max(1 %, 2s / sqrt n) of the
/// last belong to it. Below max(10, 30 % of n) samples there is no steady state. Of fewer than 20
/// samples a segment has at least 3, and a steady state as many, and s leaves the first out.
/// Behind a warm-up those samples are left out, too, that follow it at once and are slow spikes.
/// Requires times above 0. Source: Hampel 1974.
Course course_of(const std::vector<double>& times);

}  // namespace pippin
