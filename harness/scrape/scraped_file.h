#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  std::shared_ptr<const std::string>
      text;  ///< of what can be read but once, as a pipe; `file` needs it
};

enum class Binary { kRefuse, kRead };

/// Reads a file once, in parts, and in constant memory but for what it finds. Of a binary file that
/// is refused only the beginning is read: a folder of runs holds checkpoints of many gigabytes.
/// `tell` hears of each part how many bytes it has.
/// Errors: Error (bad input) where it cannot be read.
using TellBytes = std::function<void(std::int64_t bytes)>;
ScrapedFile scrape_file(const fs::path& path, Binary binary = Binary::kRefuse,
                        const TellBytes& tell = {});

/// A file that is read as it grows: each time only what came since.
class GrowingFile {
 public:
  explicit GrowingFile(fs::path path) : path_(std::move(path)) {}

  /// What scrape_file() finds in all that came; nothing where nothing did. A file that does not go
  /// on as it was, and one that is no log, is read anew. Errors: Error (bad input) where it cannot
  /// be read.
  std::optional<ScrapedFile> read();

 private:
  bool goes_on() const;
  void keep_end(std::string_view part);

  fs::path path_;
  std::optional<GrowingLog> log_;  ///< empty: it is to be read anew
  LogFileMaker maker_;
  LogFile last_;     ///< as it was found last
  std::string end_;  ///< its last bytes
};

}  // namespace pippin
