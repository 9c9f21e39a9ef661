#include "core/base/replace_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/base/descriptor.h"

namespace pippin {

namespace {

void write_all(const Descriptor& file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.number(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file_failed("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Makes a rename in `directory` last through a power cut. Some network file systems refuse to
/// sync a directory (EINVAL); there the rename itself is synchronous.
void sync_directory(const fs::path& directory) {
  const Descriptor handle(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.open() || (::fsync(handle.number()) != 0 && errno != EINVAL))
    file_failed("sync", directory, errno);
}

/// Gives a file that will replace the one at `path` its mode and, as far as we may, its owner.
void take_after(const Descriptor& file, const fs::path& path, const fs::path& fresh) {
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) return;
  constexpr mode_t kModeBits = 07777;
  [[maybe_unused]] const int refused = ::fchown(file.number(), old.st_uid, old.st_gid);
  if (::fchmod(file.number(), old.st_mode & kModeBits) != 0)
    file_failed("set the mode of", fresh, errno);
}

/// Hidden, so that no one who lists the folder takes it for an entry.
fs::path fresh_beside(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.new-{}", path.filename().string(), ::getpid());
}

/// Writes what will replace the file at `path`; it is on the disk when this returns.
void write_fresh(const fs::path& path, std::string_view text, bool is_private) {
  const fs::path fresh = fresh_beside(path);
  constexpr mode_t kUsers = 0600, kByUmask = 0666;
  Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                         is_private ? kUsers : kByUmask));
  if (!file.open()) file_failed("create", fresh, errno);
  if (!is_private) take_after(file, path, fresh);
  write_all(file, text, fresh);
  if (::fsync(file.number()) != 0 || file.close() != 0) file_failed("write", fresh, errno);
}

void put_in_place(const fs::path& path) {
  if (::rename(fresh_beside(path).c_str(), path.c_str()) != 0)
    file_failed("rename to", path, errno);
}

}  // namespace

void make_parents(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) file_failed("create", path.parent_path(), error.value());
}

void replace_file(const fs::path& path, std::string_view text, bool is_private) {
  make_parents(path);
  try {
    write_fresh(path, text, is_private);
    put_in_place(path);
  } catch (...) {
    ::unlink(fresh_beside(path).c_str());
    throw;
  }
  sync_directory(path.parent_path());
}

}  // namespace pippin
