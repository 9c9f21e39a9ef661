// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/reports/statistics/series.h"
#include "tests/reports/statistics/slow_nodes.h"

namespace pippin::test {

/// Nested runs as the textbooks write them, with the covariance matrix of all iterations: what
/// pippin's pass without matrices is held against, and what only such a matrix tells easily.
struct DenseFit {
  double reml = 0;  ///< -2 log restricted likelihood
  double mean = 0, se = 0;
  /// Best linear unbiased predictions of the effects of runs, allocations and days, by name.
  std::map<std::string, double> predictions[kLevels];
  double adjusted_se = 0, adjusted_df = 0;  ///< Kenward and Roger's, of the mean
};

/// Effects of the levels in `random` may have a variance, be it 0.
/// Source: Searle, Casella and McCulloch, "Variance Components", 1992, chapters 6 and 7; Kenward
/// and Roger, "Small Sample Inference for Fixed Effects from Restricted Maximum Likelihood", 1997.
DenseFit dense_fit(const std::vector<RunTimes>& runs, const Variances& variances,
                   const std::vector<Level>& random);

/// Random effects of nodes that add up in each allocation (multiple membership), by REML.
struct MembershipFit {
  double node_variance = 0, residual_variance = 0;
  double reml = 0;                   ///< -2 log restricted likelihood
  std::vector<double> coefficients;  ///< of an intercept and the covariates
  std::vector<double> effects, z;    ///< predicted, and by the sd of their sampling
};
MembershipFit membership_fit(const Presence& presence);

/// Newton's method with numeric derivatives. Requires a start from which the least value can be
/// reached downhill.
struct Minimum {
  std::vector<double> at;
  double value = 0;
};
Minimum minimum_of(const std::function<double(const std::vector<double>&)>& function,
                   std::vector<double> start);

}  // namespace pippin::test
