// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace pippin {

/// The decoder of one compression. A compressed file is one or more files, one behind the other.
class Codec {
 public:
  virtual ~Codec() = default;

  struct Step {
    std::size_t taken = 0, given = 0;  ///< bytes
    bool ended = false;                ///< a file in it
    const char* trouble = nullptr;     ///< why it cannot go on, in the library's words
  };
  /// `part` may be empty, `room` not.
  virtual Step step(std::string_view part, char* text, std::size_t room) = 0;
  /// Whether another file may begin so.
  virtual bool may_begin(unsigned char first) const = 0;
  /// To be called between two files.
  virtual void begin() = 0;
};

/// Of "gzip", "xz", "zstd" or "bzip2".
std::unique_ptr<Codec> codec_of(std::string_view compression);

}  // namespace pippin
