// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/records/iterations.h"
#include "db/sqlite.h"

namespace pippin::db {

/// Stores the lines of a run that has none yet.
void put_iterations(Connection& connection, std::int64_t run, const Iterations& iterations);
/// Stores them in the place of those that the run has; what is the same is not written again.
void replace_iterations(Connection& connection, std::int64_t run, const Iterations& iterations);
std::int64_t count_iterations(Connection& connection, std::int64_t run);
void delete_iterations(Connection& connection, std::int64_t run);

/// Makes blocks of the rows that lines were up to version 13.
void pack_old_iterations(Connection& connection);

}  // namespace pippin::db
