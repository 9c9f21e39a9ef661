// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/fresh_file.h"
#include "core/base/input_file.h"
#include "core/base/packed_files.h"
#include "core/base/replace_file.h"
#include "core/base/text.h"

namespace pippin {

namespace {

bool is_regular(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
}

/// 0 where the file cannot tell.
std::size_t size_now(const Descriptor& file) {
  struct stat status {};
  const bool tells = ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
  return tells ? static_cast<std::size_t>(status.st_size) : 0;
}

/// nullopt where there is no such file. Errors: Error (machine) for a pipe or a device, which may
/// never end.
std::optional<std::string> read_file(const fs::path& path, int& error) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  error = file.open() ? 0 : errno;
  if (file.open() && !is_regular(file) && !fs::is_directory(path))  // which cannot be read
    machine_failed("{}: is no file; remove it", printable(path.string()));
  constexpr std::size_t kLeast = 1 << 12;
  std::string text(error == 0 ? size_now(file) + 1 : 0, '\0');
  for (std::size_t size = 0; error == 0;) {
    if (size == text.size()) text.resize(size + std::max(kLeast, size / 2));
    const ssize_t count = ::read(file.number(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error = errno;
    if (count > 0) size += static_cast<std::size_t>(count);
    if (count <= 0) {
      text.resize(size);
      break;
    }
  }
  return error == 0 ? std::optional(std::move(text)) : std::nullopt;
}

/// What a network file system has not seen a moment ago it believes not to be there, until it asks
/// again; opening the folder makes it ask. Source: nfs(5), close-to-open cache consistency.
void look_anew(const fs::path& folder) {
  const Descriptor asked(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR; }

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::int64_t nanoseconds_of(const timespec& time) {
  return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

class Disk : public FileSystem {
 public:
  explicit Disk(bool may_write) : may_write_(may_write) {}

  std::optional<std::string> read(const fs::path& path) override {
    int error = 0;
    auto text = read_file(path, error);
    if (is_missing(error) || error == ESTALE) {
      if (auto packed = read_packed(path)) return packed;
      look_anew(path.parent_path());
      text = read_file(path, error);
    }
    if (error != 0 && !is_missing(error)) file_failed("read", path, error);
    return text;
  }

  void write(const fs::path& path, std::string_view text) override {
    refuse_to_write(path);
    replace_file(path, text);
  }

  void write_private(const fs::path& path, std::string_view text) override {
    refuse_to_write(path);
    replace_file(path, text, true);
  }

  bool make_directory(const fs::path& path) override {
    refuse_to_write(path);
    make_parents(path);
    if (::mkdir(path.c_str(), 0777) == 0) return true;
    if (errno != EEXIST) file_failed("create", path, errno);
    return false;
  }

  bool exists(const fs::path& path) override {
    std::error_code error;
    if (fs::exists(path, error) || packed_identity(path)) return true;
    look_anew(path.parent_path());
    return fs::exists(path, error);
  }

  std::vector<std::string> list(const fs::path& directory) override {
    std::vector<std::string> names;
    each_name(directory, [&](std::string_view name) { names.emplace_back(name); });
    std::sort(names.begin(), names.end());
    return names;
  }

  void each_name(const fs::path& directory,
                 const std::function<void(std::string_view name)>& take) override {
    std::set<std::string, std::less<>> packed;
    each_packed_name(directory, [&](std::string_view name) { packed.emplace(name); });
    each_name_on_disk(directory, [&](std::string_view name) {
      take(name);
      if (const auto both = packed.find(name); both != packed.end()) packed.erase(both);
    });
    for (const auto& name : packed) take(name);
  }

  std::optional<FileIdentity> identity(const fs::path& path) override {
    auto found = identity_on_disk(path);
    return found ? found : packed_identity(path);
  }

 private:
  void refuse_to_write(const fs::path& path) const {
    if (!may_write_) file_failed("write", path, EROFS);
  }

  void each_name_on_disk(const fs::path& directory,
                         const std::function<void(std::string_view name)>& take) const {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
    if (!open && errno == ENOENT) return;
    if (!open) file_failed("list", directory, errno);
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(open.get());
      if (!entry && errno != 0) file_failed("list", directory, errno);
      if (!entry) return;
      const std::string_view name = entry->d_name;
      if (is_fresh_name(name)) {
        if (may_write_) remove_if_left(directory / name);
      } else if (name != "." && name != "..") {
        take(name);
      }
    }
  }

  bool may_write_;
};

}  // namespace

void FileSystem::each_name(const fs::path& directory,
                           const std::function<void(std::string_view name)>& take) {
  for (const auto& name : list(directory)) take(name);
}

std::optional<FileIdentity> FileSystem::identity(const fs::path& /*path*/) { return std::nullopt; }

std::optional<FileIdentity> identity_on_disk(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_size, nanoseconds_of(status.st_mtim),
                      nanoseconds_of(status.st_ctim), static_cast<std::int64_t>(status.st_ino)};
}

bool may_change_unseen(std::int64_t changed_ns) {
  return may_change_unseen(changed_ns, std::time(nullptr) * kNsPerSecond);
}

bool may_change_unseen(std::int64_t changed_ns, std::int64_t now_ns) {
  constexpr std::int64_t kCoarsest_ns = 2 * kNsPerSecond;
  return changed_ns + kCoarsest_ns > now_ns;
}

FileSystem& disk() {
  static Disk disk(true);
  return disk;
}

FileSystem& disk_to_read() {
  static Disk disk(false);
  return disk;
}

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) machine_failed("TMPDIR: no folder for temporary files: {}", error.message());
  return folder;
}

std::string read_input(const fs::path& path, std::size_t limit) {
  std::string text;
  InputFile file(path);
  for (auto part = file.next(); !part.empty(); part = file.next()) {
    text += part;
    if (text.size() > limit) bad_input("{}: cannot read: {}", path.string(), std::strerror(EFBIG));
  }
  return text;
}

namespace {

/// What stands before `begin` is passed over.
void read_parts_of(ByteSource& source, std::size_t begin,
                   const std::function<bool(std::string_view part)>& take) {
  for (auto part = source.next(); !part.empty(); part = source.next()) {
    const std::size_t passed = std::min(begin, part.size());
    begin -= passed;
    part.remove_prefix(passed);
    if (!part.empty() && !take(part)) return;
  }
}

}  // namespace

void read_parts(const fs::path& path, std::size_t begin,
                const std::function<bool(std::string_view part)>& take) {
  thread_local std::vector<char> part(kPartBytes);
  const auto refuse = [&] {
    bad_input("{}: cannot read: {}", path.string(), std::strerror(errno));
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file.open()) {
    const int error = errno;
    const auto packed = is_missing(error) ? open_packed(path) : nullptr;
    if (packed) return read_parts_of(*packed, begin, take);
    errno = error;
    refuse();
  }
  if (!is_regular(file)) bad_input("{}: is no file any more", path.string());
  if (begin > 0 && ::lseek(file.number(), static_cast<off_t>(begin), SEEK_SET) < 0) refuse();
  for (;;) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse();
    if (count == 0 || !take({part.data(), static_cast<std::size_t>(count)})) return;
  }
}

}  // namespace pippin
