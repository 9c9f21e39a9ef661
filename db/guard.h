// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/sqlite.h"

namespace pippin::db {

/// Refuses a file whose schema would have SQLite do what is none of pippin's: another's trigger on
/// a table of ours, another view or a virtual table in the place of one. What people have added
/// beside them is never run.
/// Errors: Error (bad input) naming what is not ours.
void refuse_strange_schema(Connection& connection);

}  // namespace pippin::db
