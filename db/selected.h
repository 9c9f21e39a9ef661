// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/database.h"
#include "db/sqlite.h"

namespace pippin::db {

/// Some columns of the runs of a sweep and campaign, of all where none is named; `joins` go on from
/// runs, allocations, campaigns and sweeps.
Statement selected(Connection& connection, const SampleFilter& filter, const std::string& columns,
                   const std::string& joins, const std::string& order);

}  // namespace pippin::db
