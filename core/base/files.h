#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

namespace fs = std::filesystem;

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
  /// True for the one caller that created it. Makes the parent directories.
  virtual bool make_directory(const fs::path& path) = 0;
  virtual bool exists(const fs::path& path) = 0;
  /// Names of the entries, sorted; empty where there is no such directory.
  virtual std::vector<std::string> list(const fs::path& directory) = 0;
};

/// The disk.
FileSystem& disk();

/// The whole of a file that must be there, up to `limit` bytes.
/// Errors: Error (bad input) where it is missing, a directory, unreadable or larger.
std::string read_input(const fs::path& path, std::size_t limit = std::size_t{1} << 40);

/// Gives the bytes of a file from `begin` on in parts of at most kPartBytes, as long as `take`
/// returns true. Shape: a part is valid within the call. Errors: as read_input.
void read_parts(const fs::path& path, std::size_t begin,
                const std::function<bool(std::string_view part)>& take);
inline constexpr std::size_t kPartBytes = std::size_t{256} << 10;  // fits a core's own cache

}  // namespace pippin
