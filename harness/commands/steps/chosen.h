// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// The runs of that name or number; of "SWEEP/RUN" or "SWEEP/2/RUN" those of that sweep or
/// campaign.
std::vector<RunName> runs_called(Database& database, const std::string& name);

/// That run. Errors: Error (bad input) naming their numbers where there are several. Requires one.
RunName only_one(const Globals& globals, const std::vector<RunName>& runs, const std::string& name);

/// The run that runs_called() finds.
/// Errors: Error (bad input) naming the nearest where there is none, or all where there are
/// several.
RunName run_named(const Globals& globals, Database& database, const std::string& name);

/// The runs, campaigns (SWEEP/2, tags), and sweeps with all of their campaigns, of those names.
/// Errors: Error (bad input) where one is no name, or one of several things.
Chosen chosen_by(const Globals& globals, Database& database, const std::vector<std::string>& names);

/// "3 runs are dropped: bad node (2), wrong image (1)"; empty where none is.
std::string dropped_text(const std::vector<DroppedRuns>& dropped);

/// A remark on what results leave out.
void say_what_is_set_aside(const Globals& globals, Database& database, const SampleFilter& filter);

}  // namespace pippin
