#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include "db/database.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/records/point.h"

namespace pippin {

/// What a log cannot say and other rooms can: called for the model of every launch that was read.
using CompleteModel = std::function<void(Model&)>;

/// Reads logs into the database: files as they are named, folders with all below them. A line on
/// `errors` for each that cannot be read or, named, is no log; the rest goes on, and what was read
/// stays. One on `remarks` that sums up.
/// Shape: kBadInput where a file that was named holds no log or cannot be read; a folder may hold
/// anything. Errors: as Database.
ExitCode collect_paths(Database& database, const std::vector<fs::path>& paths,
                       const CompleteModel& complete_model, std::ostream& errors,
                       std::ostream& remarks);

}  // namespace pippin
