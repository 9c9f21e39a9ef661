// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/time_of_day.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

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
  Columns without{std::vector<double>(values.size(), 1)};
  for (auto& column : indicators(configurations)) without.push_back(std::move(column));
  if (static_cast<double>(values.size()) < static_cast<double>(without.size() + 2) + kLeastLeft)
    return refused(values.size() == 1 ? "one time of day is too few"
                                      : fmt::format("{} times of day are too few", values.size()));
  const double stretch = stretch_of(hours);
  if (stretch < kLeastHours)
    return refused(fmt::format("all lie within {:.1f} hours of the day", stretch));
  Columns with = without;
  auto& cosine = with.emplace_back();
  for (const double hour : hours) cosine.push_back(std::cos(angle_of(hour)));
  auto& sine = with.emplace_back();
  for (const double hour : hours) sine.push_back(std::sin(angle_of(hour)));
  const auto inflations = variance_inflation(with);
  const double inflation = *std::max_element(inflations.begin(), inflations.end());
  if (inflation >= kMostInflation)
    return refused("configurations ran at different hours: either could be the cause", inflation);
  const auto plain = least_squares(without, values);
  const auto cycle = least_squares(with, values);
  const double along = cycle->coefficients[without.size()];
  const double across = cycle->coefficients[without.size() + 1];
  TimeOfDay result;
  result.amplitude = std::hypot(along, across);
  const double peak = std::atan2(across, along) * kHoursOfADay / (2 * std::numbers::pi);
  result.peak_hour = peak < 0 ? peak + kHoursOfADay : peak;
  result.p = p_of_more(*plain, *cycle);
  result.inflation = inflation;
  return result;
}

}  // namespace pippin
