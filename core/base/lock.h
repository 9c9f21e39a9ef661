// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/process.h"

namespace pippin {

/// Whether an errno says that the file system locks no files, as Lustre without -o flock.
bool means_no_locks(int error);
/// Errors: Error (machine), always: that, and what to do.
[[noreturn]] void fail_without_locks(const fs::path& path, int error);

/// A lock file, made where it is missing, and no other's file behind a link.
/// Errors: Error (machine) where it cannot be opened, or is no file.
Descriptor open_lock_file(const fs::path& path);

/// Takes the lock of an open file; false where another has it.
/// Errors: Error (machine) where the file system has no locks, or does not answer.
bool try_lock(const Descriptor& file, const fs::path& path);

/// What the holder of a lock file wrote into it: "process 4711 on login1"; empty: nothing.
std::string holder_in(const fs::path& path);

/// A file that is there while a lock is held, for nodes that do not see the lock itself.
class HolderFile {
 public:
  /// Requires the lock on this node: what this node has left there, nobody holds any more.
  /// Errors: Error (machine) naming the process of another node that made it, and what to do.
  explicit HolderFile(fs::path path, const std::string& node = host_name());
  ~HolderFile();
  HolderFile(const HolderFile&) = delete;
  HolderFile& operator=(const HolderFile&) = delete;

 private:
  fs::path path_;
};

/// Whether a process holds that lock file now, here or, where locks are local to a node, on another
/// one; true where that is not to be seen.
bool is_locked(const fs::path& path);

/// Holds a lock file for this process; the kernel lets go of it when the process ends, however.
/// Where locks are local to a node there is a HolderFile beside it, "lock.held".
class FileLock {
 public:
  /// Waits a moment for who holds it for a moment. Errors: Error (machine) naming the process that
  /// holds it; and as open_lock_file, try_lock.
  explicit FileLock(const fs::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  Descriptor file_;
  std::optional<HolderFile> held_;  ///< goes before the lock does
};

/// Makes a folder for locks that no other user can write to, where it is missing.
/// Errors: Error (machine) where it cannot be made, or is not ours alone.
void make_lock_folder(const fs::path& folder);

}  // namespace pippin
