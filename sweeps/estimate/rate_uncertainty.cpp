// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/rate_uncertainty.h"

#include <algorithm>
#include <cmath>

namespace pippin {

namespace {

constexpr std::size_t kCount = std::tuple_size_v<RateParameters>;

/// Of the logarithm of a predicted time, to the first order.
double variance_at(const MeasuredStep& point, const Rates& rates,
                   const RateCovariance& covariance) {
  constexpr double kStep = 1e-3;
  const double here = std::log(predicted_seconds(point, rates));
  std::array<double, kCount> slope{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const RateParameter& one = rate_parameters()[i];
    const double free = to_free(one, rates.*one.member);
    const double step = free + kStep > to_free(one, one.most) ? -kStep : kStep;
    Rates beside = rates;
    beside.*one.member = from_free(one, free + step);
    slope[i] = (std::log(predicted_seconds(point, beside)) - here) / step;
  }
  double variance = 0;
  for (std::size_t i = 0; i < kCount; ++i)
    for (std::size_t k = 0; k < kCount; ++k) variance += slope[i] * covariance[i][k] * slope[k];
  return std::max(variance, 0.0);
}

}  // namespace

RateCovariance covariance_of_clusters() {
  RateCovariance covariance{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const double spread = rate_parameters()[i].spread;
    covariance[i][i] = spread * spread;
  }
  return covariance;
}

RateUncertainty uncertainty_among(const std::vector<MeasuredStep>& learned, const Rates& rates,
                                  const RateCovariance& covariance) {
  std::vector<double> variances;
  variances.reserve(learned.size());
  for (const MeasuredStep& point : learned)
    variances.push_back(variance_at(point, rates, covariance));
  std::sort(variances.begin(), variances.end());
  return {covariance, variances.empty() ? 0 : variances[variances.size() / 2]};
}

double half_width_at(const MeasuredStep& point, const Rates& rates, double of_learned,
                     const std::optional<RateUncertainty>& uncertainty) {
  if (!uncertainty) return of_learned;
  constexpr double kOf19In20 = 1.96;
  const double further =
      variance_at(point, rates, uncertainty->covariance) - uncertainty->of_learned;
  return std::hypot(of_learned, kOf19In20 * std::sqrt(std::max(further, 0.0)));
}

}  // namespace pippin
