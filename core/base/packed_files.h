// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/archive.h"
#include "core/base/files.h"

/// Files that were packed are read as if they still lay where they were: disk(), read_parts() and
/// InputFile look here for what is not on the disk. What is on the disk comes first.
///
///   X.runs/FOLDER/packed/1.zip, 2.zip, …   what was packed of X.runs/FOLDER. Of a path that
///                                          several have the one with the largest number counts.
///                                          One with the comment "first=3" has all that counts of
///                                          those from 3 up to itself; these are removed after it.
namespace pippin {

/// What was packed of a folder. Paths are those below it: "RUN/2-local-0/log".
/// Errors: as Archive.
class PackedFolder {
 public:
  /// Where a file is: archives()[archive]->files()[number].
  struct Place {
    std::size_t archive, number;
  };

  explicit PackedFolder(fs::path root);

  /// Those that count, the newest first.
  const std::vector<std::unique_ptr<Archive>>& archives() const { return archives_; }
  std::int64_t number_of(std::size_t archive) const { return numbers_[archive]; }
  std::optional<Place> place_of(std::string_view path) const;
  const ArchivedFile& at(const Place& place) const {
    return archives_[place.archive]->files()[place.number];
  }
  const ArchivedFile* find(std::string_view path) const;
  bool has_links() const { return has_links_; }
  /// The path without the links in it that were packed; empty where they lead out of the folder.
  std::string without_links(std::string path) const;
  std::unique_ptr<ByteSource> open(const Place& place) const {
    return archives_[place.archive]->open(place.number);
  }
  /// Every path with its place, in no order.
  const std::unordered_map<std::string_view, Place>& places() const { return places_; }
  /// Names that were packed from a folder, in no order; none where there are none.
  const std::vector<std::string_view>& names_in(const std::string& folder) const;

 private:
  using Names = std::unordered_map<std::string_view, std::vector<std::string_view>>;

  fs::path root_;
  std::vector<std::unique_ptr<Archive>> archives_;
  std::vector<std::int64_t> numbers_;  ///< of these
  std::unordered_map<std::string_view, Place> places_;
  Names names_;  ///< by folder
  bool has_links_ = false;
};

/// The folder of the archives of `root`.
fs::path packed_directory(const fs::path& root);
/// The numbers of the archives of `root`, superseded ones too, the largest first.
std::vector<std::int64_t> archive_numbers(const fs::path& root);
fs::path archive_path(const fs::path& root, std::int64_t number);
/// The comment of an archive that stands for those from this number on.
std::string comment_of(std::int64_t first);

/// The bytes of a packed file; nullptr where nothing was packed there, or a folder. Costs one look
/// at the disk where the path can be a packed one, else none.
std::unique_ptr<ByteSource> open_packed(const fs::path& path);
/// … all of them.
std::optional<std::string> read_packed(const fs::path& path);
/// What the disk would say of it, had it not been packed.
std::optional<FileIdentity> packed_identity(const fs::path& path);
/// Names that were packed from a folder, in no order; some may be on the disk again.
void each_packed_name(const fs::path& folder,
                      const std::function<void(std::string_view name)>& take);

/// The files below a folder, on the disk or packed, by their paths below it: those in folders
/// `depth` deep, 0 for the folder's own.
std::vector<fs::path> files_at_depth(const fs::path& folder, std::int64_t depth);

}  // namespace pippin
