// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>

#include "core/base/files.h"

namespace pippin {

/// A file that is written as its text is made, for what is too long for memory; what
/// FileSystem::write() promises holds for it, too: it takes its place at once and durably, in
/// put_in_place(), or it leaves nothing.
class StreamedFile {
 public:
  /// Makes the parent directories. Errors: Error (machine); bad input where there is something that
  /// is no file: a device, a pipe, a folder.
  explicit StreamedFile(const fs::path& path);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  /// Fails where the text cannot be written; put_in_place() says why.
  std::ostream& stream();
  /// To be called once. Errors: Error (machine), also of what failed in the stream before.
  void put_in_place();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

}  // namespace pippin
