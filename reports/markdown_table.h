// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "reports/text_table.h"

namespace pippin {

/// A table in Markdown, its columns as wide as their widest cell.
void write_markdown_table(const std::vector<TextColumn>& columns, std::ostream& out);

/// The same of a cell, in which a pipe means something, too.
std::string markdown_cell(std::string_view text);

/// A text in which nothing means anything to Markdown: "mbs*gas" is no emphasis, and a "*" at the
/// beginning no list.
std::string markdown_literal(const std::string& text);

}  // namespace pippin
