// SPDX-License-Identifier: Apache-2.0
#include "core/base/packed_files.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Kind = ArchivedFile::Kind;

constexpr std::string_view kRuns = ".runs/", kFirst = "first=", kExtension = ".zip";

/// "RUN/2-local-0/log" → "RUN/2-local-0"
std::string_view folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

/// The least number of those that an archive stands for: its own, where it says nothing.
std::int64_t first_of(const Archive& archive, std::int64_t own) {
  const std::string_view comment = archive.comment();
  if (!comment.starts_with(kFirst)) return own;
  return parse_integer(comment.substr(kFirst.size())).value_or(own);
}

std::string text_of(ByteSource& source) {
  std::string text;
  for (auto part = source.next(); !part.empty(); part = source.next()) text += part;
  return text;
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

fs::path packed_directory(const fs::path& root) { return root / "packed"; }

std::vector<std::int64_t> archive_numbers(const fs::path& root) {
  std::vector<std::int64_t> numbers;
  std::error_code error;
  const fs::path folder = packed_directory(root);
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(kExtension)) continue;
    const auto number =
        parse_integer(std::string_view(name).substr(0, name.size() - kExtension.size()));
    if (number) numbers.push_back(*number);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    machine_failed("{}: cannot list: {}", folder.string(), error.message());
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

fs::path archive_path(const fs::path& root, std::int64_t number) {
  return packed_directory(root) / fmt::format("{}{}", number, kExtension);
}

std::string comment_of(std::int64_t first) { return fmt::format("{}{}", kFirst, first); }

PackedFolder::PackedFolder(fs::path root) : root_(std::move(root)) {
  std::int64_t below = INT64_MAX;
  for (const std::int64_t number : archive_numbers(root_)) {
    if (number >= below) continue;
    archives_.push_back(std::make_unique<Archive>(archive_path(root_, number)));
    numbers_.push_back(number);
    below = first_of(*archives_.back(), number);
  }
  for (std::size_t i = 0; i < archives_.size(); ++i) {
    const auto& files = archives_[i]->files();
    places_.reserve(places_.size() + files.size());
    for (std::size_t k = 0; k < files.size(); ++k) {
      if (!places_.emplace(files[k].path, Place{i, k}).second) continue;
      names_[folder_of(files[k].path)].push_back(name_of(files[k].path));
      has_links_ = has_links_ || files[k].kind == Kind::kLink;
    }
  }
}

std::optional<PackedFolder::Place> PackedFolder::place_of(std::string_view path) const {
  const auto place = places_.find(path);
  return place == places_.end() ? std::nullopt : std::optional(place->second);
}

const ArchivedFile* PackedFolder::find(std::string_view path) const {
  const auto place = place_of(path);
  return place ? &at(*place) : nullptr;
}

std::string PackedFolder::without_links(std::string path) const {
  constexpr int kMost = 16;  // links behind each other; they may lead round in a circle
  for (int links = 0; links < kMost; ++links) {
    bool is_link = false;
    for (auto end = path.find('/'); !is_link; end = path.find('/', end + 1)) {
      const auto place = place_of(std::string_view(path).substr(0, end));
      is_link = place && at(*place).kind == Kind::kLink;
      if (is_link) {
        const std::string rest = end == std::string::npos ? "" : path.substr(end);
        const fs::path target = text_of(*open(*place)) + rest;
        path = (fs::path(folder_of(at(*place).path)) / target).lexically_normal().native();
      }
      if (end == std::string::npos) break;
    }
    if (!is_link) return path;
    if (path.starts_with("..") || path.starts_with('/')) break;
  }
  return "";
}

const std::vector<std::string_view>& PackedFolder::names_in(const std::string& folder) const {
  static const std::vector<std::string_view> none;
  const auto names = names_.find(folder);
  return names == names_.end() ? none : names->second;
}

namespace {

/// Packed folders that were read, as long as their archives stay the same ones.
class KnownFolders {
 public:
  /// nullptr where nothing is packed there.
  std::shared_ptr<const PackedFolder> at(const std::string& root) {
    const auto folder = identity_on_disk(packed_directory(root));
    const std::lock_guard lock(mutex_);
    if (!folder) {
      known_.erase(root);
      return nullptr;
    }
    Known& known = known_[root];
    if (known.packed && known.folder == *folder && !known.is_young) return known.packed;
    known.folder = *folder;
    known.is_young = may_change_unseen(folder->last_ns());
    read(root, known);
    return known.packed;
  }

 private:
  using Archives = std::vector<std::pair<std::int64_t, std::optional<FileIdentity>>>;
  struct Known {
    std::shared_ptr<const PackedFolder> packed;
    FileIdentity folder;
    bool is_young = true;  ///< the folder may have changed unseen
    Archives archives;
  };

  /// Another process may pack at the same time: an archive is gone, and a newer one has its files.
  static void read(const std::string& root, Known& known) {
    for (auto archives = archives_of(root); !known.packed || archives != known.archives;) {
      try {
        known.packed = std::make_shared<PackedFolder>(root);
        known.archives = archives;
      } catch (const Error&) {
        auto now = archives_of(root);
        if (now == archives) throw;
        archives = std::move(now);
      }
    }
  }

  static Archives archives_of(const std::string& root) {
    Archives archives;
    for (const std::int64_t number : archive_numbers(root))
      archives.emplace_back(number, identity_on_disk(archive_path(root, number)));
    return archives;
  }

  std::mutex mutex_;
  std::map<std::string, Known, std::less<>> known_;
};

struct PackedPath {
  std::shared_ptr<const PackedFolder> folder;
  std::string inside;
};

/// The folder of a sweep that a path lies in, if something was packed of that: X.runs/SWEEP.
PackedPath packed_path(const fs::path& path) {
  static KnownFolders known;
  std::string text = path.native();
  if (text.find(kRuns) == std::string::npos) return {};
  text = path.lexically_normal().native();
  while (text.ends_with('/')) text.pop_back();
  for (auto at = text.find(kRuns); at != std::string::npos; at = text.find(kRuns, at + 1)) {
    const auto end = text.find('/', at + kRuns.size());
    const std::string inside = end == std::string::npos ? "" : text.substr(end + 1);
    if (inside == "packed" || inside.starts_with("packed/")) continue;
    if (auto folder = known.at(text.substr(0, end))) return {std::move(folder), inside};
  }
  return {};
}

}  // namespace

namespace {

/// A file or folder of a packed folder, by way of the links in it.
struct Packed {
  std::shared_ptr<const PackedFolder> folder;
  std::string inside;
  std::optional<PackedFolder::Place> place;  ///< nothing: it was not packed itself
  const ArchivedFile* file() const { return place ? &folder->at(*place) : nullptr; }
};

Packed find_packed(const fs::path& path) {
  PackedPath packed = packed_path(path);
  if (!packed.folder) return {};
  Packed found{std::move(packed.folder), std::move(packed.inside), {}};
  found.place = found.folder->place_of(found.inside);
  const bool may_lead_on = !found.place || found.file()->kind == Kind::kLink;
  if (!may_lead_on || !found.folder->has_links()) return found;
  found.inside = found.folder->without_links(std::move(found.inside));
  found.place = found.folder->place_of(found.inside);
  return found;
}

}  // namespace

std::unique_ptr<ByteSource> open_packed(const fs::path& path) {
  const Packed packed = find_packed(path);
  if (!packed.place || packed.file()->kind != Kind::kFile) return nullptr;
  return packed.folder->open(*packed.place);
}

std::optional<std::string> read_packed(const fs::path& path) {
  const auto source = open_packed(path);
  return source ? std::optional(text_of(*source)) : std::nullopt;
}

std::optional<FileIdentity> packed_identity(const fs::path& path) {
  const Packed packed = find_packed(path);
  const bool is_of_folder = !path.has_filename() || path.filename() == ".";
  if (!packed.place || (is_of_folder && packed.file()->kind != Kind::kFolder)) return std::nullopt;
  return packed.file()->identity;
}

void each_packed_name(const fs::path& folder,
                      const std::function<void(std::string_view name)>& take) {
  const Packed packed = find_packed(folder);
  if (!packed.folder) return;
  for (const auto name : packed.folder->names_in(packed.inside)) take(name);
}

namespace {

using Kinds = std::pair<bool, bool>;  ///< whether it is a folder, no link to one; and a file

Kinds kinds_of(const fs::path& path) {
  std::error_code none;
  const auto status = fs::symlink_status(path, none);
  if (fs::exists(status)) return {fs::is_directory(status), fs::is_regular_file(path, none)};
  const PackedPath packed = packed_path(path);
  const ArchivedFile* file = packed.folder ? packed.folder->find(packed.inside) : nullptr;
  if (file && file->kind == Kind::kLink) return {false, open_packed(path) != nullptr};
  return {file && file->kind == Kind::kFolder, file && file->kind == Kind::kFile};
}

void walk(const fs::path& root, const fs::path& inside, std::int64_t depth,
          std::vector<fs::path>& found) {
  for (const auto& name : disk_to_read().list(root / inside)) {
    const auto [is_folder, is_file] = kinds_of(root / inside / name);
    if (is_folder && depth > 0) walk(root, inside / name, depth - 1, found);
    if (is_file && depth == 0) found.push_back(inside / name);
  }
}

}  // namespace

std::vector<fs::path> files_at_depth(const fs::path& folder, std::int64_t depth) {
  std::vector<fs::path> found;
  walk(folder, {}, depth, found);
  return found;
}

}  // namespace pippin
