// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/records/whole_run.h"
#include "harness/commands/steps/output.h"
#include "reports/show/run_sheet.h"

namespace pippin {

/// Looks up in its log where the figures of a run stand. `lines`: its own. That they cannot be
/// found is said, and no error.
FigurePlaces figure_places(const Globals& globals, const WholeRun& run,
                           const std::vector<Iteration>& lines);

/// The files of a run beside its log that are there: of a campaign's run its record and canaries.
std::vector<std::string> files_beside(const WholeRun& run);

}  // namespace pippin
