#pragma once

#include <string_view>
#include <vector>

#include "db/sqlite.h"

namespace pippin::db {

/// The texts of migrations/*.sql: migration i leads from version i to version i + 1.
const std::vector<std::string_view>& migrations();

/// Brings a new or an older database up to this program's version, each step at once or not at all.
/// Errors: Error (bad input) for a file of another program, and for a newer version.
void migrate(Connection& connection);

}  // namespace pippin::db
