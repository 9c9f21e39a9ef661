#pragma once

#include <string>
#include <vector>

namespace pippin {

/// One line of CSV with its end. A cell with a comma, a quote or a line break is quoted.
/// Source: RFC 4180, but lines end in \n alone, as the shell's tools want them.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace pippin
