// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

namespace fs = std::filesystem;

/// Of a file: no change leaves all of it as it was, but one right after another may where a file
/// system's times are coarse.
struct FileIdentity {
  std::int64_t size_bytes = 0;
  std::int64_t written_ns = 0, changed_ns = 0;  ///< since 1970; nobody sets the second by hand
  std::int64_t inode = 0;
  std::int64_t last_ns() const { return std::max(written_ns, changed_ns); }
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Whether what was changed then may change again unseen: a file system's times may be no finer
/// than two seconds. Nanoseconds since 1970.
bool may_change_unseen(std::int64_t changed_ns);
/// … at another time than now.
bool may_change_unseen(std::int64_t changed_ns, std::int64_t now_ns);

/// The few things that crash-safe code does with files, so that a test can fail each of them.
/// Errors: throws Error (machine) naming the path; never half-writes.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The whole file, or nothing where there is none.
  virtual std::optional<std::string> read(const fs::path& path) = 0;
  /// Replaces the file at once and durably: a reader sees the old text or the new, also after a
  /// power cut. A file that was there gives the new one its mode. Makes the parent directories.
  virtual void write(const fs::path& path, std::string_view text) = 0;
  /// The same, but only the user can read the file, whatever was there before.
  virtual void write_private(const fs::path& path, std::string_view text) = 0;
  /// True for the one caller that created it. Makes the parent directories.
  virtual bool make_directory(const fs::path& path) = 0;
  virtual bool exists(const fs::path& path) = 0;
  /// Names of the entries, sorted; empty where there is no such directory. What is being written
  /// is no entry yet, and what a killed writer left goes.
  virtual std::vector<std::string> list(const fs::path& directory) = 0;
  /// The same names as they come, for a large directory. Shape: a name is valid within the call.
  virtual void each_name(const fs::path& directory,
                         const std::function<void(std::string_view name)>& take);
  /// What a file is known again by; nothing where there is none, or nobody can tell.
  virtual std::optional<FileIdentity> identity(const fs::path& path);
};

/// The disk, and what was packed of it (packed_files.h).
FileSystem& disk();
/// The same to be read and no more: what would write throws Error (machine), and nothing that a
/// killed writer left is taken away.
FileSystem& disk_to_read();

/// What a file on the disk is known again by; nothing where there is none.
std::optional<FileIdentity> identity_on_disk(const fs::path& path);

/// Where files for a while go: TMPDIR, or /tmp. Errors: Error (machine) where that is no folder.
fs::path temporary_folder();

/// The whole of a file that must be there, up to `limit` bytes.
/// Errors: Error (bad input) where it is missing, a directory, unreadable or larger.
std::string read_input(const fs::path& path, std::size_t limit = std::size_t{1} << 40);

/// Gives the bytes of a file from `begin` on in parts of at most kPartBytes, as long as `take`
/// returns true. Shape: a part is valid within the call. Errors: as read_input; and where it is no
/// regular file.
void read_parts(const fs::path& path, std::size_t begin,
                const std::function<bool(std::string_view part)>& take);
inline constexpr std::size_t kPartBytes = std::size_t{256} << 10;  // fits a core's own cache

}  // namespace pippin
