// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr double kRounding = 1e-9;

/// The least step of 1, 2 or 5 times a power of ten with which at most so many ticks fit.
double round_step(double low, double high, std::size_t most) {
  const double least = (high - low) / static_cast<double>(std::max<std::size_t>(most, 1));
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (double step : {1.0, 2.0, 5.0}) {
    if (step * power >= least * (1 - kRounding)) return step * power;
  }
  return 10 * power;
}

/// Of figures that no machine has, an exponent: labels must leave room for the picture.
std::string tick_text(const std::string& text, double at) {
  constexpr std::size_t kLongest = 12;
  return text.size() <= kLongest ? text : fmt::format("{:.4g}", at);
}

std::vector<double> round_numbers(double low, double high, const std::vector<double>& digits) {
  std::vector<double> numbers;
  const auto from = static_cast<int>(std::floor(std::log10(low))),
             to = static_cast<int>(std::ceil(std::log10(high)));
  for (int power = from; power <= to; ++power) {
    for (double digit : digits) {
      const double number = digit * std::pow(10.0, power);
      if (number >= low * (1 - kRounding) && number <= high * (1 + kRounding))
        numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

std::vector<PlotTick> linear_ticks(double low, double high, std::size_t most) {
  const double step = round_step(low, high, most);
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
  std::vector<PlotTick> ticks;
  for (double i = std::ceil(low / step - kRounding); i * step <= high + step * kRounding; ++i) {
    const double at = i == 0 ? 0 : i * step;  // never "-0"
    ticks.push_back({at, tick_text(fmt::format("{:.{}f}", at, decimals), at)});
    if (ticks.size() > most) break;
  }
  return ticks;
}

std::vector<PlotTick> log_ticks(double low, double high, std::size_t most) {
  std::vector<double> numbers;
  for (const auto& digits : std::vector<std::vector<double>>{
           {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}, {1}}) {
    numbers = round_numbers(low, high, digits);
    if (numbers.size() <= most) break;
  }
  std::vector<PlotTick> ticks;
  const std::size_t every = numbers.size() / std::max<std::size_t>(most, 1) + 1;
  for (std::size_t i = 0; i<numbers.size(); i += numbers.size()> most ? every : 1) {
    const std::string rounded = fmt::format("{:.3g}", numbers[i]);  // 0.3, not 0.30000000000000004
    ticks.push_back({numbers[i], tick_text(number_text(std::stod(rounded)), numbers[i])});
  }
  return ticks;
}

std::vector<PlotTick> clock_ticks(std::int64_t from, std::int64_t to, std::size_t most) {
  constexpr std::int64_t kDay = 86400;
  constexpr std::array<std::int64_t, 14> kSteps{10,   30,   60,   120,   300,   600,   900,
                                                1800, 3600, 7200, 10800, 21600, 43200, kDay};
  const auto room = static_cast<std::int64_t>(std::max<std::size_t>(most, 1));
  const auto fits = [&](std::int64_t step) { return (to - from) / step < room; };
  const auto* found = std::find_if(kSteps.begin(), kSteps.end() - 1, fits);
  std::vector<PlotTick> ticks;
  for (std::int64_t at = (from + *found - 1) / *found * *found; at <= to; at += *found) {
    std::string text = utc_text(at, *found < 60 ? "%H:%M:%S" : "%H:%M");
    if (ticks.empty() || at % kDay == 0) text.insert(0, day_text(at) + " ");
    ticks.push_back({static_cast<double>(at), std::move(text)});
  }
  return ticks;
}

std::string day_text(std::int64_t seconds) { return utc_text(seconds, "%b %d"); }

}  // namespace pippin
