// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/files.h"

namespace pippin {

/// Where a database keeps the files of its runs: absolute. One that is a link shares its target's.
fs::path runs_directory(const fs::path& db);
/// The files of one sweep: below it, by the sweep's name.
fs::path sweep_directory(const fs::path& db, const std::string& sweep);

/// Where the probes lie: beside this program when it was built, else where `pippin probes build`
/// has put the user's own, else where the program was installed.
fs::path probes_directory();
/// Where `pippin probes build` puts them: so that probes_directory() finds them, in the folder of
/// the program if the user may write there, else in one of the user's own. What it has not built
/// itself it leaves alone. Errors: Error (machine) where neither HOME nor XDG_DATA_HOME is set.
fs::path place_for_probes();
/// A file that `pippin probes build` leaves beside the probes: what they were built with.
inline constexpr const char* kBuiltProbes = "built.txt";

/// The probes' source that came with this program; empty where none did.
fs::path probes_source();
/// What to do about probes that are not here: words for a message; `with` is "" or " --with cuda".
std::string how_to_get_probes(const std::string& with);

}  // namespace pippin
