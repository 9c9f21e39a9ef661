// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/linear.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/statistics/sample.h"
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

}  // namespace

std::optional<LinearFit> least_squares(const Columns& columns,
                                       const std::vector<double>& response) {
  if (columns.size() >= response.size()) return std::nullopt;
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
  fit.df = static_cast<double>(response.size() - columns.size());
  const Eigen::MatrixXd inverse = (x.transpose() * x).inverse();
  for (Eigen::Index i = 0; i < x.cols(); ++i)
    fit.errors.push_back(std::sqrt(inverse(i, i) * fit.squares / fit.df));
  return fit;
}

std::vector<double> variance_inflation(const Columns& columns) {
  std::vector<double> inflations;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    Columns others = columns;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto fit = least_squares(others, columns[i]);
    const double whole = squares_of(columns[i]);
    const bool determined = !fit || fit->squares <= whole * 1e-12;
    inflations.push_back(determined ? std::numeric_limits<double>::infinity()
                                    : whole / fit->squares);
  }
  return inflations;
}

double p_of_more(const LinearFit& fit, const LinearFit& fuller) {
  const double more = fit.df - fuller.df;
  const double explained = std::max(0.0, fit.squares - fuller.squares);
  if (fuller.squares <= 0) return explained > 0 ? 0 : 1;
  return f_above(explained / more / (fuller.squares / fuller.df), more, fuller.df);
}

Columns indicators(const std::vector<std::size_t>& labels) {
  std::vector<std::size_t> known = labels;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  Columns columns;
  for (std::size_t k = 1; k < known.size(); ++k) {
    auto& column = columns.emplace_back();
    for (const std::size_t label : labels) column.push_back(label == known[k] ? 1 : 0);
  }
  return columns;
}

}  // namespace pippin
