#pragma once

#include <string>

#include "reports/flat_table.h"

namespace pippin {

/// Writes a table to standard output; a terminal gets it as wide as it is. Errors: as
/// flat_format_named() and write_output().
void print_table(FlatTable table, const std::string& format);

}  // namespace pippin
