#pragma once

#include "db/database.h"
#include "harness/cli/commands.h"
#include "reports/format.h"

namespace CLI {
class App;
}

namespace pippin {

/// What a report's options say of its rows and columns.
Report report_of(const Globals& globals, Database& database, const ReportOptions& options);

/// Adds the options of a report that say what its table is: all but --update.
void add_table_options(CLI::App& command, ReportOptions& options);

/// Rewrites the tables that a document marks.
ExitCode update_notes(const Globals& globals, const fs::path& file);

}  // namespace pippin
