// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/reach.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace pippin {

namespace {

constexpr std::int64_t kHour = 3600, kDayLong = 24 * kHour;

/// Ascending; empty where one is unknown.
std::vector<std::int64_t> starts_of(const std::vector<RunMoments>& runs) {
  std::vector<std::int64_t> starts;
  starts.reserve(runs.size());
  for (const auto& run : runs) {
    if (!run.started_at) return {};
    starts.push_back(*run.started_at);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// How much of a day lies between the hours at which these started, over midnight too.
std::int64_t hours_apart(const std::vector<std::int64_t>& starts) {
  std::set<std::int64_t> hours;
  for (const std::int64_t start : starts) hours.insert(((start % kDayLong) + kDayLong) % kDayLong);
  std::int64_t widest_gap = *hours.begin() + kDayLong - *hours.rbegin();
  for (auto hour = hours.begin(); std::next(hour) != hours.end(); ++hour)
    widest_gap = std::max(widest_gap, *std::next(hour) - *hour);
  return kDayLong - widest_gap;
}

std::string within(std::int64_t span) {
  const std::int64_t hours = (span + kHour - 1) / kHour;
  return hours <= 1 ? "an hour" : fmt::format("{} hours", hours);
}

}  // namespace

std::string reach_of(const std::vector<RunMoments>& runs) {
  constexpr std::int64_t kClose = 6 * kHour, kSameHours = 3 * kHour;
  std::set<std::string> days;
  for (const auto& run : runs) days.insert(run.day);
  if (days.count("") > 0) return "on unknown days: others may differ";
  const auto starts = starts_of(runs);
  const std::int64_t span = starts.empty() ? kDayLong : starts.back() - starts.front();
  if (span <= kClose)
    return fmt::format("all within {}: other hours and days may differ", within(span));
  if (days.size() == 1 || span < kDayLong) return "all of one day: other days may differ";
  if (days.size() < kDaysForAClaim) return "of two days: other days may differ";
  if (!starts.empty() && hours_apart(starts) <= kSameHours)
    return "at the same hours each day: others may differ";
  return "";
}

}  // namespace pippin
