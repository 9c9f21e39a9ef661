// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reports/statistics/linear.h"

namespace pippin {

/// How much of the variance within configurations each covariate explains.
struct Shares {
  std::vector<double> explained;  ///< one for each covariate, in its order
  double unexplained = 1;         ///< together with those 1
};

/// Shapley's shares: the variance that a covariate takes away, averaged over the orders in which
/// covariates can be added. Nothing where there are too few values, the covariates determine one
/// another, or nothing varies. Requires at most 10 covariates, each as long as `values`.
/// Source: Lindeman, Merenda and Gold, 1980; Grömping, "Relative Importance for Linear Regression
/// in R", 2006 (lmg).
std::optional<Shares> variance_shares(const std::vector<double>& values,
                                      const std::vector<std::size_t>& configurations,
                                      const Columns& covariates);

}  // namespace pippin
