// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace pippin {

/// How a number is written.
struct NumberStyle {
  std::size_t decimals = 0;
  bool comma = false;  ///< "46,7"
  friend bool operator<(const NumberStyle& a, const NumberStyle& b) {
    return std::tie(a.decimals, a.comma) < std::tie(b.decimals, b.comma);
  }
};

/// The TFLOPS that a cell states.
struct StatedTflops {
  std::string_view digits;  ///< that part of the cell's text: without emphasis
  double value = 0;
  std::optional<NumberStyle> style;  ///< nothing of "0" and "1e3", which say nothing of decimals

  /// Off by no more than half of its last decimal. Halves are right either way.
  bool is_right(double tflops) const;
};

/// Nothing where the cell is no number.
std::optional<StatedTflops> stated_tflops(std::string_view cell);

std::string number_text(double number, NumberStyle style);

/// How often each style was seen.
using Styles = std::map<NumberStyle, std::size_t>;

/// How the cells around one are written.
struct Surroundings {
  Styles right, any;                    ///< in the table: of numbers that are right, of all
  Styles document_right, document_any;  ///< the same in all tables
};

/// The style that a cell's new number gets: decimals are those of the numbers around it. A cell
/// alone in its table keeps its own, unless its number is far off: who knows what that was.
NumberStyle style_for(const StatedTflops& stated, double tflops, const Surroundings& around);

}  // namespace pippin
