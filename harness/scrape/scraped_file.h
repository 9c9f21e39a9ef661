// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text_file.h"
#include "core/records/log_file.h"
#include "harness/scrape/network.h"
#include "harness/scrape/scrape.h"

namespace pippin {

/// What was read in a file.
struct ScrapedFile {
  LogFile file;
  std::vector<LogRun> runs;
  std::vector<CanaryFigures> tables;  ///< of a network, where there are no runs
  std::string reason;  ///< why it can be no log: it is empty, or binary; empty where it may be one
  std::vector<std::string> problems;  ///< as Scraped has them
  std::vector<UnusedLines> unused;
  std::optional<Wrapping> wrapping;  ///< as Scraped has it
  QuotedText quoted;                 ///< as Scraped has it
  bool has_lines = false;            ///< it is a text of more than a few
  std::shared_ptr<const std::string>
      text;  ///< of what can be read but once, as a pipe; `file` needs it
};

/// Reads a file once, in parts, and in constant memory but for what it finds, as read_text() does;
/// what can be read but once is kept. Of a binary file that is refused only the beginning is read:
/// a folder of runs holds checkpoints of many gigabytes. One that is not may be compressed for all
/// we know, and is not decompressed.
/// Errors: Error (bad input) where it cannot be read, is damaged, or is neither a file nor a pipe.
/// `hints`: as scrape_parts() has it.
ScrapedFile scrape_file(const fs::path& path, const LogHints& hints = {},
                        const TextOptions& options = {});

/// Reads the text of a file that was scraped once more.
void read_scraped_text(const ScrapedFile& scraped, const fs::path& path,
                       const std::function<void(std::string_view part)>& take);

/// A file that is read as it grows: each time only what came since.
class GrowingFile {
 public:
  explicit GrowingFile(fs::path path, LogHints hints = {})
      : path_(std::move(path)), hints_(std::move(hints)) {}

  /// What scrape_file() finds in all that came; nothing where nothing did. A file that does not go
  /// on as it was, one that is no log, and one whose text is not its bytes is read anew.
  /// Errors: Error (bad input) where it cannot be read.
  std::optional<ScrapedFile> read();

 private:
  bool goes_on() const;
  void keep_end(std::string_view part);
  bool add(std::string_view part);

  fs::path path_;
  LogHints hints_;
  std::optional<GrowingLog> log_;  ///< empty: it is to be read anew
  LogFileMaker maker_;
  LogFile last_;     ///< as it was found last
  std::string end_;  ///< its last bytes
};

}  // namespace pippin
