// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace pippin::test {

/// Those of gzip, xz, zstd and bzip2 that are here.
std::vector<std::string> compressors();

/// Writes what a program makes of a text to a file.
void compress(const std::string& program, const std::string& text, const fs::path& file);

}  // namespace pippin::test
