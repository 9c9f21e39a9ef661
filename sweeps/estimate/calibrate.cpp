// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/calibrate.h"

#include <algorithm>
#include <cmath>

namespace pippin {

namespace {

constexpr std::size_t kCount = std::tuple_size_v<RateParameters>;
using Vector = std::array<double, kCount>;
using Matrix = RateCovariance;

constexpr double kNoise = 0.06;   ///< usual spread of the errors' logarithms
constexpr double kCorner = 0.05;  ///< from which on an error counts by its size alone

Vector free_of(const RatePriors& priors) {
  Vector x{};
  for (std::size_t i = 0; i < kCount; ++i) x[i] = to_free(rate_parameters()[i], priors[i].value);
  return x;
}

Vector within_bounds(Vector x) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const RateParameter& one = rate_parameters()[i];
    x[i] = std::clamp(x[i], to_free(one, one.least), to_free(one, one.most));
  }
  return x;
}

Rates rates_of(const Vector& x) {
  Rates rates;
  for (std::size_t i = 0; i < kCount; ++i) {
    const RateParameter& one = rate_parameters()[i];
    rates.*one.member = std::clamp(from_free(one, x[i]), one.least, one.most);
  }
  return rates;
}

/// The search for one cluster's rates.
class Fit {
 public:
  Fit(const std::vector<MeasuredStep>& points, const RatePriors& priors)
      : points_(points), priors_(priors), usual_(free_of(priors)) {}

  Vector best() const {
    constexpr int kSteps = 25, kTries = 8;
    Vector x = usual_;
    std::vector<double> errors = errors_at(x);
    double cost = cost_of(errors, x), damping = 1e-2;
    for (int step = 0; step < kSteps; ++step) {
      const auto [hessian, gradient] = held_at_bounds(x, slope(x, errors));
      bool better = false;
      double gain = 0;
      for (int attempt = 0; attempt < kTries && !better; ++attempt) {
        const Vector next = within_bounds(moved(x, solved(hessian, gradient, damping)));
        const std::vector<double> there = errors_at(next);
        const double its = cost_of(there, next);
        better = its < cost;
        if (!better) {
          damping *= 4;
          continue;
        }
        gain = cost - its;
        x = next;
        errors = there;
        cost = its;
        damping = std::max(damping / 4, 1e-6);
      }
      if (!better || gain < 1e-4 * cost) break;
    }
    return x;
  }

  /// Of all together. What is held, or at a bound, is as unsure as it was before.
  Matrix covariance_at(const Vector& x, double spread) const {
    Matrix hessian = slope(x, errors_at(x)).hessian;
    const double wider = std::max(1.0, spread / kNoise);
    for (std::size_t i = 0; i < kCount; ++i) {
      const double before = 1 / (priors_[i].spread * priors_[i].spread);
      hessian[i][i] -= before;  // what points tell weighs less where they differ more
      for (double& one : hessian[i]) one /= wider * wider;
      hessian[i][i] += before;
    }
    Matrix covariance{};
    for (std::size_t i = 0; i < kCount; ++i) {
      Vector unit{};
      unit[i] = -1;
      covariance[i] = solved(hessian, unit, 0);
    }
    return covariance;
  }

  /// By the curvature of what is minimised, where errors are as large as usual or larger.
  Vector sds_at(const Vector& x, double spread) const {
    const Slope slope = held_at_bounds(x, this->slope(x, errors_at(x)));
    Vector sds{};
    for (std::size_t i = 0; i < kCount; ++i) {
      Vector unit{};
      unit[i] = -1;
      const double variance = solved(slope.hessian, unit, 0)[i];
      const double wider = std::max(1.0, spread / kNoise);
      sds[i] = std::min(std::sqrt(std::max(variance, 0.0)) * wider, priors_[i].spread);
    }
    return sds;
  }

  std::vector<double> errors_at(const Vector& x) const {
    const Rates rates = rates_of(x);
    std::vector<double> errors;
    errors.reserve(points_.size());
    for (const MeasuredStep& point : points_)
      errors.push_back(std::log(predicted_seconds(point, rates) / point.seconds));
    return errors;
  }

 private:
  double cost_of(const std::vector<double>& errors, const Vector& x) const {
    double cost = 0;
    constexpr double kFrom = kCorner / kNoise;
    for (const double error : errors) {
      const double size = std::abs(error) / kNoise;
      cost += size < kFrom ? size * size / 2 : kFrom * (size - kFrom / 2);
    }
    for (std::size_t i = 0; i < kCount; ++i) cost += std::pow(pull(x, i), 2) / 2;
    return cost;
  }
  double pull(const Vector& x, std::size_t i) const {
    return (x[i] - usual_[i]) / priors_[i].spread;
  }

  struct Slope {
    Matrix hessian{};
    Vector gradient{};
  };
  Slope slope(const Vector& x, const std::vector<double>& errors) const {
    std::array<std::vector<double>, kCount> by;
    for (std::size_t i = 0; i < kCount; ++i) {
      constexpr double kStep = 1e-3;
      const RateParameter& one = rate_parameters()[i];
      const double step = x[i] + kStep > to_free(one, one.most) ? -kStep : kStep;
      Vector beside = x;
      beside[i] += step;
      by[i] = errors_at(beside);
      for (std::size_t k = 0; k < errors.size(); ++k) by[i][k] = (by[i][k] - errors[k]) / step;
    }
    Slope slope;
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const double size = std::abs(errors[k]);
      const double weight = (size < kCorner ? 1 : kCorner / size) / (kNoise * kNoise);
      for (std::size_t i = 0; i < kCount; ++i) {
        slope.gradient[i] += weight * by[i][k] * errors[k];
        for (std::size_t j = 0; j < kCount; ++j)
          slope.hessian[i][j] += weight * by[i][k] * by[j][k];
      }
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      const double spread = priors_[i].spread;
      slope.gradient[i] += pull(x, i) / spread;
      slope.hessian[i][i] += 1 / (spread * spread);
    }
    return slope;
  }

  /// What would leave its bounds stays there, and the others move without it.
  Slope held_at_bounds(const Vector& x, Slope slope) const {
    constexpr double kNear = 1e-9;
    for (std::size_t i = 0; i < kCount; ++i) {
      const RateParameter& one = rate_parameters()[i];
      const bool below = x[i] <= to_free(one, one.least) + kNear && slope.gradient[i] > 0;
      const bool above = x[i] >= to_free(one, one.most) - kNear && slope.gradient[i] < 0;
      if (!below && !above && !priors_[i].held) continue;
      slope.gradient[i] = 0;
      for (std::size_t k = 0; k < kCount; ++k) slope.hessian[i][k] = slope.hessian[k][i] = 0;
      slope.hessian[i][i] = 1;
    }
    return slope;
  }

  /// Gauss' elimination with pivots.
  static Vector solved(Matrix a, Vector gradient, double damping) {
    for (std::size_t i = 0; i < kCount; ++i) a[i][i] *= 1 + damping;
    for (std::size_t i = 0; i < kCount; ++i) {
      std::size_t pivot = i;
      for (std::size_t j = i + 1; j < kCount; ++j)
        if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
      std::swap(a[i], a[pivot]);
      std::swap(gradient[i], gradient[pivot]);
      for (std::size_t j = i + 1; j < kCount; ++j) {
        const double factor = a[j][i] / a[i][i];
        for (std::size_t k = i; k < kCount; ++k) a[j][k] -= factor * a[i][k];
        gradient[j] -= factor * gradient[i];
      }
    }
    Vector x{};
    for (std::size_t i = kCount; i-- > 0;) {
      double rest = -gradient[i];
      for (std::size_t k = i + 1; k < kCount; ++k) rest -= a[i][k] * x[k];
      x[i] = rest / a[i][i];
    }
    return x;
  }

  static Vector moved(Vector x, const Vector& by) {
    for (std::size_t i = 0; i < kCount; ++i) x[i] += std::clamp(by[i], -1.0, 1.0);
    return x;
  }

  const std::vector<MeasuredStep>& points_;
  const RatePriors& priors_;
  Vector usual_;
};

/// Of the errors' sizes the median, as the standard deviation of a normal distribution.
double robust_spread(std::vector<double> errors) {
  constexpr double kNormal = 1.4826;
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  return errors.empty() ? 0 : kNormal * errors[errors.size() / 2];
}

/// That size which 19 of 20 errors do not exceed, wider for the parameters that fitted them; where
/// there are fewer points than can tell, more than the largest.
double half_width_of(std::vector<double> errors) {
  constexpr double kMost = 0.95, kFitted = 8, kFew = 20, kMargin = 1.5;
  if (errors.empty()) return 0;
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  const auto count = static_cast<double>(errors.size());
  if (count < kFew) return kMargin * errors.back();
  const auto place = static_cast<std::size_t>(std::ceil(kMost * (count + 1))) - 1;
  return errors[std::min(place, errors.size() - 1)] * count / (count - kFitted);
}

}  // namespace

RatePriors priors_around(const Rates& usual) {
  RatePriors priors;
  for (std::size_t i = 0; i < kCount; ++i) {
    const RateParameter& one = rate_parameters()[i];
    priors[i] = {usual.*one.member, one.spread, false};
  }
  return priors;
}

Calibration calibrate(const std::vector<MeasuredStep>& points) {
  const Rates usual = points.empty() ? Rates() : usual_rates_of(points.front().machine);
  return calibrate(points, priors_around(usual));
}

Calibration calibrate(const std::vector<MeasuredStep>& points, const RatePriors& priors) {
  Calibration found;
  found.points = points.size();
  const Fit fit(points, priors);
  const Vector x = points.empty() ? free_of(priors) : fit.best();
  found.rates = rates_of(x);
  found.spread = robust_spread(fit.errors_at(x));
  found.half_width = half_width_of(fit.errors_at(x));
  found.sds = fit.sds_at(x, found.spread);
  for (std::size_t i = 0; i < kCount; ++i) {
    const RateParameter& one = rate_parameters()[i];
    const double value = found.rates.*one.member;
    constexpr double kNear = 1e-3;
    // Shares that may be all or nothing are no less physics there.
    const bool may_be_whole = one.is_linear || priors[i].held;
    if (!may_be_whole && (value <= one.least * (1 + kNear) || value >= one.most * (1 - kNear)))
      found.at_bounds.emplace_back(one.name);
  }
  return found;
}

RateUncertainty uncertainty_of(const Calibration& fit, const std::vector<MeasuredStep>& points,
                               const RatePriors& priors) {
  Vector x{};
  for (std::size_t i = 0; i < kCount; ++i)
    x[i] = to_free(rate_parameters()[i], fit.rates.*rate_parameters()[i].member);
  return uncertainty_among(points, fit.rates, Fit(points, priors).covariance_at(x, fit.spread));
}

double half_width_of_others(const std::vector<MeasuredStep>& points, const RatePriors& priors,
                            double usual) {
  if (points.size() < 2) return usual;
  std::vector<double> errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<MeasuredStep> rest = points;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const double predicted = predicted_seconds(points[i], calibrate(rest, priors).rates);
    errors.push_back(std::abs(std::log(predicted / points[i].seconds)));
  }
  // Of n the largest is exceeded by one in n + 1; how much more is needed, few can hardly tell.
  constexpr double kMost = 0.95, kFew = 20, kMargin = 4;
  std::sort(errors.begin(), errors.end());
  const auto count = static_cast<double>(errors.size());
  if (count < kFew)
    return std::min((1 + kMargin / count) * errors.back(), std::max(usual, errors.back()));
  return errors[std::min(static_cast<std::size_t>(std::ceil(kMost * (count + 1))) - 1,
                         errors.size() - 1)];
}

}  // namespace pippin
