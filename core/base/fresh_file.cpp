// SPDX-License-Identifier: Apache-2.0
#include "core/base/fresh_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utility>

namespace pippin {

namespace {

constexpr std::string_view kMark = ".pippin-", kLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t kRandomLetters = 12;
constexpr mode_t kOnlyOurs = 0600, kAnybodys = 0666, kModeBits = 07777;

/// Letters that no other process can foretell.
std::string random_letters() {
  std::array<unsigned char, kRandomLetters> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) machine_failed("no random numbers are left");
  std::string letters;
  for (const unsigned char byte : bytes) letters += kLetters[byte % kLetters.size()];
  return letters;
}

/// Hidden, so that no one who lists the folder takes it for an entry.
fs::path fresh_beside(const fs::path& place) {
  constexpr std::size_t kLongest = 255;
  const std::string name = place.filename().string();
  return place.parent_path() / ("." + name.substr(0, kLongest - 1 - kMark.size() - kRandomLetters) +
                                std::string(kMark) + random_letters());
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

constexpr const char* kRights = "system.posix_acl_access";
constexpr std::size_t kMostAttributes = 1 << 16;  // bytes that the kernel allows

/// True where there is none, too.
bool copy_attribute(const fs::path& from, const char* name, const Descriptor& to) {
  std::string value(kMostAttributes, '\0');
  const ssize_t size = ::getxattr(from.c_str(), name, value.data(), value.size());
  return size < 0 ||
         ::fsetxattr(to.number(), name, value.data(), static_cast<std::size_t>(size), 0) == 0;
}

/// What users note on a file. False where one cannot be set.
bool copy_notes(const fs::path& from, const Descriptor& to) {
  std::string names(kMostAttributes, '\0');
  const ssize_t size = ::listxattr(from.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < size;) {
    const std::string name = names.c_str() + at;
    at += static_cast<ssize_t>(name.size()) + 1;
    if (name.starts_with("user.") && !copy_attribute(from, name.c_str(), to)) return false;
  }
  return true;
}

}  // namespace

void write_all(const Descriptor& file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.number(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file_failed("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

FreshFile::FreshFile(fs::path place, bool is_private) : place_(std::move(place)) {
  struct stat old {};
  const bool takes_after =
      !is_private && ::lstat(place_.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  create(is_private || takes_after ? kOnlyOurs : kAnybodys);
  if (!takes_after) return;
  // What may be done with a file may not become more: where the group is refused, ours has no say.
  const bool is_refused = ::fchown(file_.number(), old.st_uid, old.st_gid) != 0 &&
                          ::fchown(file_.number(), -1, old.st_gid) != 0;
  const mode_t mode = old.st_mode & kModeBits & ~(is_refused ? S_IRWXG : 0);
  // What its folder gives to files in it is not what the old one had.
  ::fremovexattr(file_.number(), kRights);
  const bool is_like_it = copy_notes(place_, file_) && ::fchmod(file_.number(), mode) == 0 &&
                          (is_refused || copy_attribute(place_, kRights, file_));
  if (is_like_it) return;
  const int error = errno;
  ::unlink(path_.c_str());
  file_failed("set the mode and the attributes of", place_, error);
}

FreshFile::~FreshFile() {
  if (is_there_) ::unlink(path_.c_str());
}

/// Somebody who cleans up may take it before it is locked; then there is another.
void FreshFile::create(unsigned mode) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    path_ = fresh_beside(place_);
    const int file =
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) file_failed("create", place_, errno);
    file_ = Descriptor(file);
    is_there_ = true;
    struct stat status {};
    // Where files cannot be locked, nobody cleans up.
    const bool locked = ::flock(file, LOCK_EX) == 0;
    if (!locked || ::fstat(file, &status) != 0 || status.st_nlink > 0) return;
  }
  file_failed("create", place_, EEXIST);
}

void FreshFile::write(std::string_view text) {
  write_all(file_, text, place_);
  if (::fsync(file_.number()) != 0) file_failed("write", place_, errno);
}

void FreshFile::append(std::string_view text) { write_all(file_, text, place_); }

void FreshFile::put_in_place() {
  if (::rename(path_.c_str(), place_.c_str()) != 0) file_failed("replace", place_, errno);
  is_there_ = false;
  if (file_.close() != 0) file_failed("write", place_, errno);
  sync_directory(place_.parent_path());
}

bool FreshFile::trade_places() {
  traded_ = Descriptor(::open(place_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  [[maybe_unused]] const int refused = ::flock(traded_.number(), LOCK_SH | LOCK_NB);
  return ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place_.c_str(), RENAME_EXCHANGE) == 0;
}

bool FreshFile::has_own_name() const {
  struct stat named {
  }, ours{};
  return ::lstat(path_.c_str(), &named) == 0 && ::fstat(file_.number(), &ours) == 0 &&
         is_same_file(named, ours);
}

bool is_fresh_name(std::string_view name) {
  const std::size_t end = kMark.size() + kRandomLetters;
  return name.size() > end && name[0] == '.' &&
         name.substr(name.size() - end, kMark.size()) == kMark &&
         name.substr(name.size() - kRandomLetters).find_first_not_of(kLetters) ==
             std::string_view::npos;
}

void remove_if_left(const fs::path& file) {
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {
  }, named{};
  if (!open.open() || ::fstat(open.number(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (status.st_uid != ::geteuid() || ::flock(open.number(), LOCK_EX | LOCK_NB) != 0) return;
  if (::lstat(file.c_str(), &named) == 0 && is_same_file(status, named)) ::unlink(file.c_str());
}

/// Some network file systems refuse to sync a directory (EINVAL); there the rename itself is
/// synchronous.
void sync_directory(const fs::path& directory) {
  const Descriptor handle(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.open() || (::fsync(handle.number()) != 0 && errno != EINVAL))
    file_failed("sync", directory, errno);
}

}  // namespace pippin
