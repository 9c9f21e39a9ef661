// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/whole_run.h"
#include "db/sqlite.h"

namespace pippin::db {

/// Requires that it is stored.
ListedRun listed_run(Connection& connection, std::int64_t run, std::int64_t digest_version);

}  // namespace pippin::db
