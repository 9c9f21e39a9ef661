#include "core/base/replace_files.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
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

Descriptor opened_folder(const fs::path& folder) {
  return Descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Makes a rename in `directory` last through a power cut. Some network file systems refuse to
/// sync a directory (EINVAL); there the rename itself is synchronous.
void sync_directory(const fs::path& directory) {
  const Descriptor handle = opened_folder(directory);
  if (!handle.open() || (::fsync(handle.number()) != 0 && errno != EINVAL))
    file_failed("sync", directory, errno);
}

/// Waits for all that was written to the file system of `directory`.
void sync_file_system(const fs::path& directory) {
  const Descriptor handle = opened_folder(directory);
  if (!handle.open() || ::syncfs(handle.number()) != 0) file_failed("sync", directory, errno);
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

/// Writes what will replace the file at `path`. `sync`: it is on the disk when this returns.
void write_fresh(const fs::path& path, std::string_view text, bool is_private, bool sync) {
  const fs::path fresh = fresh_beside(path);
  constexpr mode_t kUsers = 0600, kByUmask = 0666;
  Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                         is_private ? kUsers : kByUmask));
  if (!file.open()) file_failed("create", fresh, errno);
  if (!is_private) take_after(file, path, fresh);
  write_all(file, text, fresh);
  if ((sync && ::fsync(file.number()) != 0) || file.close() != 0)
    file_failed("write", fresh, errno);
}

void put_in_place(const fs::path& path) {
  if (::rename(fresh_beside(path).c_str(), path.c_str()) != 0)
    file_failed("rename to", path, errno);
}

/// A file system writes in one go what waits together; of each fsync it would wait for the end.
void replace_many(const std::vector<FileText>& files) {
  std::set<fs::path> folders;
  try {
    for (const auto& file : files) {
      if (folders.insert(file.path.parent_path()).second) make_parents(file.path);
      write_fresh(file.path, file.text, file.is_private, false);
    }
    for (const auto& folder : folders) sync_file_system(folder);
    for (const auto& file : files) put_in_place(file.path);
  } catch (...) {
    for (const auto& file : files) ::unlink(fresh_beside(file.path).c_str());
    throw;
  }
  for (const auto& folder : folders) sync_directory(folder);
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
    write_fresh(path, text, is_private, true);
    put_in_place(path);
  } catch (...) {
    ::unlink(fresh_beside(path).c_str());
    throw;
  }
  sync_directory(path.parent_path());
}

void write_many(FileSystem& files, const std::vector<FileText>& texts) {
  constexpr std::size_t kFew = 4;  // wait for nothing that others write
  const bool on_disk = &files == &disk();
  if (on_disk && texts.size() > kFew) return replace_many(texts);
  for (const auto& file : texts) {
    if (on_disk) {
      replace_file(file.path, file.text, file.is_private);
    } else {
      files.write(file.path, file.text);
    }
  }
}

}  // namespace pippin
