// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"

namespace pippin {

/// Of a file that cannot be read for what the machine does, not for what it is or who asks: a disk
/// that fails, too many files that are open.
class BrokenFile : public Error {
 public:
  using Error::Error;
};

/// Whether a system error says so.
bool is_of_machine(int error);

/// Gives bytes, from their beginning to their end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The next of them; empty at the end. Shape: valid until the next call.
  /// Errors: Error (bad input).
  virtual std::string_view next() = 0;
};

/// Hears of each part that was read how many bytes it has.
using TellBytes = std::function<void(std::int64_t bytes)>;

/// What a path leads to that is neither a file nor a folder: "a FIFO", "a socket", "a device";
/// empty where it is one of those, or nothing.
std::string odd_kind(const fs::path& path);

/// Whether a path leads to something that can be read but once: standard input, a descriptor of
/// ours that is a pipe (/dev/fd/63), or anything else that is no file.
bool is_read_once(const fs::path& path);

/// The file that a shell gave as standard input or as a descriptor, at its beginning; else `path`.
fs::path file_behind(const fs::path& path);

/// A file, also a packed one (packed_files.h), read in parts. Nothing is opened that could hold us
/// up, or do something by being opened: only regular files, FIFOs that somebody writes to, and what
/// is open already: standard input and other descriptors (/dev/fd/63). `is_file`: it was seen to be
/// a regular one, so that nobody has to look before it is opened. Errors: Error (bad input) where
/// it cannot be read, or is none of these; a BrokenFile.
class InputFile : public ByteSource {
 public:
  explicit InputFile(const fs::path& path, TellBytes tell = {}, bool is_file = false);
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// kPartBytes, or what is left.
  std::string_view next() override;
  /// Goes on behind a hole that begins here, if a file system knows of one: terabytes of NULs that
  /// are nowhere on a disk.
  void skip_hole();
  bool at_end() const { return at_end_; }

 private:
  std::string_view next_packed();
  std::size_t read_some(char* to, std::size_t most);
  void wait_for_writer();

  const fs::path path_;
  const TellBytes tell_;
  int descriptor_ = -1;
  bool is_fifo_ = false;
  bool has_writer_ = false, at_end_ = false;
  std::unique_ptr<char[]> part_;
  std::unique_ptr<ByteSource> packed_;  ///< where it was packed
};

}  // namespace pippin
