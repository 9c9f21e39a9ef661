// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/input_file.h"

namespace pippin {

/// The bytes of a compressed file for its decompressor, and what is wrong with them.
class CompressedFile {
 public:
  /// As decompressed().
  CompressedFile(const fs::path& path, std::string_view compression, std::string_view first,
                 InputFile& rest)
      : path_(path), compression_(compression), part_(first), rest_(rest) {}

  /// Empty at the end. Shape: valid until the next call that is not empty.
  std::string_view next();
  std::int64_t given_bytes() const { return given_bytes_; }

  /// Refuses what stands behind the compressed data but NULs, which pad them. Requires that
  /// `left_bytes` at most of those given were not needed.
  void look_behind(std::size_t left_bytes);
  [[noreturn]] void cut_off() const;
  /// Cut off, where all was given; else damaged. `why`: a library's words.
  [[noreturn]] void fail(std::string_view why) const;

 private:
  const fs::path path_;
  const std::string_view compression_;
  std::string_view part_;
  InputFile& rest_;
  std::int64_t given_bytes_ = 0;
  bool begun_ = false, gave_end_ = false;
};

}  // namespace pippin
