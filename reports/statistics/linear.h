// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace pippin {

/// What a response is explained by, one column for each; an intercept is a column of ones.
using Columns = std::vector<std::vector<double>>;

/// Ordinary least squares.
struct LinearFit {
  std::vector<double> coefficients;  ///< one for each column
  std::vector<double> errors;        ///< their standard errors
  std::vector<double> residuals;
  double squares = 0;  ///< of the residuals, summed
  double df = 0;       ///< values less columns
};

/// Nothing where a column is a sum of the others, or no degree of freedom is left. Requires columns
/// as long as `response`.
std::optional<LinearFit> least_squares(const Columns& columns, const std::vector<double>& response);

/// How many times larger the variance of a column's coefficient is because of the other columns,
/// for each column but the first, which is the intercept. Infinite where they determine it.
/// Source: Marquardt, "Generalized Inverses, Ridge Regression", 1970.
std::vector<double> variance_inflation(const Columns& columns);

/// The probability of `fuller` explaining so much more than `fit` by chance. Requires that the
/// columns of `fit` are among those of `fuller`.
double p_of_more(const LinearFit& fit, const LinearFit& fuller);

/// A column of ones for every label but the first: which rows have it. Labels in their own order.
Columns indicators(const std::vector<std::size_t>& labels);

}  // namespace pippin
