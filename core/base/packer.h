// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/packed_files.h"

namespace pippin {

/// What packing or unpacking came to.
struct PackingDone {
  std::int64_t files = 0;          ///< files, folders and links that it took
  std::int64_t bytes = 0;          ///< of the files, one with several names once
  std::int64_t archive_files = 0;  ///< what there is of archives now, with their folder
  std::int64_t archive_bytes = 0;  ///< that these have gained
};

/// Packs folders below a root into its archives, and unpacks them. Whenever it ends, however, each
/// file is on the disk or in an archive, and the next one goes on.
/// Requires that no other process packs there, or writes into what is packed.
/// Errors: Error (machine) naming what cannot be read or written; as Archive.
class Packer {
 public:
  /// `before_change` is called before each change on the disk: a test may end the process there.
  explicit Packer(
      fs::path root, std::function<void()> before_change = [] {});

  /// Takes folders by their paths below the root, each with all that is in it on the disk.
  PackingDone pack(const std::vector<std::string>& folders);
  /// What pack() would take, without archives.
  PackingDone would_pack(const std::vector<std::string>& folders) const;
  /// Puts back all that was packed, with its modes and times, and removes the archives.
  PackingDone unpack();

 private:
  using Files = std::vector<ArchivedFile>;
  /// Old archives that a new one takes in.
  struct Folded {
    std::size_t archives = 0;  ///< the newest so many
    std::int64_t first = 0;    ///< the least number among them
  };

  void remove_leftovers(const PackedFolder& packed);
  Files find(const std::vector<std::string>& folders) const;
  void write_archive(const Files& fresh, const PackedFolder& packed);
  void remove(const Files& files);
  void remove_file(const fs::path& path);
  void make_folder(const fs::path& path);
  void unpack_file(const PackedFolder& packed, const PackedFolder::Place& place);
  bool link_to_first(const ArchivedFile& file) const;
  void finish_folders(const PackedFolder& packed, const Files& folders);

  const fs::path root_;
  const std::function<void()> before_change_;
};

}  // namespace pippin
