// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace pippin {

/// The file system that a folder lies on, as this process sees it. What is not known is empty.
struct Mount {
  /// "BOOT/27": the kernel that runs and its number of the mount. Processes with the same one see
  /// each other's files at once.
  std::string view;
  std::string type;     ///< "nfs4"
  std::string options;  ///< "rw,vers=4.2,acdirmax=30": the file system's
};

Mount mount_of(const fs::path& folder);

/// The mount of that number in a text like /proc/self/mountinfo. Source: proc(5).
Mount mount_in(std::string_view mounts, std::string_view number);

/// How long this machine may go by what it has seen of a folder before, seconds. Sources: nfs(5),
/// mount.cifs(8).
std::int64_t longest_kept_s(const Mount& mount);

/// Whether a lock of a file there is none for other nodes, as far as the mount says so. Sources:
/// mount.lustre(8) (localflock), nfs(5) (local_lock, nolock), beegfs-client.conf
/// (tuneUseGlobalFileLocks).
bool locks_are_local(const Mount& mount);

}  // namespace pippin
