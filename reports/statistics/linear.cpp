// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/linear.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "reports/statistics/student.h"

namespace pippin {

namespace {

Eigen::MatrixXd matrix_of(const Columns& columns, std::size_t rows) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows),
                         static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    matrix.col(static_cast<Eigen::Index>(i)) =
        Eigen::VectorXd::Map(columns[i].data(), static_cast<Eigen::Index>(rows));
  }
  return matrix;
}

std::vector<double> vector_of(const Eigen::VectorXd& values) {
  return {values.data(), values.data() + values.size()};
}

/// With `df` values left for the noise.
std::optional<LinearFit> fitted(const Columns& columns, const std::vector<double>& response,
                                double df) {
  const Eigen::MatrixXd x = matrix_of(columns, response.size());
  const auto y = Eigen::VectorXd::Map(response.data(), static_cast<Eigen::Index>(response.size()));
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(x);
  if (decomposed.rank() < x.cols()) return std::nullopt;
  const Eigen::VectorXd coefficients = decomposed.solve(y);
  const Eigen::VectorXd residuals = y - x * coefficients;
  LinearFit fit;
  fit.coefficients = vector_of(coefficients);
  fit.residuals = vector_of(residuals);
  fit.squares = residuals.squaredNorm();
  fit.df = df;
  const Eigen::MatrixXd inverse = (x.transpose() * x).inverse();
  for (Eigen::Index i = 0; i < x.cols(); ++i)
    fit.errors.push_back(std::sqrt(inverse(i, i) * fit.squares / fit.df));
  return fit;
}

double squared_length(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

}  // namespace

std::optional<LinearFit> least_squares(const Columns& columns,
                                       const std::vector<double>& response) {
  if (columns.size() >= response.size()) return std::nullopt;
  return fitted(columns, response, static_cast<double>(response.size() - columns.size()));
}

std::vector<double> without_means(std::vector<double> values,
                                  const std::vector<std::size_t>& labels) {
  std::vector<double> sums, counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (labels[i] >= sums.size()) {
      sums.resize(labels[i] + 1);
      counts.resize(labels[i] + 1);
    }
    sums[labels[i]] += values[i];
    ++counts[labels[i]];
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= sums[labels[i]] / counts[labels[i]];
  return values;
}

std::optional<LinearFit> least_squares_within(const Columns& columns,
                                              const std::vector<double>& response,
                                              const std::vector<std::size_t>& labels) {
  constexpr double kRounding = 1e-24;  // of a square: of a column that is the same at each label
  const std::size_t taken = std::set(labels.begin(), labels.end()).size() + columns.size();
  if (taken >= response.size()) return std::nullopt;
  const auto df = static_cast<double>(response.size() - taken);
  std::vector<double> values = without_means(response, labels);
  Columns within;
  for (const auto& column : columns) {
    within.push_back(without_means(column, labels));
    if (squared_length(within.back()) <= kRounding * squared_length(column)) return std::nullopt;
  }
  if (!within.empty()) return fitted(within, values, df);
  LinearFit fit;
  fit.squares = squared_length(values);
  fit.residuals = std::move(values);
  fit.df = df;
  return fit;
}

double p_of_more(const LinearFit& fit, const LinearFit& fuller) {
  const double more = fit.df - fuller.df;
  const double explained = std::max(0.0, fit.squares - fuller.squares);
  if (fuller.squares <= 0) return explained > 0 ? 0 : 1;
  return f_above(explained / more / (fuller.squares / fuller.df), more, fuller.df);
}

}  // namespace pippin
