// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace pippin::probes {

/// How samples lie. Unit: that of the samples, but for the CV.
struct Spread {
  std::int64_t count = 0;
  double min = 0, median = 0, p99 = 0, max = 0, mean = 0;
  double cv = 0;  ///< standard deviation (of n − 1) over mean; 0 for one sample
};

/// The p99 is the smallest sample that 99 % of all do not exceed (nearest rank); of less than 100
/// it is the largest. Requires at least one sample.
Spread spread_of(std::vector<double> samples);

/// The middle sample, or the mean of the two in the middle. Requires at least one.
double median_of(std::vector<double> samples);

}  // namespace pippin::probes
