// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pippin {

/// From here on cells that a spreadsheet would compute are texts, with ' in front.
/// Source: OWASP, "CSV Injection".
void write_formulas_as_text();

/// One line of CSV with its end. A cell with a comma, a quote or a line break is quoted.
/// Source: RFC 4180, but lines end in \n alone, as the shell's tools want them.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace pippin
