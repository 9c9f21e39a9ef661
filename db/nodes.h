#pragma once

#include <string>

#include "db/sqlite.h"

namespace pippin::db {

/// Stores on which nodes a run was, in place of what it had; none where `node_list` is no list of
/// hosts.
void put_nodes(Connection& connection, std::int64_t run, const std::string& node_list);

/// Stores the nodes of all runs that have none.
void put_all_nodes(Connection& connection);

}  // namespace pippin::db
