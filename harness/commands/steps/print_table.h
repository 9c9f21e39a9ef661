// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "core/base/files.h"
#include "reports/flat_table.h"
#include "reports/page/page.h"

namespace pippin {

/// Whether a format is read by people, who want several tables with words between them.
bool is_for_people(const std::string& format);

/// Writes a table that goes to standard output, or to a file that is named; a terminal gets it as
/// wide as it is, and in its colours. Errors: as flat_format_named().
void write_table(FlatTable table, const std::string& format, std::ostream& out,
                 const fs::path& file = {});

/// Writes the text of a format to standard output, or to a file that is named. Errors: as
/// write_output(), FileSystem::write().
void print_text(const std::string& text, const std::string& format, const fs::path& file = {});

/// The same of a page with that document. Errors: as print_text().
void print_page(const std::string& document, const fs::path& file);

/// Both. Errors: as the two.
void print_table(FlatTable table, const std::string& format, const fs::path& file = {});

}  // namespace pippin
