// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/plot/plot.h"

namespace pippin {

/// Where a value lies between the ends of an axis: 0 to 1.
double share_of(const PlotAxis& axis, double value);

/// In which of so many columns it lies; nothing where it is beyond the ends.
std::optional<std::size_t> column_of(const PlotAxis& axis, double value, std::size_t columns);

/// Some columns of a line: those of the points.
struct Columns {
  std::size_t first = 0, count = 0;
};

/// A label in a line of its own.
struct AxisLabel {
  std::size_t start = 0, width = 0;  ///< in the line
  std::size_t tick = 0;              ///< of the points' columns, the one it is of
  std::string text;
};

/// The labels of an axis, each in the middle below its tick as far as the line has room; every so
/// manieth, so that two blanks part them.
std::vector<AxisLabel> labels_below(const PlotAxis& axis, const Columns& columns,
                                    const PlotStyle& style);

}  // namespace pippin
