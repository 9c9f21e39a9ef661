// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/reports/statistics/classical.h"

namespace pippin::test {

/// Tests by ranks, as others use them. Ties share the mean of their ranks.

/// Ranks from 1.
std::vector<double> ranks_of(const std::vector<double>& values);

/// Mann and Whitney's: the pairs in which the first is above the second; equal ones count half.
double pairs_above(const std::vector<double>& first, const std::vector<double>& second);

/// Two-sided p of no shift: over all ways to share out the ranks, and by the normal approximation,
/// with Yates's correction or without. Source: Hollander and Wolfe, "Nonparametric Statistical
/// Methods", 1973; Streitberg and Röhmel's shift algorithm, 1986.
double permutation_p(const std::vector<double>& first, const std::vector<double>& second);
double normal_p(const std::vector<double>& first, const std::vector<double>& second,
                bool corrected);

/// How far the first lies above the second: Hodges and Lehmann's median of all differences, and its
/// 95 % interval, exactly (without ties) or by the normal approximation.
double hodges_lehmann(const std::vector<double>& first, const std::vector<double>& second);
Ends exact_shift(const std::vector<double>& first, const std::vector<double>& second);
Ends normal_shift(const std::vector<double>& first, const std::vector<double>& second,
                  bool corrected);

/// Friedman's chi squared of treatments that are ranked within blocks: values[block][treatment].
double friedman(const std::vector<std::vector<double>>& values);

}  // namespace pippin::test
