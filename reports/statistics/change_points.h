// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pippin {

/// Indices at which a new level begins, in a series of logarithms of daily means.
/// Shape: spikes replaced (Hampel, 3 neighbours, 3 MAD); then the split that separates two
/// stretches best by their energy distance, tested by `permutations` shuffles of each stretch at 5
/// %, again within each; splits whose sides Welch's t tells apart only at p >= 0.001, or by less
/// than 1 %, are merged. A level has at least five values. `seed` draws the shuffles. Source:
/// Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
/// Data", 2014 (E-divisive); the merge: Daly et al., "The Use of Change Point Detection to Identify
/// Software Performance Regressions", 2020, in manner.
std::vector<std::size_t> change_points(const std::vector<double>& values, std::uint64_t seed,
                                       int permutations = 199);

/// The best first split by energy distance.
struct Split {
  double distance = 0;  ///< q-hat, alpha 1
  std::size_t at = 0;   ///< first index of the right side
  std::size_t end = 0;  ///< first index behind it
};

/// Of values[from, to), sides of at least `least` values. Nothing found: distance 0.
Split best_split(const std::vector<double>& values, std::size_t from, std::size_t to,
                 std::size_t least);

}  // namespace pippin
