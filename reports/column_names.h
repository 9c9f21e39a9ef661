// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// What a column of a table can be, whoever made the table.
struct ColumnName {
  std::string name;                  ///< "step_time": on the command line and in the program
  std::string title;                 ///< "step time": above the column
  std::vector<std::string> aliases;  ///< what people write instead: "Speed", "sec/iter"
};

/// Every column that is known; no two share a name, a title or an alias.
const std::vector<ColumnName>& column_names();

/// The column that people mean by a title, or nothing.
/// Shape: case does not count, nor does anything but letters and digits, nor a unit in brackets at
/// the end: "PP Chunks" and "pp_chunks" are gas, "Time (ms)" is step_time.
const ColumnName* find_column_name(std::string_view written);

/// An own axis's name for a title that is none of the above: "Opt Offl" is "opt_offl". Always an
/// identifier, and never a name that a point has otherwise.
std::string axis_name_of(std::string_view title);

}  // namespace pippin
