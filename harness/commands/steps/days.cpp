// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/days.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"

namespace pippin {

namespace {

using std::chrono::sys_days;

std::optional<sys_days> date_of(std::string_view text) {
  constexpr std::size_t kLength = 10, kYear = 4, kMonth = 7;  // where the dashes stand
  if (text.size() != kLength || text[kYear] != '-' || text[kMonth] != '-') return std::nullopt;
  const auto year = parse_integer(text.substr(0, kYear));
  const auto month = parse_integer(text.substr(kYear + 1, 2));
  const auto day = parse_integer(text.substr(kMonth + 1));
  if (!year || !month || !day || *month < 1 || *day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

/// The last day of that name, which may be today.
std::optional<sys_days> weekday_named(std::string_view text, sys_days today) {
  const auto found = std::find(weekdays().begin(), weekdays().end(), lower(text));
  if (found == weekdays().end()) return std::nullopt;
  const auto wanted = static_cast<unsigned>(found - weekdays().begin()) + 1;  // ISO: Monday is 1
  const std::chrono::weekday day(wanted);
  return today - (std::chrono::weekday(today) - day);
}

std::optional<sys_days> day_named(std::string_view text, sys_days today) {
  constexpr std::int64_t kMost = 100'000;
  if (text == "today") return today;
  if (text == "yesterday") return today - std::chrono::days(1);
  if (const auto weekday = weekday_named(text, today)) return weekday;
  if (text.size() < 3 || text.front() != '-' || text.back() != 'd') return date_of(text);
  const auto back = parse_integer(text.substr(1, text.size() - 2));
  if (!back || *back < 0 || *back > kMost) return std::nullopt;
  return today - std::chrono::days(*back);
}

std::string text_of(sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace

const std::vector<std::string>& weekdays() {
  static const std::vector<std::string> kWeekdays{"monday", "tuesday",  "wednesday", "thursday",
                                                  "friday", "saturday", "sunday"};
  return kWeekdays;
}

std::string text_of(const Days& days) {
  return days.first == days.last ? days.first : days.first + ".." + days.last;
}

std::optional<Days> days_named(std::string_view text, sys_days today) {
  const auto dots = text.find("..");
  const auto first = day_named(text.substr(0, dots), today);
  const auto last =
      dots == std::string_view::npos ? first : day_named(text.substr(dots + 2), today);
  if (!first || !last || *last < *first) return std::nullopt;
  return Days{text_of(*first), text_of(*last)};
}

}  // namespace pippin
