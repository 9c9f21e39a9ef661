// SPDX-License-Identifier: Apache-2.0
#include "core/base/lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/mount.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr const char* kHeld = ".held";  ///< the HolderFile of a lock

}  // namespace

bool means_no_locks(int error) {
  return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP || error == EINVAL;
}

void fail_without_locks(const fs::path& path, int error) {
  machine_failed(
      "{}: its file system locks no files ({}); put the database where it does (Lustre: mounted "
      "with -o flock)",
      path.string(), std::strerror(error));
}

Descriptor open_lock_file(const fs::path& path) {
  const int file =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0 && errno == ELOOP)
    machine_failed("{}: is a link, and no lock file of pippin's; remove it", path.string());
  if (file < 0) machine_failed("{}: cannot open: {}", path.string(), std::strerror(errno));
  Descriptor open(file);
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    machine_failed("{}: is no file; remove it", path.string());
  return open;
}

bool try_lock(const Descriptor& file, const fs::path& path) {
  if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  if (means_no_locks(errno)) fail_without_locks(path, errno);
  machine_failed("{}: cannot lock: {}", path.string(), std::strerror(errno));
}

std::string holder_in(const fs::path& path) {
  constexpr std::size_t kMost = 4096;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string text(kMost, 0);
  const ssize_t size = file.open() ? ::read(file.number(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return printable(trim(text));
}

namespace {

std::string self(const std::string& node) {
  return fmt::format("process {} on {}", ::getpid(), node);
}

}  // namespace

HolderFile::HolderFile(fs::path path, const std::string& node) : path_(std::move(path)) {
  const std::string holder = holder_in(path_);
  if (holder.ends_with(" on " + node) && ::unlink(path_.c_str()) != 0)
    file_failed("remove", path_, errno);
  const Descriptor file(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.open() && errno == EEXIST)
    machine_failed(
        "{}: held by {}; this file system's locks are local to each node, so whether that process "
        "still runs is not to be seen from here: work there, or remove this file once it is gone",
        path_.string(), holder.empty() ? "another pippin" : holder);
  if (!file.open()) file_failed("create", path_, errno);
  const std::string text = self(node) + "\n";
  if (::write(file.number(), text.data(), text.size()) != std::ssize(text)) {
    const int error = errno;
    ::unlink(path_.c_str());
    file_failed("write", path_, error);
  }
}

HolderFile::~HolderFile() { ::unlink(path_.c_str()); }

bool is_locked(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open()) return errno != ENOENT;
  if (::flock(file.number(), LOCK_SH | LOCK_NB) != 0) return true;
  // Who held it on this node is dead.
  const std::string holder = holder_in(path.string() + kHeld);
  return locks_are_local(mount_of(path.parent_path())) && !holder.empty() &&
         !holder.ends_with(" on " + host_name());
}

namespace {

bool try_lock_for_a_moment(const Descriptor& file, const fs::path& path) {
  constexpr int kTries = 20;
  constexpr auto kPause = std::chrono::milliseconds(25);
  for (int i = 0; i < kTries; ++i) {
    if (try_lock(file, path)) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

}  // namespace

FileLock::FileLock(const fs::path& path) : file_(open_lock_file(path)) {
  if (!try_lock_for_a_moment(file_, path)) {
    const std::string holder = holder_in(path);
    machine_failed("{}: held by {}; wait for it, or end it", path.string(),
                   holder.empty() ? "another pippin" : holder);
  }
  if (locks_are_local(mount_of(path.parent_path()))) held_.emplace(path.string() + kHeld);
  const std::string text = self(host_name()) + "\n";
  // Who holds it is said for people only; that the lock is ours does not hang on it.
  if (::ftruncate(file_.number(), 0) != 0 ||
      ::pwrite(file_.number(), text.data(), text.size(), 0) < 0)
    machine_failed("{}: cannot write: {}", path.string(), std::strerror(errno));
}

void make_lock_folder(const fs::path& folder) {
  constexpr mode_t kOnlyOurs = 0700, kOthersWrite = 022;
  if (::mkdir(folder.c_str(), kOnlyOurs) != 0 && errno != EEXIST)
    machine_failed("{}: cannot create: {}", folder.string(), std::strerror(errno));
  struct stat status {};
  const bool is_ours = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                       status.st_uid == ::geteuid() && (status.st_mode & kOthersWrite) == 0;
  if (!is_ours) machine_failed("{}: is no folder that only you can write to", folder.string());
}

}  // namespace pippin
