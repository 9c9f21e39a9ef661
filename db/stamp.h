// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/files.h"

namespace pippin {

/// Another text once a process has written to a database, also once it lies elsewhere; nothing
/// where there is none. It costs three looks at the disk, and opens nothing. As times of files are
/// coarse, the text of a file that was written just now changes once more when that is some seconds
/// ago.
std::optional<std::string> stamp_of_database(const fs::path& path);

}  // namespace pippin
