// SPDX-License-Identifier: Apache-2.0
#include "db/lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <string>
#include <sys/vfs.h>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "db/long_wait.h"

namespace pippin::db {

namespace {

constexpr std::chrono::milliseconds kPause{50};

// Sources: Linux's include/uapi/linux/magic.h, and the kernel modules of Lustre, GPFS, BeeGFS,
// PanFS and OrangeFS.
constexpr std::array<std::uint32_t, 13> kNetworkFileSystems{
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
    0x00C36400,  // Ceph
    0xAAD7AAEA,  // PanFS
    0x20030528,  // OrangeFS
    0x5346414F,  // AFS
    0x01021997,  // 9P
    0x65735546,  // FUSE: sshfs and others, or something local: not to be told apart
};

/// What another process wrote about itself; a remark of its own where it is gone.
std::string owner_of(const fs::path& folder) {
  const auto text = disk().read(folder / "owner");
  if (!text) return "a process that did not say its name";
  const auto words = split(trim(*text), ' ');
  const auto process = words.size() == 2 ? parse_integer(words[1]) : std::nullopt;
  if (!process) return printable(*text);
  const bool here = words[0] == host_name();
  const bool gone = here && ::kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH;
  return fmt::format("process {} on {}{}", *process, words[0],
                     gone ? ", which no longer runs" : "");
}

}  // namespace

bool on_network_file_system(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return false;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return std::find(kNetworkFileSystems.begin(), kNetworkFileSystems.end(), type) !=
         kNetworkFileSystems.end();
}

FolderLock::FolderLock(const fs::path& folder, std::chrono::milliseconds patience)
    : folder_(folder) {
  const auto since = std::chrono::steady_clock::now(), deadline = since + patience;
  while (!disk().make_directory(folder_)) {
    tell_long_wait(folder_, since, patience);
    if (std::chrono::steady_clock::now() > deadline) {
      machine_failed(
          "{}: the database is in use by {}; if no pippin works on it any more, remove "
          "that folder and repeat the command",
          folder_.string(), owner_of(folder_));
    }
    std::this_thread::sleep_for(kPause);
  }
  try {
    disk().write(folder_ / "owner", fmt::format("{} {}\n", host_name(), ::getpid()));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace pippin::db
