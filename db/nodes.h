// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/records/run.h"
#include "db/batch.h"

namespace pippin::db {

/// Stores on which nodes a run was that has none, and in place of what it had.
void add_nodes(Batch& batch, std::int64_t run, const std::vector<RunNode>& nodes);
void put_nodes(Batch& batch, std::int64_t run, const std::vector<RunNode>& nodes);

/// Stores the nodes of all runs that have none but a list of them.
void put_all_nodes(Connection& connection);

}  // namespace pippin::db
