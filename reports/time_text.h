// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/row_range.h"

namespace pippin {

/// What the cells of a column of step times share: its unit, and how wide their parts are, so that
/// they stand below one another.
struct TimeStyle {
  const char* unit = "s";
  double units_per_s = 1;
  std::size_t mean = 0, half_width = 0;
};

/// Milliseconds where every step is shorter than a tenth of a second; microseconds where they are
/// single calls and products, too. `aligned`: with the widths of the parts.
TimeStyle time_style_for(const RowRange& rows, std::optional<int> decimals, bool aligned);

/// "1.427 s ± 0.012", then its marks: "*" where lines are in the mean that are no clean samples,
/// "~" where runs that changed pace. A time that was written down by hand keeps its digits. Empty
/// without a time.
std::string time_text(const Summary& row, const TimeStyle& style, std::optional<int> decimals);

}  // namespace pippin
