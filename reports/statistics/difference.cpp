// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/difference.h"

#include <cmath>

#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"

namespace pippin {

double Difference::low(double level) const {
  return estimate - t_quantile((1 + level) / 2, df) * se;
}

double Difference::high(double level) const {
  return estimate + t_quantile((1 + level) / 2, df) * se;
}

double Difference::p() const {
  if (se == 0) return estimate == 0 ? 1 : 0;
  return 2 * t_above(std::abs(estimate) / se, df);
}

std::optional<Difference> unpaired_difference(const std::vector<double>& base,
                                              const std::vector<double>& other) {
  if (base.size() < 2 || other.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(base.size());
  const auto m = static_cast<double>(other.size());
  const double of_base = squares_of(base) / (n - 1) / n;
  const double of_other = squares_of(other) / (m - 1) / m;
  const double variance = of_base + of_other;
  Difference result;
  result.estimate = mean_of(other) - mean_of(base);
  result.se = std::sqrt(variance);
  result.df = variance > 0 ? variance * variance /
                                 (of_base * of_base / (n - 1) + of_other * of_other / (m - 1))
                           : n + m - 2;
  return result;
}

std::optional<Difference> paired_difference(const std::vector<double>& differences) {
  if (differences.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(differences.size());
  return Difference{mean_of(differences), sd_of(differences) / std::sqrt(n), n - 1};
}

}  // namespace pippin
