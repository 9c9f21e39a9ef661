// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/row_range.h"

namespace pippin {

/// The share of a row's mean that half of its strip stands for: the same for all rows, so that a
/// wide one shows a noisy row; 1, 2 or 5 times a power of ten, at least 1 %.
double strip_scale(const RowRange& rows);

/// "times ±20 %": what a strip's ends are.
std::string strip_title(double scale);

/// What the signs of a strip mean, for below a table.
inline constexpr const char* kStripLegend =
    "times: • an allocation's mean, ─ the middle half of the lines, · all of them";

/// How a row's times lie about its mean, slower to the right: "·" where there are lines, "─" the
/// middle half of them, "•" an allocation's mean ("●" several), "‹" and "›" more beyond the end.
/// Empty without a time.
std::string strip(const Summary& row, double scale);

}  // namespace pippin
