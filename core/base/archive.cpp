// SPDX-License-Identifier: Apache-2.0
#include "core/base/archive.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <zip.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Kind = ArchivedFile::Kind;

// What a ZIP file has no field for stands in an extra one of ours, whose id nobody has registered:
// "WRITTEN CHANGED INODE SAME_AS". Source: PKWARE's APPNOTE.TXT, 4.5.
constexpr zip_uint16_t kOwnField = 0x6970;
constexpr unsigned kModeShift = 16;  // Unix permissions are in the upper half
constexpr std::uint32_t kModeBits = 07777;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

[[noreturn]] void damaged(const fs::path& path, std::string_view why) {
  bad_input(
      "{}: the archive is damaged ({}); bring a copy of it back, or move it away: its files "
      "are gone then, and the database keeps what was collected",
      path.string(), printable(why));
}

[[noreturn]] void cannot_write(const fs::path& path, std::string_view why) {
  machine_failed("{}: cannot write: {}", path.string(), printable(why));
}

std::string own_field_of(const ArchivedFile& file) {
  return fmt::format("{} {} {} {}", file.identity.written_ns, file.identity.changed_ns,
                     file.identity.inode, file.same_as);
}

/// False where it is none of ours.
bool read_own_field(std::string_view text, ArchivedFile& file) {
  for (std::int64_t* number :
       {&file.identity.written_ns, &file.identity.changed_ns, &file.identity.inode}) {
    const auto end = text.find(' ');
    const auto value = parse_integer(text.substr(0, end));
    if (!value || end == std::string_view::npos) return false;
    *number = *value;
    text.remove_prefix(end + 1);
  }
  file.same_as = text;
  return true;
}

/// Other programs unpack another name of a file as a link that leads to it.
std::string link_to(const ArchivedFile& file) {
  return fs::path(file.same_as).lexically_relative(fs::path(file.path).parent_path()).string();
}

}  // namespace

class Archive::Reader {
 public:
  explicit Reader(fs::path path) : path_(std::move(path)) {
    int error = 0;
    zip_ = ::zip_open(path_.c_str(), ZIP_RDONLY, &error);
    if (!zip_) {
      zip_error_t words;
      ::zip_error_init_with_code(&words, error);
      const std::string why = ::zip_error_strerror(&words);
      ::zip_error_fini(&words);
      damaged(path_, why);
    }
    try {
      read_list();
    } catch (...) {
      ::zip_discard(zip_);
      throw;
    }
  }
  ~Reader() { ::zip_discard(zip_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  zip_file_t* open(std::size_t number) {
    const std::lock_guard lock(mutex_);
    zip_file_t* file = ::zip_fopen_index(zip_, number, 0);
    if (!file) damaged(path_, ::zip_strerror(zip_));
    return file;
  }
  /// As many bytes as there are, up to `most`.
  std::size_t read(zip_file_t* file, std::size_t number, char* to, std::size_t most) {
    const std::lock_guard lock(mutex_);
    std::size_t size = 0;
    while (size < most) {
      const zip_int64_t count = ::zip_fread(file, to + size, most - size);
      if (count < 0)
        damaged(path_, fmt::format("{}: {}", files_[number].path, ::zip_file_strerror(file)));
      if (count == 0) break;
      size += static_cast<std::size_t>(count);
    }
    return size;
  }
  void close(zip_file_t* file) {
    const std::lock_guard lock(mutex_);
    ::zip_fclose(file);
  }

  /// Where the bytes of a file stand that may be another name.
  std::size_t bytes_of(std::size_t number) const {
    const auto target = targets_.find(number);
    return target == targets_.end() ? number : target->second;
  }

  const fs::path path_;
  zip_t* zip_ = nullptr;
  std::mutex mutex_;  ///< a zip_t is for one thread at a time
  std::vector<ArchivedFile> files_;
  std::string comment_;

 private:
  std::unordered_map<std::size_t, std::size_t> targets_;  ///< of other names, by their numbers

  void read_list() {
    int length = 0;
    const char* comment = ::zip_get_archive_comment(zip_, &length, ZIP_FL_ENC_RAW);
    comment_.assign(comment ? comment : "", static_cast<std::size_t>(std::max(length, 0)));
    const zip_int64_t count = ::zip_get_num_entries(zip_, 0);
    files_.reserve(static_cast<std::size_t>(count));
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i)
      files_.push_back(file_at(i));
    find_targets();
  }

  void find_targets() {
    std::unordered_map<std::string_view, std::size_t> targets;
    for (const auto& file : files_)
      if (!file.same_as.empty()) targets.emplace(file.same_as, files_.size());
    if (targets.empty()) return;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto target = targets.find(files_[i].path);
      if (target != targets.end() && files_[i].same_as.empty()) target->second = i;
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].same_as.empty()) continue;
      const std::size_t target = targets.at(files_[i].same_as);
      if (target == files_.size()) damaged(path_, files_[i].same_as + " is not in it");
      targets_[i] = target;
      files_[i].identity.size_bytes = files_[target].identity.size_bytes;
    }
  }

  ArchivedFile file_at(zip_uint64_t number) {
    ArchivedFile file;
    zip_stat_t status;
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    zip_uint16_t length = 0;
    const char* name = ::zip_get_name(zip_, number, ZIP_FL_ENC_RAW);
    const auto* own =
        ::zip_file_extra_field_get_by_id(zip_, number, kOwnField, 0, &length, ZIP_FL_CENTRAL);
    if (!name || !own || ::zip_stat_index(zip_, number, 0, &status) != 0 ||
        ::zip_file_get_external_attributes(zip_, number, 0, &system, &attributes) != 0)
      damaged(path_, name ? std::string(name) + ": pippin has not packed this" : "no name");
    file.path = name;
    if (!read_own_field({reinterpret_cast<const char*>(own), length}, file))
      damaged(path_, file.path + ": its times cannot be read");
    const mode_t mode = attributes >> kModeShift;
    file.mode = mode & kModeBits;
    if (S_ISDIR(mode)) file.kind = Kind::kFolder;
    if (S_ISLNK(mode) && file.same_as.empty()) file.kind = Kind::kLink;
    if (file.path.ends_with('/')) file.path.pop_back();
    file.identity.size_bytes = static_cast<std::int64_t>(status.size);
    return file;
  }
};

class Archive::Source : public ByteSource {
 public:
  Source(std::shared_ptr<Reader> reader, std::size_t number)
      : reader_(std::move(reader)), number_(number), file_(reader_->open(number)) {}
  ~Source() override { reader_->close(file_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::string_view next() override {
    if (!part_) part_ = std::make_unique_for_overwrite<char[]>(kPartBytes);
    return {part_.get(), reader_->read(file_, number_, part_.get(), kPartBytes)};
  }

 private:
  const std::shared_ptr<Reader> reader_;
  const std::size_t number_;
  zip_file_t* const file_;
  std::unique_ptr<char[]> part_;
};

Archive::Archive(fs::path path) : reader_(std::make_shared<Reader>(std::move(path))) {}

Archive::~Archive() = default;

const fs::path& Archive::path() const { return reader_->path_; }
const std::vector<ArchivedFile>& Archive::files() const { return reader_->files_; }
const std::string& Archive::comment() const { return reader_->comment_; }

std::unique_ptr<ByteSource> Archive::open(std::size_t number) const {
  return std::make_unique<Source>(reader_, reader_->bytes_of(number));
}

class ArchiveWriter::Zip {
 public:
  explicit Zip(fs::path path) : path_(std::move(path)) {
    int error = 0;
    zip_ = ::zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (!zip_) cannot_write(path_, std::strerror(errno));
  }
  ~Zip() {
    if (zip_) ::zip_discard(zip_);
  }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  zip_source_t* text(const std::string& text) {
    // The library reads it when it writes the archive, and frees it.
    auto* copy = static_cast<char*>(std::malloc(std::max<std::size_t>(text.size(), 1)));
    if (!copy) cannot_write(path_, std::strerror(ENOMEM));
    std::copy(text.begin(), text.end(), copy);
    return ::zip_source_buffer(zip_, copy, text.size(), 1);
  }
  zip_source_t* file(const fs::path& file) { return ::zip_source_file(zip_, file.c_str(), 0, -1); }
  zip_source_t* entry(zip_t* other, std::size_t number) {
    return ::zip_source_zip(zip_, other, number, 0, 0, -1);
  }

  void add_folder(const ArchivedFile& file) {
    describe(file, S_IFDIR, ::zip_dir_add(zip_, file.path.c_str(), 0));
  }
  void add_file(const ArchivedFile& file, mode_t kind, zip_source_t* source) {
    if (!source) cannot_write(path_, ::zip_strerror(zip_));
    const zip_int64_t number = ::zip_file_add(zip_, file.path.c_str(), source, 0);
    if (number < 0) ::zip_source_free(source);
    describe(file, kind, number);
  }

  void close(const std::string& comment) {
    ::zip_set_archive_comment(zip_, comment.data(), static_cast<zip_uint16_t>(comment.size()));
    if (::zip_close(zip_) != 0) cannot_write(path_, ::zip_strerror(zip_));
    zip_ = nullptr;
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = file >= 0 && ::fsync(file) == 0;
    const int error = errno;
    if (file >= 0) ::close(file);
    if (!synced) cannot_write(path_, std::strerror(error));
  }

 private:
  void describe(const ArchivedFile& file, mode_t kind, zip_int64_t added) {
    const auto number = static_cast<zip_uint64_t>(added);
    const std::string own = own_field_of(file);
    const auto* bytes = reinterpret_cast<const zip_uint8_t*>(own.data());
    const bool ok =
        added >= 0 &&
        ::zip_file_set_external_attributes(zip_, number, 0, ZIP_OPSYS_UNIX,
                                           (kind | file.mode) << kModeShift) == 0 &&
        ::zip_file_set_mtime(zip_, number, file.identity.written_ns / kNsPerSecond, 0) == 0 &&
        ::zip_file_extra_field_set(zip_, number, kOwnField, ZIP_EXTRA_FIELD_NEW, bytes,
                                   static_cast<zip_uint16_t>(own.size()), ZIP_FL_CENTRAL) == 0;
    if (!ok) cannot_write(path_, fmt::format("{}: {}", file.path, ::zip_strerror(zip_)));
  }

  const fs::path path_;
  zip_t* zip_ = nullptr;
};

ArchiveWriter::ArchiveWriter(fs::path path) : zip_(std::make_unique<Zip>(std::move(path))) {}

ArchiveWriter::~ArchiveWriter() = default;

void ArchiveWriter::add(const ArchivedFile& file, const fs::path& on_disk) {
  if (file.kind == Kind::kFolder) return zip_->add_folder(file);
  if (!file.same_as.empty()) return zip_->add_file(file, S_IFLNK, zip_->text(link_to(file)));
  if (file.kind == Kind::kFile) return zip_->add_file(file, S_IFREG, zip_->file(on_disk));
  zip_->add_file(file, S_IFLNK, zip_->text(fs::read_symlink(on_disk).string()));
}

void ArchiveWriter::add(const ArchivedFile& file, const Archive& other, std::size_t number) {
  if (file.kind == Kind::kFolder) return zip_->add_folder(file);
  if (!file.same_as.empty()) return zip_->add_file(file, S_IFLNK, zip_->text(link_to(file)));
  zip_->add_file(file, file.kind == Kind::kLink ? S_IFLNK : S_IFREG,
                 zip_->entry(other.reader_->zip_, other.reader_->bytes_of(number)));
}

void ArchiveWriter::write(const std::string& comment) { zip_->close(comment); }

}  // namespace pippin
