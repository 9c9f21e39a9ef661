// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reports/statistics/difference.h"

namespace pippin::test {

/// Textbook answers that pippin has no use for: what its own are held against.

/// Quantile of probability `p` by one of the nine definitions. Requires values, type 1 to 9.
/// Source: Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996.
double quantile_of_type(std::vector<double> values, double p, int type);

/// The mean without a share `trim` of the values at each end.
double trimmed_mean(std::vector<double> values, double trim);

/// Student's: both sides have one variance. Requires two values a side.
Difference pooled_difference(const std::vector<double>& base, const std::vector<double>& other);

/// Two ends of an interval.
struct Ends {
  double low = 0, high = 0;
};

/// A ratio of two means of equally many values. Source: Fieller, "Some Problems in Interval
/// Estimation", 1954; the smaller degrees of freedom, as the two need not have one variance.
Ends fieller(const std::vector<double>& base, const std::vector<double>& other, double level);

/// Which order statistics hold the median, whatever the distribution.
struct MedianOrders {
  std::size_t lower = 0, upper = 0;  ///< from 1; lower 0: too few values
  double coverage = 0;
};
MedianOrders median_orders(std::size_t values, double level);

/// As Bonferroni's and, under any dependence, Benjamini and Yekutieli's rules raise p values.
std::vector<double> bonferroni(const std::vector<double>& p);
std::vector<double> benjamini_yekutieli(const std::vector<double>& p);

}  // namespace pippin::test
