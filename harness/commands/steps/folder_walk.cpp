// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/folder_walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <system_error>

#include "core/base/input_file.h"
#include "harness/commands/steps/known_runs.h"

namespace pippin {

namespace {

/// What a folder has says mostly what kind it is of, without a look at itself.
bool is_file(const fs::directory_entry& entry) {
  std::error_code error;
  // A link to nothing is reported when it is read.
  return entry.is_regular_file(error) || !entry.exists(error);
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder, std::error_code& error) {
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(*entry);
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.path().native() < b.path().native();  // of one folder
  });
  return entries;
}

}  // namespace

std::vector<FolderWalk::File> FolderWalk::files(const fs::path& folder) {
  std::vector<File> found;
  walk(folder, found);
  return found;
}

void FolderWalk::walk(const fs::path& folder, std::vector<File>& found) {
  std::error_code error;
  if (!visited_.insert(fs::canonical(folder, error)).second) return;
  const auto entries = entries_of(folder, error);
  if (error) {
    complaints_.say(folder,
                    fmt::format("pippin: {}: cannot list: {}", folder.string(), error.message()));
    const bool is_named = visited_.size() == 1;
    is_unlisted_ = is_unlisted_ || is_named;
    is_broken_ = is_broken_ || (!is_named && is_of_machine(error.value()));
  }
  const fs::path known_folder = known_path(folder);
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    const fs::path& path = entry->path();
    if (entry->is_directory(error)) {
      walk(path, found);
      continue;
    }
    const auto next = std::next(entry);
    const bool alone = next == entries.end() || !next->path().native().starts_with(path.native());
    found.push_back(
        {path, known_folder / path.filename(), is_file(*entry) ? "" : odd_kind(path), alone});
  }
}

}  // namespace pippin
