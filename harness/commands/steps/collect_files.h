#pragma once

#include <iosfwd>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/records/point.h"
#include "db/database.h"

namespace pippin {

/// Reads logs into the database: files as they are named, folders with all below them. A line on
/// `errors` for each that cannot be read or, named, is no log; the rest goes on, and what was read
/// stays. One on `remarks` that sums up.
/// Shape: kBadInput where a file that was named holds no log or cannot be read; a folder may hold
/// anything. Errors: as Database.
/// `own_runs`: where runs of campaigns lie, which are known again by others than this.
ExitCode collect_paths(Database& database, const std::vector<fs::path>& paths,
                       const fs::path& own_runs, std::ostream& errors, std::ostream& remarks);

}  // namespace pippin
