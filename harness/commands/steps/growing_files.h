// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

#include "harness/scrape/scraped_file.h"

namespace pippin {

/// Files that change while they are followed, the last few.
class GrowingFiles {
 public:
  static constexpr std::size_t kMost = 64;

  GrowingFile& at(const fs::path& path, const NamedValues& told) {
    const auto known = std::find_if(files_.begin(), files_.end(),
                                    [&](const auto& file) { return file.first == path; });
    if (known != files_.end()) {
      files_.splice(files_.end(), files_, known);
    } else {
      files_.emplace_back(path, GrowingFile(path, {told, {}}));
    }
    if (files_.size() > kMost) files_.pop_front();
    return files_.back().second;
  }

 private:
  std::list<std::pair<fs::path, GrowingFile>> files_;  ///< the one that changed last comes last
};

}  // namespace pippin
