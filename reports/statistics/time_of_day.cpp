// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/time_of_day.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>

#include "reports/statistics/linear.h"

namespace pippin {

namespace {

constexpr double kHoursOfADay = 24;

double angle_of(double hour) { return 2 * std::numbers::pi * hour / kHoursOfADay; }

/// The shortest stretch of the clock that holds all hours.
double stretch_of(std::vector<double> hours) {
  std::sort(hours.begin(), hours.end());
  double longest_gap = hours.front() + kHoursOfADay - hours.back();
  for (std::size_t i = 1; i < hours.size(); ++i)
    longest_gap = std::max(longest_gap, hours[i] - hours[i - 1]);
  return kHoursOfADay - longest_gap;
}

/// How two columns spread, and go, together.
struct Scatter {
  double aa = 0, bb = 0, ab = 0;
  double determinant() const { return aa * bb - ab * ab; }
};

Scatter scatter_of(const std::vector<double>& a, const std::vector<double>& b) {
  const auto sum = [](const auto& one, const auto& other) {
    return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
  };
  return {sum(a, a), sum(b, b), sum(a, b)};
}

/// How many times larger the variance of a cycle is, at the phase where that is most, because the
/// means of configurations take part of the spread: the largest eigenvalue of whole / left.
double inflation_of(const Scatter& whole, const Scatter& left) {
  constexpr double kNothing = 1e-12;
  const double determinant = left.determinant();
  if (determinant <= kNothing * whole.determinant()) return std::numeric_limits<double>::infinity();
  const double half_trace =
      (left.bb * whole.aa - 2 * left.ab * whole.ab + left.aa * whole.bb) / determinant / 2;
  const double product = whole.determinant() / determinant;
  return half_trace + std::sqrt(std::max(0.0, half_trace * half_trace - product));
}

TimeOfDay refused(std::string reason, double inflation = 0) {
  TimeOfDay result;
  result.refused = std::move(reason);
  result.inflation = inflation;
  return result;
}

}  // namespace

TimeOfDay time_of_day(const std::vector<double>& values, const std::vector<double>& hours,
                      const std::vector<std::size_t>& configurations) {
  constexpr double kLeastLeft = 5, kLeastHours = 6, kMostInflation = 5;
  constexpr double kNearALine = 0.01;  // six hours, evenly spread, are 0.04
  const std::size_t means = std::set(configurations.begin(), configurations.end()).size();
  if (static_cast<double>(values.size()) < static_cast<double>(means + 2) + kLeastLeft)
    return refused(values.size() == 1 ? "one time of day is too few"
                                      : fmt::format("{} times of day are too few", values.size()));
  const double stretch = stretch_of(hours);
  if (stretch < kLeastHours)
    return refused(fmt::format("all lie within {:.1f} hours of the day", stretch));
  std::vector<double> cosine, sine;
  for (const double hour : hours) {
    cosine.push_back(std::cos(angle_of(hour)));
    sine.push_back(std::sin(angle_of(hour)));
  }
  const std::vector<std::size_t> all(values.size(), 0);
  const Scatter whole = scatter_of(without_means(cosine, all), without_means(sine, all));
  const double spread = whole.aa + whole.bb;
  if (whole.determinant() <= kNearALine * spread * spread)
    return refused("all lie near two times of the day");
  const Scatter left =
      scatter_of(without_means(cosine, configurations), without_means(sine, configurations));
  const double inflation = inflation_of(whole, left);
  if (inflation >= kMostInflation)
    return refused("configurations ran at different hours: either could be the cause", inflation);
  const auto plain = least_squares_within({}, values, configurations);
  const auto cycle = least_squares_within({cosine, sine}, values, configurations);
  const double along = cycle->coefficients[0], across = cycle->coefficients[1];
  TimeOfDay result;
  result.amplitude = std::hypot(along, across);
  const double peak = std::atan2(across, along) * kHoursOfADay / (2 * std::numbers::pi);
  result.peak_hour = peak < 0 ? peak + kHoursOfADay : peak;
  result.p = p_of_more(*plain, *cycle);
  result.inflation = inflation;
  return result;
}

}  // namespace pippin
