#pragma once

#include "core/base/files.h"

namespace pippin {

/// Holds a lock file for this process; the kernel lets go of it when the process ends, however.
class FileLock {
 public:
  /// Errors: Error (machine) naming the process that holds it.
  explicit FileLock(const fs::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

}  // namespace pippin
