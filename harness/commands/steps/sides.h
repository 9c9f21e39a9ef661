// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "db/database.h"
#include "harness/commands/steps/output.h"
#include "reports/compare/comparison.h"

namespace pippin {

/// The runs that a word names, all with their digests.
/// Shape: a sweep (its newest campaign), "SWEEP/2", a tag, a point, days ("2026-11-19",
/// "yesterday", "-7d..today", UTC), a database file, or "FILE:" before one of the others.
/// Errors: Error (bad input) where it is none of these, or has no runs.
ComparisonSide side_named(const Globals& globals, Database& database, const std::string& name);

/// What stands in for sides that were not named.
/// Shape: of a sweep, or of the database where `base` is empty, the newest campaign and the one of
/// its sweep before it; another base is held against the newest campaign, of its own sweep if it
/// is a campaign or a tag.
/// Errors: Error (bad input) where there are no two.
std::pair<std::string, std::string> default_sides(const Globals& globals, Database& database,
                                                  const std::string& base);

}  // namespace pippin
