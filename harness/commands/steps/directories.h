#pragma once

#include <string>

#include "core/base/files.h"

namespace pippin {

/// Where a database keeps the files of its runs: absolute.
fs::path runs_directory(const fs::path& db);
/// The files of one sweep: below it, by the sweep's name.
fs::path sweep_directory(const fs::path& db, const std::string& sweep);

/// Where the probes lie: beside this program when it was built, or where it was installed.
fs::path probes_directory();

}  // namespace pippin
