// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/format.h"
#include "harness/scrape/line_scanner.h"
#include "harness/scrape/trainers/trainer.h"

namespace pippin {

/// What a log holds of trainers, beside Megatron's own format.
struct TrainerFindings {
  std::vector<LogRun> runs;
  std::vector<std::string> problems;  ///< why launches that were found have no times
  std::vector<UnusedLines> unused;
};

/// The readers of some trainers, a bit each in the order of trainers().
class TrainerReaders {
 public:
  explicit TrainerReaders(std::uint64_t which);
  TrainerReaders(const TrainerReaders& other);
  TrainerReaders(TrainerReaders&&) noexcept = default;
  TrainerReaders& operator=(const TrainerReaders&) = delete;
  TrainerReaders& operator=(TrainerReaders&&) noexcept = default;
  ~TrainerReaders() = default;

  /// What is read begins with its first launch.
  void know_beginning() { log_.launch().begins = true; }

  bool want_next_line() const;
  /// `texts`: of each trainer.
  void read(const FoundLine& line, const std::vector<TextRange>& texts, const CommonTexts& common);
  FoundCounts counts() const { return log_.counts(); }
  const SeenStep& last_step() const { return log_.last_step(); }
  /// As TrainerLog has them.
  std::size_t reason_count() const { return log_.reason_count(); }
  const std::string& last_reason() const { return log_.last_reason(); }
  /// Empties it. `parts`: also launches of trainers that are a part of others.
  TrainerFindings finish(bool parts, const LogHints& hints);

 private:
  std::uint64_t which_;
  std::vector<std::unique_ptr<TrainerReader>> readers_;  ///< nullptr: not among them
  TrainerLog log_;
};

}  // namespace pippin
