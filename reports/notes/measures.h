// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace pippin {

/// A number as a person noted it. In the unit of whoever reads it.
struct Measure {
  double value = 0;
  double step = 0;                    ///< of its last digit; 0 where that says nothing
  std::optional<double> spread = {};  ///< what stands behind "±", whatever its writer meant by it
};

/// "5.2" and "0.1 s" of "5.2 ± 0.1 s"; nothing behind no sign.
struct SpreadParts {
  std::string_view value;
  std::optional<std::string_view> spread;
};
SpreadParts at_spread(std::string_view text);

/// "5.2 s" of "~5.2 s" and "about 5.2 s".
std::string_view without_about(std::string_view text);

/// How far "0.1 s" or "2 %" reach around a value. `unit` is what one of its numbers is in that of
/// the value. Nothing where the text is no number from 0 up.
std::optional<double> reach_of(std::string_view text, double value, double unit);

}  // namespace pippin
