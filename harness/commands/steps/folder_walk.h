// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "harness/commands/steps/complaints.h"

namespace pippin {

/// All files below a folder, sorted; each folder once, however many links lead to it.
class FolderWalk {
 public:
  /// A file, and what it is called in the database.
  struct File {
    fs::path path, known_as;
    std::string odd;     ///< what it is that is no file, as odd_kind() says it
    bool alone = false;  ///< its folder has no other whose name begins with its own
  };

  /// A folder that cannot be listed is a complaint.
  explicit FolderWalk(Complaints& complaints) : complaints_(complaints) {}

  std::vector<File> files(const fs::path& folder);
  /// Whether the folder that was asked for could not be listed.
  bool is_unlisted() const { return is_unlisted_; }
  /// Whether one below it could not, as a machine fails.
  bool is_broken() const { return is_broken_; }

 private:
  /// One that is gone through, and what of it comes next.
  struct Folder {
    std::vector<fs::directory_entry> entries;
    std::size_t next = 0;
    fs::path known_as;
  };

  void open(const fs::path& folder, const fs::path& known_as);

  Complaints& complaints_;
  std::vector<Folder> open_;                   ///< from the one that was named down
  std::set<std::pair<dev_t, ino_t>> visited_;  ///< by device and inode
  bool is_unlisted_ = false, is_broken_ = false;
};

}  // namespace pippin
