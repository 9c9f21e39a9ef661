#include "reports/notes/quantities.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"

namespace pippin {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The digits that a cell begins with, and what is behind them.
struct Written {
  std::string number;  ///< as parse_number() wants it
  std::string unit;    ///< in lower case; empty where there is none
};

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

std::optional<Written> written_in(std::string_view cell) {
  const std::string_view text = plain_text(cell);
  const std::size_t length = number_length(text);
  const auto number = without_thousands(text.substr(0, length));
  if (!number || !parse_number(*number)) return std::nullopt;
  return Written{*number, lower(trim(text.substr(length)))};
}

/// Ten to the power of `exponent` times the number, rounded once: 0.661 s are 661 ms.
double shifted(const std::string& number, int exponent) {
  const bool scientific = number.find_first_of("eE") != std::string::npos;
  if (scientific) return parse_number(number).value() * std::pow(10.0, exponent);
  return parse_number(number + "e" + std::to_string(exponent)).value_or(HUGE_VAL);
}

struct Unit {
  std::string_view name;
  int exponent;       ///< of ten
  double factor = 1;  ///< beside that
};

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

constexpr int kToMillion = 6, kToBillion = 9, kToTrillion = 12;
constexpr std::array<Unit, 9> kSizes{{{"b", kToBillion},
                                      {"bn", kToBillion},
                                      {"billion", kToBillion},
                                      {"billions", kToBillion},
                                      {"m", kToMillion},
                                      {"million", kToMillion},
                                      {"millions", kToMillion},
                                      {"k", kToMilli},
                                      {"t", kToTrillion}}};

constexpr std::array<Unit, 8> kMemories{{{"gib", 0, kMibPerGib},
                                         {"gb", 0, kMibPerGib},
                                         {"g", 0, kMibPerGib},
                                         {"mib", 0},
                                         {"mb", 0},
                                         {"m", 0},
                                         {"tib", 0, kMibPerGib* kMibPerGib},
                                         {"tb", 0, kMibPerGib* kMibPerGib}}};

template <typename Units>
const Unit* find_unit(const Units& units, std::string_view name) {
  // "s/iter" and "s per step" are seconds.
  name = trim(name.substr(0, std::min(name.find('/'), name.find(" per "))));
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

/// The unit in brackets at the end of a title, or one of its words that can mean nothing else:
/// "Time (min)", but not "min time".
template <typename Units>
const Unit* unit_in_title(const Units& units, std::string_view title) {
  const std::string text = lower(trim(title));
  const auto open = text.find_last_of("([");
  if (open != std::string::npos && text.find_first_of(")]", open) == text.size() - 1) {
    return find_unit(units, trim(std::string_view(text).substr(open + 1, text.size() - open - 2)));
  }
  constexpr std::array<std::string_view, 6> kClear{"ms", "msec", "mib", "mb", "gib", "gb"};
  std::string word;
  for (const char c : text + " ") {
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

/// The first of `units` where nothing names one.
template <typename Units>
std::optional<double> quantity_in(const Units& units, std::string_view cell,
                                  std::string_view title) {
  const auto written = written_in(cell);
  if (!written) return std::nullopt;
  const Unit* unit = &units.front();
  if (!written->unit.empty()) {
    unit = find_unit(units, written->unit);
  } else if (const Unit* of_title = unit_in_title(units, title)) {
    unit = of_title;
  }
  if (!unit) return std::nullopt;
  const double value = shifted(written->number, unit->exponent) * unit->factor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view plain_text(std::string_view cell) {
  constexpr std::string_view kEmphasis = "*_` \t";
  const auto first = cell.find_first_not_of(kEmphasis);
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(kEmphasis) - first + 1);
}

std::optional<double> number_in(std::string_view cell) {
  const auto written = written_in(cell);
  return written && written->unit.empty() ? parse_number(written->number) : std::nullopt;
}

Count count_in(std::string_view cell) {
  constexpr double kMost = 1e15;
  const auto number = number_in(cell);
  const bool whole = number && std::abs(*number) < kMost && std::floor(*number) == *number;
  return whole ? Count(static_cast<std::int64_t>(*number)) : Count();
}

std::optional<double> milliseconds_in(std::string_view cell, std::string_view title) {
  return quantity_in(kTimes, cell, title);
}

std::optional<double> parameters_in(std::string_view cell, std::string_view title) {
  return quantity_in(kSizes, cell, title);
}

std::optional<double> mebibytes_in(std::string_view cell, std::string_view title) {
  return quantity_in(kMemories, cell, title);
}

}  // namespace pippin
