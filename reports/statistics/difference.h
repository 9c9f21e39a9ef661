// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace pippin {

/// How far one mean lies above another, and how well that is known. Of logarithms of times its
/// exponential is a ratio, above 1 where the second is slower.
struct Difference {
  double estimate = 0;
  double se = 0;  ///< standard error; 0: the values do not spread
  double df = 0;  ///< degrees of freedom of the standard error, above 0

  double low(double level) const;   ///< lower end of the interval that holds a share `level`
  double high(double level) const;  ///< upper end
  double p() const;                 ///< two-sided, of no difference
};

/// Of `other` from `base`, which share nothing. Nothing where one has fewer than two values.
/// Source: Welch, "The generalization of 'Student's' problem", 1947.
std::optional<Difference> unpaired_difference(const std::vector<double>& base,
                                              const std::vector<double>& other);

/// The mean of differences that were taken within pairs. Nothing of fewer than two.
std::optional<Difference> paired_difference(const std::vector<double>& differences);

}  // namespace pippin
