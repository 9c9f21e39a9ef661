// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/format.h"
#include "reports/notes/marked_tables.h"

namespace pippin {

/// What stands between the markers and pippin did not write there.
/// Shape: pippin knows its own by `<!-- pippin:wrote … -->`, which names them by hashes. Where that
/// is missing (documents before 0.3), the list right below the table is pippin's. `table`: what
/// stands there, or null.
KeptLines kept_lines(std::string_view document, const MarkedTable& place,
                     const MarkdownTable* table);

/// Errors: Error (bad input) `FILE:LINE: …` where a column of the old table is a person's: neither
/// written by pippin, nor one that the new table has, nor notes.
void refuse_columns_of_people(std::string_view document, const MarkedTable& place,
                              const MarkdownTable& old, const Report& report,
                              const std::string& file);

/// The comment that names what pippin has written: titles of columns, and lines below the table.
std::string wrote_comment(const std::vector<std::string>& texts);

}  // namespace pippin
