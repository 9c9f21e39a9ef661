// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/database.h"
#include "harness/scrape/scraped_file.h"

namespace pippin {

/// What reading files came to.
struct Totals {
  Added added;
  std::int64_t known = 0;    ///< logs that brought nothing new
  std::int64_t no_logs = 0;  ///< files without records
  std::int64_t unreadable = 0;
};

bool adds_nothing(const Added& added);
/// "3 logs, 3 runs, 33 iterations added"
std::string text_of(const Added& added);
/// "3 logs, 3 runs, 33 iterations added; 4 files are no logs"
std::string summary_of(const Totals& totals);

/// Why a file that was read gave nothing.
std::string why_nothing(const ScrapedFile& scraped);
/// Which of its lines are nearest to a step's, and where one reads how to read them; empty where it
/// is no text.
std::string what_is_near(const ScrapedFile& scraped, const fs::path& path);
/// Whether a file that gave nothing might have been meant to: it has lines of a known trainer, or
/// a log's name and more than a few lines.
bool looks_like_log(const fs::path& path, const ScrapedFile& scraped);
/// What is to be said of a file that gave something: launches that are not among its runs, lines
/// that could not be used.
std::vector<std::string> remarks_on(const ScrapedFile& scraped);

/// Files in folders that look like logs and gave nothing.
class PassedOver {
 public:
  void add(const fs::path& path, const std::string& reason);
  /// One a file; where they are many the first ones, and how many there are more, unless all are
  /// wanted.
  std::vector<std::string> lines(bool all) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace pippin
