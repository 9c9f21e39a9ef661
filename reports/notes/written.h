// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pippin {

/// The digits that a text begins with, and what is behind them.
struct Written {
  std::string number;  ///< as parse_number() wants it
  std::string unit;    ///< in lower case; empty where there is none

  /// The step of the last digit: 0.01 of "1.25", 1 of "90"; 0 of "1e3", which says nothing of it.
  double step() const;
};

/// Nothing where a text begins with no number; a comma separates thousands: "1,024s", not "46,7".
std::optional<Written> written_in(std::string_view text);

/// Ten to the power of `exponent` times the number, rounded once: 0.661 s are 661 ms.
double shifted(const std::string& number, int exponent);

struct Unit {
  std::string_view name;
  int exponent;       ///< of ten
  double factor = 1;  ///< beside that
};

/// What a unit is divided by: "iter" of "s/iter" and "s per iter"; empty where by nothing.
std::string_view divisor_of(std::string_view unit);

/// The unit of that name, whatever it is divided by; null where there is none.
const Unit* find_unit(std::span<const Unit> units, std::string_view name);

/// What stands in brackets at the end of a title, in lower case; nothing where nothing does.
std::optional<std::string> bracketed(std::string_view title);

/// The unit in brackets at the end of a title, or one of its words that can mean nothing else:
/// "Time (min)", but not "min time". Null where there is none.
const Unit* unit_in_title(std::span<const Unit> units, std::string_view title);

}  // namespace pippin
