// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/written.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include "core/base/text.h"

namespace pippin {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "1024" of "1,024"; nothing where the commas separate no thousands.
std::optional<std::string> without_thousands(std::string_view number) {
  constexpr std::size_t kGroup = 3;
  const std::string_view whole = number.substr(0, number.find_first_of(".eE"));
  const auto groups = split(whole, ',');
  if (groups.size() == 1) return std::string(number);
  const auto& first = groups.front();
  bool right = !first.empty() && first.size() <= kGroup && first[0] != '0';
  std::string result(first);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    right = right && groups[i].size() == kGroup;
    result += groups[i];
  }
  if (!right) return std::nullopt;
  result += number.substr(whole.size());
  return result;
}

/// Length of the number that `text` begins with.
std::size_t number_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::size_t length = at(0) == '-' || at(0) == '+' ? 1 : 0;
  while (is_digit(at(length)) || at(length) == '.' || at(length) == ',') ++length;
  const bool exponent = at(length) == 'e' || at(length) == 'E';
  const std::size_t sign = at(length + 1) == '-' || at(length + 1) == '+' ? 1 : 0;
  if (!exponent || !is_digit(at(length + 1 + sign))) return length;
  length += 1 + sign;
  while (is_digit(at(length))) ++length;
  return length;
}

}  // namespace

double Written::step() const {
  if (number.find_first_of("eE") != std::string::npos) return 0;
  const auto point = number.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : number.size() - point - 1;
  constexpr double kTen = 10;
  return std::pow(kTen, -static_cast<double>(decimals));
}

std::optional<Written> written_in(std::string_view text) {
  const std::size_t length = number_length(text);
  const auto number = without_thousands(text.substr(0, length));
  if (!number || !parse_number(*number)) return std::nullopt;
  return Written{*number, lower(trim(text.substr(length)))};
}

double shifted(const std::string& number, int exponent) {
  const bool scientific = number.find_first_of("eE") != std::string::npos;
  if (scientific) return parse_number(number).value() * std::pow(10.0, exponent);
  return parse_number(number + "e" + std::to_string(exponent)).value_or(HUGE_VAL);
}

std::string_view divisor_of(std::string_view unit) {
  constexpr std::string_view kPer = " per ";
  const auto slash = unit.find('/'), per = unit.find(kPer);
  if (slash == std::string_view::npos && per == std::string_view::npos) return {};
  return trim(slash < per ? unit.substr(slash + 1) : unit.substr(per + kPer.size()));
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  name = trim(name.substr(0, std::min(name.find('/'), name.find(" per "))));
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

std::optional<std::string> bracketed(std::string_view title) {
  const std::string text = lower(trim(title));
  const auto open = text.find_last_of("([");
  if (open == std::string::npos || text.find_first_of(")]", open) != text.size() - 1)
    return std::nullopt;
  return std::string(trim(std::string_view(text).substr(open + 1, text.size() - open - 2)));
}

const Unit* unit_in_title(std::span<const Unit> units, std::string_view title) {
  if (const auto inside = bracketed(title)) return find_unit(units, *inside);
  constexpr std::array<std::string_view, 6> kClear{"ms", "msec", "mib", "mb", "gib", "gb"};
  std::string word;
  for (const char c : lower(trim(title)) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    const bool clear = std::find(kClear.begin(), kClear.end(), word) != kClear.end();
    const Unit* unit = clear ? find_unit(units, word) : nullptr;
    if (unit) return unit;
    word.clear();
  }
  return nullptr;
}

}  // namespace pippin
