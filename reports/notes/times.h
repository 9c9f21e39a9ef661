// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "reports/notes/measures.h"

namespace pippin {

/// A time as a person noted it: "0.661s", "1.5 s", "104 ms", "2 min", "83,000 ms", "1m 23s",
/// "1:23" (minutes and seconds), "1:02:03", "~5.2", "5.2 ± 0.1 s", "5.2 s ± 2 %"; without a unit in
/// that of the column's title, "Time (ms)", else seconds. Just as written: "0.661" is the double
/// nearest to 661. Nothing for a time of anything but an iteration: "0.5 s/sample".
/// Unit: milliseconds.
std::optional<Measure> time_in(std::string_view cell, std::string_view title);

/// What a column "±" or "std" says of a time in another one, in the unit of that or of its own.
/// Unit: milliseconds. Nothing where it is no number from 0 up.
std::optional<double> spread_in(std::string_view cell, std::string_view title, double time_ms,
                                std::string_view time_title);

/// Whether the text behind a number is a unit of time.
bool is_time_unit(std::string_view text);

}  // namespace pippin
