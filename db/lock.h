// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/base/files.h"

namespace pippin::db {

/// True where the file system of `path` is shared between machines, so that neither SQLite's
/// write-ahead log nor its file locks can be relied on; also where that is unknown (FUSE).
bool on_network_file_system(const fs::path& path);

/// Excludes other processes on any machine, by a folder that only one can create and that says
/// whose it is. A process that was killed leaves it: the message then says how to go on.
class FolderLock {
 public:
  /// Waits up to `patience` for another's to go. Errors: Error (machine) naming host and process.
  FolderLock(const fs::path& folder, std::chrono::milliseconds patience);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  fs::path folder_;
};

}  // namespace pippin::db
