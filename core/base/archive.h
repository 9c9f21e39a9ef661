// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/input_file.h"

namespace pippin {

/// A file, folder or link as it was on the disk.
struct ArchivedFile {
  enum class Kind { kFile, kFolder, kLink };
  std::string path;  ///< within its archive: "RUN/2-local-0/log"
  Kind kind = Kind::kFile;
  std::uint32_t mode = 0;    ///< its permissions
  FileIdentity identity;     ///< as it was on the disk
  std::string same_as = {};  ///< the path of the file that it is another name of; empty: of none
};

/// An archive as ArchiveWriter leaves it: a ZIP file, which other programs read, too. It may be
/// read by several threads, and goes on being read when its file is removed.
/// Errors: Error (bad input) naming it where it is damaged or cannot be read.
class Archive {
 public:
  explicit Archive(fs::path path);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  const fs::path& path() const;
  const std::vector<ArchivedFile>& files() const;
  const std::string& comment() const;
  /// What files()[number] holds; of a link, where it leads. It may outlive this.
  /// Errors: also from it.
  std::unique_ptr<ByteSource> open(std::size_t number) const;

 private:
  friend class ArchiveWriter;
  class Reader;
  class Source;
  std::shared_ptr<Reader> reader_;
};

/// Makes an archive. Nothing is written before write().
/// Errors: Error (machine) naming the archive.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(fs::path path);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// Requires that no other file was added under its path; that the file it is the same as was.
  void add(const ArchivedFile& file, const fs::path& on_disk);
  /// What another archive has of it, as that has compressed it. Requires that `other` outlives
  /// this.
  void add(const ArchivedFile& file, const Archive& other, std::size_t number);
  /// The archive lasts through a power cut when it returns. To be called once.
  void write(const std::string& comment);

 private:
  class Zip;
  std::unique_ptr<Zip> zip_;
};

}  // namespace pippin
