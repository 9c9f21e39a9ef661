// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pippin {

/// Columns that `text` takes on a terminal.
std::size_t display_width(std::string_view text);

/// `text` in at most `width` columns, its middle replaced by "…" where it is longer: names of
/// points differ at their ends.
std::string shortened(std::string_view text, std::size_t width);

/// `text` broken at blanks into lines of at most `width` columns (0: no limit). The first keeps its
/// leading blanks, later ones are indented. A longer word stays whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace pippin
