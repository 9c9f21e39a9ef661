// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/input_file.h"
#include "core/base/text_filter.h"

namespace pippin {

struct TextOptions {
  bool any = false;      ///< a binary file is read, too; and nothing is decompressed
  TellBytes tell = {};   ///< hears of the bytes of the file, not of its text
  bool is_file = false;  ///< as InputFile has it
};

/// How a file was read as a text.
struct TextRead {
  std::string refused;    ///< why it can be no log; empty where it may be one
  bool as_it_is = false;  ///< its text is its bytes
  bool compressed = false;
};

/// Gives the text of a file in parts, in constant memory, as long as `take` returns true: of
/// UTF-16 and UTF-8 with their mark in front as UTF-8 without, of gzip, xz, zstd and bzip2 what
/// they hold, without the lines that holes of NULs have cut. A binary file is given up soon, when
/// some parts may have been given. Errors: as InputFile and decompressed().
TextRead read_text(const fs::path& path, const TakeText& take, const TextOptions& options = {});

/// Whether what begins so, without a NUL in it, is read as it is. Requires the first
/// kBytesOfKind, which say it.
bool is_plain(std::string_view beginning);
constexpr std::size_t kBytesOfKind = 10;

}  // namespace pippin
