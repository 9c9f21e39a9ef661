// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/stored_setup.h"
#include "reports/model_check.h"

namespace pippin {

/// A point that was measured, as an estimate sees it.
struct StoredCheck {
  ModelCheck check;
  StoredSetup stored;
  PointOrigin origin;
};

/// The points of a selection, each with what is predicted of it and what was measured.
/// Errors: as Database.
std::vector<StoredCheck> stored_checks(const Globals& globals, Database& database,
                                       const SampleFilter& filter, const GivenMachine& given);

/// Of what a person gave, what counts for none of these: they know better. Empty: nothing.
std::string what_is_known_better(const std::vector<const StoredCheck*>& checks,
                                 const GivenMachine& given);

/// What a person said of machines: a cluster's name or file, an accelerator's name; both may be
/// empty. Errors: Error (bad input) where there is none of that name.
GivenMachine given_machine(const std::string& cluster, const std::string& accelerator,
                           const std::optional<double>& node_gb_per_s);

}  // namespace pippin
