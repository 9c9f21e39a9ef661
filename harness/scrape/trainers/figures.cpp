// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

/// The length of "10,050", with commas only before three digits each.
std::size_t whole_at(std::string_view text) {
  constexpr std::size_t kGroup = 3;
  std::size_t size = digits_at(text);
  if (size == 0 || size > kGroup) return size;
  while (text.substr(size).starts_with(',') && digits_at(text.substr(size + 1)) == kGroup)
    size += kGroup + 1;
  return size;
}

std::size_t exponent_at(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 2 : 1;
  const std::size_t digits = digits_at(text.substr(sign));
  return digits > 0 ? sign + digits : 0;
}

double factor_of(char suffix) {
  switch (suffix) {
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
    case 'B':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 0;
  }
}

bool is_of_name(char c) { return is_word(c) || c == '/' || c == '-' || c == '.'; }

}  // namespace

std::optional<Figure> figure_at(std::string_view text, Suffixes suffixes) {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  std::size_t size = sign + whole_at(text.substr(sign));
  std::size_t decimals = 0;
  if (text.substr(size).starts_with('.')) {
    decimals = digits_at(text.substr(size + 1));
    if (size == sign && decimals == 0) return std::nullopt;
    size += 1 + decimals;
  }
  if (size == sign) return std::nullopt;
  const std::size_t exponent = exponent_at(text.substr(size));
  std::string digits(text.substr(sign, size - sign + exponent));
  std::erase(digits, ',');
  if (digits.ends_with('.')) digits.pop_back();
  const auto number = parse_number(digits);
  if (!number) return std::nullopt;
  double scale = 1;
  if (exponent > 0) {
    const auto power = parse_integer(text.substr(size + 1, exponent - 1));
    if (!power) return std::nullopt;
    scale = std::pow(10, static_cast<double>(*power));
  }
  size += exponent;
  double factor = 1;
  if (suffixes == Suffixes::kThousands && size < text.size() && factor_of(text[size]) > 0) {
    factor = factor_of(text[size]);
    ++size;
  }
  return Figure{(sign > 0 && text[0] == '-' ? -1 : 1) * *number * factor,
                std::pow(10, -static_cast<double>(decimals)) * scale * factor, size};
}

std::optional<Figure> whole_figure(std::string_view text) {
  const auto figure = figure_at(text);
  return figure && figure->size == text.size() ? figure : std::nullopt;
}

std::size_t find_key(std::string_view text, std::string_view key, std::size_t from) {
  for (auto at = text.find(key, from); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at == 0 || !is_of_name(text[at - 1]) || !is_of_name(key.front())) return at;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> text_after(std::string_view text, std::string_view key) {
  const auto at = find_key(text, key);
  if (at == std::string_view::npos) return std::nullopt;
  return left_trim(text.substr(at + key.size()));
}

std::optional<Figure> figure_after(std::string_view text, std::string_view key, Suffixes suffixes) {
  const auto rest = text_after(text, key);
  return rest ? figure_at(*rest, suffixes) : std::nullopt;
}

Count count_of(const std::optional<Figure>& figure) {
  return figure ? whole_number(figure->value) : std::nullopt;
}

Count count_after(std::string_view text, std::string_view key) {
  return count_of(figure_after(text, key));
}

std::optional<double> duration_at(std::string_view text) {
  constexpr double kSixty = 60, kHoursOfDay = 24;
  double days = 0;
  if (const auto number = digits_at(text); number > 0 && text.substr(number).starts_with('-')) {
    days = static_cast<double>(parse_integer(text.substr(0, number)).value_or(0));
    text.remove_prefix(number + 1);
  }
  double total = 0;
  std::size_t parts = 0;
  for (;;) {
    const auto part = figure_at(text);
    if (!part || part->value < 0) return std::nullopt;
    total = total * kSixty + part->value;
    ++parts;
    text.remove_prefix(part->size);
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  if (parts < 2 || parts > 3) return std::nullopt;
  return total + days * kHoursOfDay * kSixty * kSixty;
}

double near_power_of_two(double number) {
  constexpr double kNear = 0.01;
  if (!(number > 0)) return number;
  const double power = std::exp2(std::round(std::log2(number)));
  return std::abs(power - number) <= kNear * power ? power : number;
}

std::optional<double> whole_within(double number, double unsure) {
  constexpr double kOnlyOne = 0.4;
  const double whole = std::round(number);
  if (unsure < kOnlyOne && whole > 0)
    return std::abs(number - whole) <= unsure + 1e-6 ? std::optional(whole) : std::nullopt;
  const double power = near_power_of_two(number);
  const bool is_power = power >= 1 && std::exp2(std::round(std::log2(power))) == power;
  return is_power && std::abs(number - power) <= unsure ? std::optional(power) : std::nullopt;
}

}  // namespace pippin
