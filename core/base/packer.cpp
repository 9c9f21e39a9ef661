// SPDX-License-Identifier: Apache-2.0
#include "core/base/packer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Kind = ArchivedFile::Kind;

constexpr std::uint32_t kModeBits = 07777;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

[[noreturn]] void failed(std::string_view what, const fs::path& path, int error = errno) {
  machine_failed("{}: cannot {}: {}", path.string(), what, std::strerror(error));
}

/// Nothing where there is none. Errors: Error (bad input) where it is nothing that can be packed.
std::optional<ArchivedFile> look_at(const fs::path& root, const std::string& path) {
  const fs::path place = root / path;
  struct stat status {};
  if (::lstat(place.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    failed("look at", place);
  }
  ArchivedFile file;
  file.path = path;
  if (S_ISDIR(status.st_mode)) file.kind = Kind::kFolder;
  if (S_ISLNK(status.st_mode)) file.kind = Kind::kLink;
  if (file.kind == Kind::kFile && !S_ISREG(status.st_mode))
    bad_input("{}: is {}, which no archive can hold; remove it", place.string(), odd_kind(place));
  file.mode = status.st_mode & kModeBits;
  const auto ns = [](const timespec& time) { return time.tv_sec * kNsPerSecond + time.tv_nsec; };
  file.identity = {file.kind == Kind::kFolder ? 0 : status.st_size, ns(status.st_mtim),
                   ns(status.st_ctim), static_cast<std::int64_t>(status.st_ino)};
  return file;
}

/// Names on the disk, not those that were packed; none where there is no such folder.
std::vector<std::string> names_on_disk(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error && error != std::errc::no_such_file_or_directory) failed("list", folder, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

/// Whether it is the file that was packed: removing another name of it changes its `changed_ns`.
bool is_same(const ArchivedFile& a, const ArchivedFile& b) {
  return a.kind == b.kind && a.mode == b.mode && a.identity.inode == b.identity.inode &&
         a.identity.written_ns == b.identity.written_ns &&
         (a.kind == Kind::kFolder || a.identity.size_bytes == b.identity.size_bytes);
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

void sync_folder(const fs::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = handle >= 0 && (::fsync(handle) == 0 || errno == EINVAL);
  const int error = errno;
  if (handle >= 0) ::close(handle);
  if (!synced) failed("sync", folder, error);
}

/// All that was written to the file system of a folder lasts through a power cut.
void sync_all(const fs::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = handle >= 0 && ::syncfs(handle) == 0;
  const int error = errno;
  if (handle >= 0) ::close(handle);
  if (!synced) failed("sync", folder, error);
}

void set_times(const fs::path& path, const ArchivedFile& file) {
  const timespec written{file.identity.written_ns / kNsPerSecond,
                         file.identity.written_ns % kNsPerSecond};
  const timespec times[] = {written, written};
  if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
    failed("set the time of", path);
}

std::string text_of(ByteSource& source) {
  std::string text;
  for (auto part = source.next(); !part.empty(); part = source.next()) text += part;
  return text;
}

/// Writes a file as it was. What a folder shows is whole, so it is to be renamed there.
void write_file(const fs::path& to, ByteSource& source, const ArchivedFile& file) {
  const int descriptor = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) failed("create", to);
  int error = 0;
  for (auto part = source.next(); error == 0 && !part.empty();) {
    const ssize_t count = ::write(descriptor, part.data(), part.size());
    if (count < 0 && errno != EINTR) error = errno;
    if (count > 0) part.remove_prefix(static_cast<std::size_t>(count));
    if (part.empty()) part = source.next();
  }
  if (error == 0 && ::fchmod(descriptor, file.mode) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) failed("write", to, error);
  set_times(to, file);
}

/// Sums up files, those with several names once.
PackingDone summed_up(const std::vector<ArchivedFile>& files) {
  PackingDone done;
  std::set<std::int64_t> seen;
  for (const auto& file : files) {
    ++done.files;
    const bool counts = file.kind == Kind::kFile && seen.insert(file.identity.inode).second;
    if (counts) done.bytes += file.identity.size_bytes;
  }
  return done;
}

/// What was packed, but was not removed yet, is not packed again. A folder is, where there is
/// something new in it.
std::vector<ArchivedFile> not_packed_yet(const std::vector<ArchivedFile>& files,
                                         const PackedFolder& packed) {
  std::set<std::string> changed;
  std::vector<bool> is_fresh(files.size());
  for (std::size_t i = files.size(); i-- > 0;) {
    const auto& file = files[i];
    const ArchivedFile* before = packed.find(file.path);
    const bool is_known = before && (file.kind == Kind::kFolder && before->kind == Kind::kFolder
                                         ? changed.count(file.path) == 0
                                         : is_same(*before, file));
    is_fresh[i] = !is_known;
    if (is_fresh[i] && (!before || file.kind != Kind::kFolder))
      changed.insert(folder_of(file.path));
  }
  std::vector<ArchivedFile> fresh;
  std::map<std::int64_t, std::string> first_names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!is_fresh[i]) continue;
    fresh.push_back(files[i]);
    if (files[i].kind != Kind::kFile) continue;
    const auto [name, is_first] = first_names.emplace(files[i].identity.inode, files[i].path);
    if (!is_first) fresh.back().same_as = name->second;
  }
  return fresh;
}

/// How many archives, of the newest, a new one of so many files takes in: those of much its size,
/// so that there are never many, and a file is copied no more often than their number.
std::size_t archives_to_fold(std::size_t files, const PackedFolder& packed) {
  constexpr std::size_t kFactor = 2;
  std::size_t folded = 0;
  for (const auto& archive : packed.archives()) {
    if (archive->files().size() > kFactor * files) break;
    files += archive->files().size();
    ++folded;
  }
  return folded;
}

/// Adds what counts of an old archive, but what is `taken`. A file whose first name does not has
/// its next one for that.
void fold_in(ArchiveWriter& writer, const PackedFolder& packed, std::size_t archive,
             const std::set<std::string_view>& taken) {
  const Archive& old = *packed.archives()[archive];
  std::map<std::string_view, std::string_view> first_names;
  for (std::size_t i = 0; i < old.files().size(); ++i) {
    const ArchivedFile& before = old.files()[i];
    const auto place = packed.place_of(before.path);
    if (place->archive != archive || place->number != i || taken.count(before.path) > 0) continue;
    const std::string_view first = before.same_as.empty() ? before.path : before.same_as;
    const auto [name, is_first] = first_names.emplace(first, before.path);
    ArchivedFile file = before;
    file.same_as = is_first ? "" : name->second;
    writer.add(file, old, i);
  }
}

/// Every byte is read once before what the archive holds is removed. Errors: as Archive.
void verify(const fs::path& archive) {
  const Archive written(archive);
  for (std::size_t i = 0; i < written.files().size(); ++i) {
    if (written.files()[i].kind == Kind::kFolder || !written.files()[i].same_as.empty()) continue;
    const auto source = written.open(i);
    while (!source->next().empty()) continue;
  }
}

/// Of the archives there are: how many files, with their folder, and their bytes.
std::pair<std::int64_t, std::int64_t> sum_of_archives(const fs::path& root) {
  std::int64_t files = 1, bytes = 0;
  for (const std::int64_t number : archive_numbers(root)) {
    const auto archive = identity_on_disk(archive_path(root, number));
    ++files;
    bytes += archive ? archive->size_bytes : 0;
  }
  return {files, bytes};
}

}  // namespace

Packer::Packer(fs::path root, std::function<void()> before_change)
    : root_(std::move(root)), before_change_(std::move(before_change)) {}

void Packer::remove_file(const fs::path& path) {
  before_change_();
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) failed("remove", path);
}

void Packer::make_folder(const fs::path& path) {
  std::error_code error;
  before_change_();
  fs::create_directories(path, error);
  if (error) failed("create", path, error.value());
}

/// Of one that was ended: what it had begun to write, and archives that a newer one stands for.
void Packer::remove_leftovers(const PackedFolder& packed) {
  const fs::path folder = packed_directory(root_);
  for (const auto& name : names_on_disk(folder))
    if (name.starts_with('.')) remove_file(folder / name);
  std::set<fs::path> count;
  for (const auto& archive : packed.archives()) count.insert(archive->path());
  for (const std::int64_t number : archive_numbers(root_)) {
    const fs::path path = archive_path(root_, number);
    if (count.count(path) == 0) remove_file(path);
  }
}

/// Folders before what is in them.
Packer::Files Packer::find(const std::vector<std::string>& folders) const {
  Files found;
  std::vector<std::string> open(folders.rbegin(), folders.rend());
  while (!open.empty()) {
    const std::string path = std::move(open.back());
    open.pop_back();
    auto here = look_at(root_, path);
    if (!here) continue;
    const fs::path place = root_ / path;
    const bool is_folder = here->kind == Kind::kFolder;
    if (here->kind != Kind::kLink && ::access(place.c_str(), R_OK) != 0) failed("read", place);
    found.push_back(*std::move(here));
    if (!is_folder) continue;
    const auto names = names_on_disk(place);
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      open.push_back(path + '/' + *name);
  }
  return found;
}

void Packer::write_archive(const Files& fresh, const PackedFolder& packed) {
  const auto numbers = archive_numbers(root_);
  const std::int64_t number = numbers.empty() ? 1 : numbers.front() + 1;
  const fs::path folder = packed_directory(root_), path = archive_path(root_, number);
  const fs::path unfinished = folder / fmt::format(".{}.new", path.filename().string());
  ArchiveWriter writer(unfinished);
  std::set<std::string_view> taken;
  for (const auto& file : fresh) {
    taken.insert(file.path);
    writer.add(file, root_ / file.path);
  }
  const std::size_t folded = archives_to_fold(fresh.size(), packed);
  for (std::size_t i = 0; i < folded; ++i) fold_in(writer, packed, i, taken);
  before_change_();
  writer.write(comment_of(folded == 0 ? number : packed.number_of(folded - 1)));
  verify(unfinished);
  before_change_();
  if (::rename(unfinished.c_str(), path.c_str()) != 0) failed("rename to", path);
  sync_folder(folder);
  sync_folder(root_);
  for (std::size_t i = 0; i < folded; ++i) remove_file(packed.archives()[i]->path());
}

/// Leaves what has changed since it was found, and folders with something in them.
void Packer::remove(const Files& files) {
  for (const auto& file : files) {
    if (file.kind == Kind::kFolder) continue;
    const auto now = look_at(root_, file.path);
    if (now && is_same(*now, file)) remove_file(root_ / file.path);
  }
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (file->kind != Kind::kFolder) continue;
    const fs::path place = root_ / file->path;
    before_change_();
    const bool may_stay =
        ::rmdir(place.c_str()) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST;
    if (!may_stay) failed("remove", place);
  }
}

PackingDone Packer::would_pack(const std::vector<std::string>& folders) const {
  return summed_up(find(folders));
}

PackingDone Packer::pack(const std::vector<std::string>& folders) {
  const Files files = find(folders);
  if (files.empty()) return {};
  const std::int64_t bytes_before = sum_of_archives(root_).second;
  make_folder(packed_directory(root_));
  const PackedFolder packed(root_);
  remove_leftovers(packed);
  const Files fresh = not_packed_yet(files, packed);
  if (!fresh.empty()) write_archive(fresh, packed);
  remove(files);
  PackingDone done = summed_up(files);
  std::tie(done.archive_files, done.archive_bytes) = sum_of_archives(root_);
  done.archive_bytes -= bytes_before;
  return done;
}

/// False where the file's first name has become something else.
bool Packer::link_to_first(const ArchivedFile& file) const {
  const auto first = look_at(root_, file.same_as);
  if (!first) return false;
  ArchivedFile other = file;
  other.identity.inode = first->identity.inode;
  if (!is_same(*first, other)) return false;
  const fs::path to = root_ / file.path;
  return ::link((root_ / file.same_as).c_str(), to.c_str()) == 0;
}

/// What is on the disk is newer, or was unpacked before.
void Packer::unpack_file(const PackedFolder& packed, const PackedFolder::Place& place) {
  const ArchivedFile& file = packed.at(place);
  const fs::path to = root_ / file.path, unfinished = packed_directory(root_) / ".unpacked";
  if (look_at(root_, file.path)) return;
  before_change_();
  if (!file.same_as.empty() && link_to_first(file)) return;
  const auto source = packed.open(place);
  if (file.kind == Kind::kLink) {
    if (::symlink(text_of(*source).c_str(), unfinished.c_str()) != 0) failed("create", unfinished);
    set_times(unfinished, file);
  } else {
    write_file(unfinished, *source, file);
  }
  before_change_();
  if (::rename(unfinished.c_str(), to.c_str()) != 0) failed("rename to", to);
}

/// Gives folders their modes and times back, the inner ones first. One that has something else in
/// it by now was changed since.
void Packer::finish_folders(const PackedFolder& packed, const Files& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    const fs::path place = root_ / folder->path;
    const auto& names = packed.names_in(folder->path);
    const std::set<std::string_view> were(names.begin(), names.end());
    const auto are = names_on_disk(place);
    if (!std::equal(are.begin(), are.end(), were.begin(), were.end())) continue;
    before_change_();
    if (::chmod(place.c_str(), folder->mode) != 0) failed("set the mode of", place);
    set_times(place, *folder);
  }
}

PackingDone Packer::unpack() {
  const fs::path packed_in = packed_directory(root_);
  if (!identity_on_disk(packed_in)) return {};
  const PackedFolder packed(root_);
  remove_leftovers(packed);
  std::vector<PackedFolder::Place> places;
  places.reserve(packed.places().size());
  for (const auto& [path, place] : packed.places()) places.push_back(place);
  std::sort(places.begin(), places.end(), [&](const auto& a, const auto& b) {
    return packed.at(a).path < packed.at(b).path;  // a folder before what is in it
  });
  Files all, folders;
  for (const auto& place : places) {
    all.push_back(packed.at(place));
    if (all.back().kind != Kind::kFolder) continue;
    folders.push_back(all.back());
    make_folder(root_ / all.back().path);
  }
  for (const bool first_names : {true, false}) {
    for (const auto& place : places) {
      const ArchivedFile& file = packed.at(place);
      if (file.kind != Kind::kFolder && file.same_as.empty() == first_names)
        unpack_file(packed, place);
    }
  }
  finish_folders(packed, folders);
  sync_all(root_);
  for (const auto& archive : packed.archives()) remove_file(archive->path());
  before_change_();
  if (::rmdir(packed_in.c_str()) != 0) failed("remove", packed_in);
  return summed_up(all);
}

}  // namespace pippin
