// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "harness/scrape/scraped_file.h"

namespace pippin {

/// A file that was read, or why it could not be.
struct FileRead {
  fs::path path;
  std::optional<ScrapedFile> scraped = {};
  std::string trouble = {};    ///< empty where it was read, or nothing had come
  bool is_broken = false;      ///< the trouble is a machine's, as BrokenFile has it
  bool is_told_wrong = false;  ///< it is what a person says of the file, as ToldError has it
};

/// What scrape_file() finds, and the parameters of its models.
FileRead read_file(const fs::path& path, const LogHints& hints, const TextOptions& options = {});
/// The same of a file that grows; nothing is scraped where nothing came.
FileRead read_file(const fs::path& path, GrowingFile& growing);

/// Reads files on several threads, a little ahead of who stores them.
class ReadAhead {
 public:
  /// A file, and about how much there is to read.
  struct Item {
    fs::path path;
    std::int64_t size_bytes = 0;
    bool is_file = false;  ///< as TextOptions has it
    NamedValues told;
  };

  explicit ReadAhead(std::vector<Item> files, TellBytes tell = {});
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The next files, in the order in which they were named; empty at the end.
  std::vector<FileRead> next();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace pippin
