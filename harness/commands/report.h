// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/selections.h"
#include "reports/compare/comparison.h"
#include "reports/page/page.h"

namespace pippin {

/// Errors: Error (bad input) where options are wrong whatever the database holds.
void check_report(const ReportOptions& options);

/// A report of rows that may be made when they are looked at.
Report report_to_write(const Globals& globals, Database& database, const ReportOptions& options);

/// What a report's options say of its rows and columns.
Report report_of(const Globals& globals, Database& database, const ReportOptions& options);

/// Leaves out what is behind so many rows; 0: nothing.
void cut_to_limit(Report& table, std::int64_t limit);

/// The same as a page, with every run behind it and what was found out of them.
Page page_of(const Globals& globals, Database& database, const ReportOptions& options,
             Report table);
/// All that a report's page has, and first what is said of the noise.
Page noise_page_of(const Globals& globals, Database& database, const NoiseOptions& options);
/// What `compare` writes, in any of its formats.
ComparisonTable comparison_of(const Globals& globals, Database& database,
                              const CompareOptions& options);
/// What the reader named, one by one; each campaign where rows are by campaign.
std::vector<Selected> selections_of(const Globals& globals, Database& database,
                                    const ReportOptions& options);

/// `report --checkpoints`, `--collectives` and `--against-model`: other rows of the same database.
ExitCode report_checkpoints(const Globals& globals, const ReportOptions& options);
ExitCode report_collectives(const Globals& globals, const ReportOptions& options);
ExitCode report_against_model(const Globals& globals, const ReportOptions& options);

/// `report --plot`: a picture of the same rows.
ExitCode report_plot(const Globals& globals, const ReportOptions& options);

}  // namespace pippin
