// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/base/input_file.h"

namespace pippin {

/// By what a file is compressed: "gzip", "xz", "zstd", "bzip2"; empty where it is not. Its first
/// bytes say it, whatever its name is.
std::string_view compression_of(std::string_view beginning);
constexpr std::size_t kBytesOfCompression = 10;  ///< that say it

/// What the file in a compressed one is called: "run.log" for "run.log.gz".
fs::path name_within(const fs::path& path);

/// What a compressed file holds, in constant memory. `first`: what was read of it, to which `rest`
/// goes on; both must outlive it. Requires that it is compressed.
/// Errors: Error (bad input) where it is damaged, ends in the midst, or more stands behind it; what
/// came before may be wrong.
std::unique_ptr<ByteSource> decompressed(const fs::path& path, std::string_view first,
                                         InputFile& rest);

}  // namespace pippin
