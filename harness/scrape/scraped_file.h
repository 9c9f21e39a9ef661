#pragma once

#include <memory>
#include <string>
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
/// Errors: Error (bad input) where it cannot be read.
ScrapedFile scrape_file(const fs::path& path, Binary binary = Binary::kRefuse);

}  // namespace pippin
