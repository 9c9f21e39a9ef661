// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/database.h"
#include "harness/commands/commands.h"
#include "reports/format.h"

namespace pippin {

/// What a report's options say of its rows and columns.
Report report_of(const Globals& globals, Database& database, const ReportOptions& options);

/// `report --checkpoints`, `--collectives` and `--against-model`: other rows of the same database.
ExitCode report_checkpoints(const Globals& globals, const ReportOptions& options);
ExitCode report_collectives(const Globals& globals, const ReportOptions& options);
ExitCode report_against_model(const Globals& globals, const ReportOptions& options);

}  // namespace pippin
