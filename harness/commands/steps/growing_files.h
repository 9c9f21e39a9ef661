// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

#include "harness/commands/steps/found_file.h"
#include "harness/scrape/scraped_file.h"

namespace pippin {

/// Files that change while they are followed, the last few.
class GrowingFiles {
 public:
  static constexpr std::size_t kMost = 64;

  /// Whether it was read before, and another has not taken its place.
  bool has(const Found& found) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const Entry& entry) { return is_of(entry, found); });
  }

  /// One that is new is read by what people say of it.
  GrowingFile& at(const Found& found) {
    files_.remove_if(
        [&](const Entry& entry) { return entry.path == found.path && !is_of(entry, found); });
    const auto known = std::find_if(files_.begin(), files_.end(),
                                    [&](const Entry& entry) { return is_of(entry, found); });
    if (known != files_.end()) {
      files_.splice(files_.end(), files_, known);
    } else {
      files_.push_back({found.path, {}, GrowingFile(found.path, {found.told, {}})});
    }
    if (files_.size() > kMost) files_.pop_front();
    files_.back().stamp = stamp_of(found);
    return files_.back().file;
  }

 private:
  struct Entry {
    fs::path path;
    FileStamp stamp;  ///< when it was last looked at
    GrowingFile file;
  };

  static FileStamp stamp_of(const Found& found) {
    return found.as_read ? found.as_read->stamp : FileStamp{};
  }
  static bool is_of(const Entry& entry, const Found& found) {
    const FileStamp stamp = stamp_of(found);
    return entry.path == found.path && entry.stamp.inode == stamp.inode &&
           entry.stamp.size_bytes <= stamp.size_bytes;
  }

  std::list<Entry> files_;  ///< the one that changed last comes last
};

}  // namespace pippin
