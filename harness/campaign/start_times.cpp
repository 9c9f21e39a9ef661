// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/start_times.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;

/// "3d" → seconds.
std::int64_t span_of(const std::string& text) {
  const std::string_view word = trim(text);
  const auto number = word.empty() ? std::nullopt : parse_number(word.substr(0, word.size() - 1));
  const char unit = word.empty() ? ' ' : word.back();
  const std::int64_t seconds = unit == 'd' ? kDay : unit == 'h' ? kHour : unit == 'm' ? kMinute : 0;
  constexpr double kMostDays = 365;
  if (!number || seconds == 0 || *number <= 0 ||
      *number * static_cast<double>(seconds) > kMostDays * static_cast<double>(kDay))
    bad_input("--spread: '{}' is no span of time; write 3d, 12h or 90m", printable(text));
  return static_cast<std::int64_t>(*number * static_cast<double>(seconds));
}

/// "06:30" → 390.
std::int64_t minute_of(std::string_view text) {
  const auto parts = split(trim(text), ':');
  constexpr std::int64_t kHours = 24, kMinutes = 60;
  const auto hour = parse_integer(parts.front());
  const auto minute = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!hour || !minute || *hour < 0 || *hour >= kHours || *minute < 0 || *minute >= kMinutes)
    bad_input("--at: '{}' is no time of day; write 00:00,06:00,12:00,18:00", printable(text));
  return *hour * kMinutes + *minute;
}

std::int64_t utc_seconds(const std::string& iso) {
  std::tm time{};
  if (!::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time)) return 0;
  return static_cast<std::int64_t>(::timegm(&time));
}

/// That minute of the day which is `days` after the one of `since`, by this machine's clock.
std::int64_t at_minute(std::int64_t since, std::int64_t days, std::int64_t minute) {
  const auto seconds = static_cast<std::time_t>(since);
  std::tm time{};
  ::localtime_r(&seconds, &time);
  time.tm_mday += static_cast<int>(days);
  time.tm_hour = static_cast<int>(minute / kMinute);
  time.tm_min = static_cast<int>(minute % kMinute);
  time.tm_sec = 0;
  time.tm_isdst = -1;
  return static_cast<std::int64_t>(std::mktime(&time));
}

}  // namespace

StartTimes::StartTimes(const std::string& spread, const std::string& at, const std::string& started,
                       std::int64_t allocations)
    : started_(utc_seconds(started)), allocations_(std::max<std::int64_t>(allocations, 1)) {
  if (!spread.empty() && !at.empty()) bad_input("--spread and --at: say one of them");
  if (!spread.empty()) spread_s_ = span_of(spread);
  if (at.empty()) return;
  for (std::string_view time : split(at, ',')) minutes_.push_back(minute_of(time));
  std::sort(minutes_.begin(), minutes_.end());
  minutes_.erase(std::unique(minutes_.begin(), minutes_.end()), minutes_.end());
}

std::optional<std::int64_t> StartTimes::begin_of(std::int64_t allocation) const {
  if (spread_s_ > 0) return started_ + (allocation - 1) * spread_s_ / allocations_;
  if (minutes_.empty()) return std::nullopt;
  // The first of these times after the start is the first allocation's.
  const auto times = static_cast<std::int64_t>(minutes_.size());
  std::int64_t first = 0;
  while (at_minute(started_, first / times, minutes_[static_cast<std::size_t>(first % times)]) <
         started_)
    ++first;
  const std::int64_t slot = first + allocation - 1;
  return at_minute(started_, slot / times, minutes_[static_cast<std::size_t>(slot % times)]);
}

}  // namespace pippin
