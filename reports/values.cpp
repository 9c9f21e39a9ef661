// SPDX-License-Identifier: Apache-2.0
#include "reports/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"

namespace pippin {

namespace {

/// Decimals that show `digits` significant digits of a value; negative: it is rounded before the
/// point. Rounding may carry (9.96 is "10.0"): the digits are counted after it.
int decimals_for(double value, int digits) {
  if (!std::isfinite(value)) return 0;
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  const auto exponent = parse_integer(text.substr(text.find('e') + 1));
  return digits - 1 - static_cast<int>(exponent.value());
}

std::string rounded(double value, int decimals) {
  if (decimals >= 0) return fmt::format("{:.{}f}", value, decimals);
  const double step = std::pow(10.0, -decimals);
  return fmt::format("{:.0f}", std::round(value / step) * step);
}

}  // namespace

std::string short_number(double value, int digits) {
  if (value == 0) return "0";
  return fmt::format("{:.{}f}", value, std::max(0, decimals_for(value, digits)));
}

std::string exact_number(double value) {
  constexpr double kWhole = 1e9;  // beyond it nine digits are not enough for a whole number
  constexpr int kDigits = 9;
  if (std::abs(value) < kWhole && value == std::floor(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits);
  const std::string rounded(text.data(), end.ptr);
  // Shorter without an exponent, maybe.
  return rounded.find('e') == std::string::npos ? rounded
                                                : number_text(parse_number(rounded).value());
}

std::optional<double> finite(std::optional<double> number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

MeanText mean_text(double mean, std::optional<double> half_width) {
  const int least = std::max(0, decimals_for(mean, 3));
  if (!half_width) return {fmt::format("{:.{}f}", mean, least), ""};
  if (*half_width <= 0) return {fmt::format("{:.{}f}", mean, least), "0"};
  const int decimals = std::max(decimals_for(mean, 3), decimals_for(*half_width, 2));
  return {rounded(mean, decimals), rounded(*half_width, decimals)};
}

std::string size_text(double params) {
  constexpr double kThousand = 1e3, kMillion = 1e6;
  constexpr double kFourDigits = 999.5;  // what is rounded to them is one of the next unit
  if (params < kFourDigits * kThousand) return fmt::format("{:.3g}K", params / kThousand);
  if (params < kFourDigits * kMillion) return fmt::format("{:.3g}M", params / kMillion);
  if (params < kFourDigits * kBillion) return fmt::format("{:.3g}B", params / kBillion);
  return fmt::format("{:.0f}B", params / kBillion);
}

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  const double minutes = std::round(seconds / kMinute);
  return fmt::format("{:.0f} h {:.0f} min", std::floor(minutes / kMinute),
                     std::fmod(minutes, kMinute));
}

}  // namespace pippin
