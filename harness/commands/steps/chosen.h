// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// The run of that name or number, or "SWEEP/RUN".
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
