// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/embedded_file.h"
#include "db/sqlite.h"

namespace pippin {

/// The files of migrations/: number i leads from version i to version i + 1.
const std::vector<EmbeddedFile>& migrations();
/// schema.sql: what they come to, rows too.
const std::vector<EmbeddedFile>& schema();

}  // namespace pippin

namespace pippin::db {

/// Makes the tables of an empty database, or brings an older one up to this program's version, all
/// at once or nothing.
/// Errors: Error (bad input) for a file of another program, and for a newer version.
void migrate(Connection& connection);

/// Whether a file must be written once before this pippin can read it.
/// Errors: Error (bad input) for a file of another program, or of a newer version.
bool is_of_older_version(Connection& connection);

}  // namespace pippin::db
