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

/// The same fit beside a mean of its own for each label, in time that does not grow with their
/// number: df is less by that, too. There may be no column. Labels count from 0. Source: Frisch and
/// Waugh, Econometrica 1, 1933.
std::optional<LinearFit> least_squares_within(const Columns& columns,
                                              const std::vector<double>& response,
                                              const std::vector<std::size_t>& labels);

/// `values` less the mean of those with the same label. Labels count from 0.
std::vector<double> without_means(std::vector<double> values,
                                  const std::vector<std::size_t>& labels);

/// The probability of `fuller` explaining so much more than `fit` by chance. Requires that the
/// columns of `fit` are among those of `fuller`.
double p_of_more(const LinearFit& fit, const LinearFit& fuller);

}  // namespace pippin
