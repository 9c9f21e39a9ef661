// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/records/point.h"

namespace pippin {

/// What a person wrote in a cell, without emphasis: "54.5" of "**54.5**".
std::string_view plain_text(std::string_view cell);

/// The number that is the whole of a cell; a comma separates thousands: "1,024", "46.7", "-3".
/// Nothing for "46,7": it may be either.
std::optional<double> number_in(std::string_view cell);

/// The same where it is a whole number.
Count count_in(std::string_view cell);

/// A time with its unit: "0.661s", "1.5 s", "104 ms", "2 min"; without one that of the column's
/// title, "Time (ms)", else seconds. Just as written: "0.661" is the double nearest to 661.
std::optional<double> milliseconds_in(std::string_view cell, std::string_view title);

/// A model's size in parameters: "52B", "7.5B", "124M"; billions where neither the cell nor the
/// title has a unit.
std::optional<double> parameters_in(std::string_view cell, std::string_view title);

/// "26GB", "26 GiB", "26000 MiB"; GiB where neither the cell nor the title has a unit. People
/// write GB for what tools print in GiB: it is taken as that.
std::optional<double> mebibytes_in(std::string_view cell, std::string_view title);

}  // namespace pippin
