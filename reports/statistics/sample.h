// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace pippin {

/// Arithmetic mean. Requires a value.
double mean_of(const std::vector<double>& values);

/// Sum of squared deviations from the mean; exactly 0 for equal values. Requires a value.
double squares_of(const std::vector<double>& values);

/// Standard deviation with n - 1. Requires two values.
double sd_of(const std::vector<double>& values);

/// Quantile of probability `p` in [0, 1], linear between order statistics. Requires a value.
/// Source: Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996, type 7.
double quantile_of(std::vector<double> values, double p);

/// The same of values in ascending order.
double sorted_quantile(const std::vector<double>& values, double p);

/// Orders values as far as their least, their largest and sorted_quantile() of these shares ask.
void order_for_quantiles(std::vector<double>& values, std::span<const double> shares);

double median_of(std::vector<double> values);

/// 1 / (0.75 quantile of the normal), as R's mad() rounds it.
inline constexpr double kMadOfNormal = 1.4826;

/// Median absolute deviation, times the above, so that it estimates the sd of normal data.
double mad_of(const std::vector<double>& values);

}  // namespace pippin
