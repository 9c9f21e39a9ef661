// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/folder_walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

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
  open(folder, known_path(folder));
  while (!open_.empty()) {
    Folder& now = open_.back();
    if (now.next == now.entries.size()) {
      open_.pop_back();
      continue;
    }
    const fs::directory_entry& entry = now.entries[now.next++];
    const fs::path path = entry.path(), known_as = now.known_as / path.filename();
    std::error_code error;
    if (entry.is_directory(error)) {
      open(path, known_as);
      continue;
    }
    const bool alone = now.next == now.entries.size() ||
                       !now.entries[now.next].path().native().starts_with(path.native());
    found.push_back({path, known_as, is_file(entry) ? "" : odd_kind(path), alone});
  }
  return found;
}

void FolderWalk::open(const fs::path& folder, const fs::path& known_as) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0 &&
      !visited_.emplace(status.st_dev, status.st_ino).second)
    return;
  std::error_code error;
  auto entries = entries_of(folder, error);
  if (error) {
    complaints_.say(folder,
                    fmt::format("pippin: {}: cannot list: {}", folder.string(), error.message()));
    const bool is_named = open_.empty();
    is_unlisted_ = is_unlisted_ || is_named;
    is_broken_ = is_broken_ || (!is_named && is_of_machine(error.value()));
  }
  open_.push_back({std::move(entries), 0, known_as});
}

}  // namespace pippin
