// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/times.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/notes/quantities.h"
#include "reports/notes/written.h"

namespace pippin {

namespace {

constexpr int kToMilli = 3;
constexpr std::array<Unit, 18> kTimes{{{"s", kToMilli},
                                       {"sec", kToMilli},
                                       {"secs", kToMilli},
                                       {"second", kToMilli},
                                       {"seconds", kToMilli},
                                       {"ms", 0},
                                       {"msec", 0},
                                       {"msecs", 0},
                                       {"us", -kToMilli},
                                       {"µs", -kToMilli},
                                       {"min", kToMilli, 60},
                                       {"mins", kToMilli, 60},
                                       {"minute", kToMilli, 60},
                                       {"minutes", kToMilli, 60},
                                       {"h", kToMilli, 3600},
                                       {"hr", kToMilli, 3600},
                                       {"hour", kToMilli, 3600},
                                       {"hours", kToMilli, 3600}}};

constexpr double kSixty = 60, kSecondsPerHour = 3600;

/// "s/iter" and "s per step" are seconds, "s/sample" is another thing.
const Unit* time_unit(std::string_view name) {
  constexpr std::array<std::string_view, 8> kSteps{"",          "it",         "iter", "iters",
                                                   "iteration", "iterations", "step", "steps"};
  const bool of_step = std::find(kSteps.begin(), kSteps.end(), divisor_of(name)) != kSteps.end();
  return of_step ? find_unit(kTimes, name) : nullptr;
}

bool is_number(std::string_view text, std::string_view digits = "0123456789") {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

double step_of(std::string_view number) {
  return Written{std::string(number), ""}.step() * kMsPerSecond;
}

/// "1:23" is minutes and seconds, "1:02:03.5" hours before them.
std::optional<Measure> clock_in(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
  double seconds = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const auto number = parse_number(parts[i]);
    const bool two = i == 0 || parts[i].substr(0, parts[i].find('.')).size() == 2;
    if (!number || !two || !is_number(parts[i], last ? "0123456789." : "0123456789") ||
        (i > 0 && *number >= kSixty))
      return std::nullopt;
    seconds = seconds * kSixty + *number;
  }
  return Measure{seconds * kMsPerSecond, step_of(parts.back())};
}

/// Seconds in what a part of "1h 2m 3s" counts; 0 for another word.
double seconds_in(std::string_view word) {
  if (word == "h" || word == "hr" || word == "hours" || word == "hour") return kSecondsPerHour;
  if (word == "m" || word == "min" || word == "mins" || word == "minutes") return kSixty;
  return word == "s" || word == "sec" || word == "secs" || word == "seconds" ? 1 : 0;
}

/// "1m 23s", "1 min 23 s", "1h 2m 3.5s": at least two parts, each smaller than the one before.
std::optional<Measure> parts_in(std::string_view text) {
  double seconds = 0, before = HUGE_VAL;
  std::size_t parts = 0;
  Measure result;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, digits);
    text = trim(text.substr(digits));
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto* end = std::find_if_not(text.begin(), text.end(), is_letter);
    const double unit = seconds_in(text.substr(0, static_cast<std::size_t>(end - text.begin())));
    text = trim(text.substr(static_cast<std::size_t>(end - text.begin())));
    const auto value = parse_number(number);
    const bool whole = is_number(number) || text.empty();
    const bool fits = value && (parts == 0 || *value * unit < before);
    if (unit == 0 || unit >= before || !whole || !fits) return std::nullopt;
    seconds += *value * unit;
    before = unit;
    ++parts;
    result = {seconds * kMsPerSecond, step_of(number) * unit};
  }
  return parts > 1 ? std::optional(result) : std::nullopt;
}

/// The unit of a number that has none: that of the title, else seconds.
const Unit* unit_under(std::string_view title) {
  const Unit* unit = unit_in_title(kTimes, title);
  return unit ? unit : kTimes.data();
}

std::optional<Measure> number_with_unit(std::string_view text, std::string_view unit_elsewhere,
                                        std::string_view title) {
  const auto written = written_in(text);
  if (!written) return std::nullopt;
  const std::string_view name = written->unit.empty() ? unit_elsewhere : written->unit;
  const Unit* unit = name.empty() ? unit_under(title) : time_unit(name);
  if (!unit) return std::nullopt;
  Measure measure;
  measure.value = shifted(written->number, unit->exponent) * unit->factor;
  measure.step = written->step() * shifted("1", unit->exponent) * unit->factor;
  return std::isfinite(measure.value) ? std::optional(measure) : std::nullopt;
}

/// The unit behind the number of a spread, but for "%".
std::string unit_behind(const std::optional<std::string_view>& spread) {
  const auto written = spread ? written_in(*spread) : std::nullopt;
  return written && written->unit != "%" ? written->unit : std::string();
}

/// What one of a spread's numbers is in milliseconds: its own unit, else that of the time.
double spread_unit(std::string_view value, std::string_view own, std::string_view title) {
  const auto written = written_in(value);
  const std::string_view name = !own.empty() ? own : written ? std::string_view(written->unit) : "";
  const Unit* unit = name.empty() ? unit_under(title) : time_unit(name);
  return unit ? shifted("1", unit->exponent) * unit->factor : std::nan("");
}

/// "Time (h:mm)" counts hours first, which a cell "1:23" does not say.
bool has_clock_of_hours(std::string_view title) {
  const std::string text = lower(title);
  return text.find("h:m") != std::string::npos && text.find(":s") == std::string::npos;
}

}  // namespace

std::optional<Measure> time_in(std::string_view cell, std::string_view title) {
  const auto [value, spread] = at_spread(without_about(plain_text(cell)));
  const std::string unit = unit_behind(spread), text = lower(value);
  std::optional<Measure> time;
  if (text.find(':') != std::string::npos) {
    if (!has_clock_of_hours(title)) time = clock_in(text);
  } else {
    time = parts_in(text);
    if (!time) time = number_with_unit(text, unit, title);
  }
  if (!time || !spread) return time;
  time->spread = reach_of(*spread, time->value, spread_unit(text, unit, title));
  return time->spread ? time : std::nullopt;
}

std::optional<double> spread_in(std::string_view cell, std::string_view title, double time_ms,
                                std::string_view time_title) {
  std::string_view text = plain_text(cell);
  if (text.starts_with("±")) text = trim(text.substr(std::string_view("±").size()));
  const auto written = written_in(text);
  if (!written) return std::nullopt;
  const bool percent = written->unit == "%" || (written->unit.empty() && bracketed(title) == "%");
  if (percent) return reach_of(written->number + " %", time_ms, 1);
  const Unit* of_title = unit_in_title(kTimes, title);
  const Unit* unit = !written->unit.empty() ? time_unit(written->unit)
                     : of_title             ? of_title
                                            : unit_under(time_title);
  if (!unit) return std::nullopt;
  return reach_of(written->number, time_ms, shifted("1", unit->exponent) * unit->factor);
}

bool is_time_unit(std::string_view text) { return find_unit(kTimes, text) != nullptr; }

}  // namespace pippin
