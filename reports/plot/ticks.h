// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pippin {

/// A named place on an axis.
struct PlotTick {
  double at = 0;
  std::string text;
};

/// Round numbers from `low` to `high`, at most so many: 1, 2 or 5 times a power of ten apart.
/// Requires low < high.
std::vector<PlotTick> linear_ticks(double low, double high, std::size_t most);

/// The same for a logarithmic axis: of each power of ten as many round numbers as fit.
/// Requires 0 < low < high.
std::vector<PlotTick> log_ticks(double low, double high, std::size_t most);

/// Hours and minutes from one moment to another, in UTC, at most so many; the first and each
/// midnight with its day.
std::vector<PlotTick> clock_ticks(std::int64_t from, std::int64_t to, std::size_t most);

/// "Nov 26"
std::string day_text(std::int64_t seconds);

}  // namespace pippin
