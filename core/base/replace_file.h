// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/files.h"

namespace pippin {

/// Makes the folders that a path lies in. Errors: Error (machine).
void make_parents(const fs::path& path);

/// What FileSystem::write() does on the disk, or write_private().
void replace_file(const fs::path& path, std::string_view text, bool is_private = false);

}  // namespace pippin
