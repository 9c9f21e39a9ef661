// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/format.h"
#include "harness/scrape/scrape.h"
#include "harness/scrape/trainers/launch.h"

namespace pippin {

/// A line of a log, for one trainer: of one that is still being written what is sure.
struct TrainerLine {
  std::string_view text;    ///< whole, without what terminals added
  std::uint64_t found = 0;  ///< bit i is set where the trainer's text i occurs
  bool is_whole = true;     ///< false: more of it may come

  bool has(std::size_t i) const { return (found >> i & 1) != 0; }
};

/// The launches of a log, as the readers of all trainers find them.
class TrainerLog {
 public:
  TrainerLaunch& launch() { return launch_; }
  /// What stands before a trainer's words says that a launch begins. It is the one at hand where
  /// that has no steps of this speaker yet: each rank may say so.
  void begin_launch(std::size_t trainer, std::string_view before);
  /// A step, said by a line that `before` begins. Not taken where that is no prefix: the words are
  /// quoted.
  void add(std::size_t trainer, const StepRecord& record, std::string_view before);
  /// `lines`: how many are like that one.
  void could_not_use(std::string_view line, std::string_view reason, std::int64_t lines = 1);
  /// The line at hand gives nothing yet: lines below decide. It is no refusal.
  void gives_nothing_yet(std::string_view reason);

  FoundCounts counts() const;
  /// The one added last: "torchtitan step 14: 7282 tokens/s/GPU".
  const SeenStep& last_step() const { return last_step_; }
  /// How many reasons there were until now, of lines that gave nothing, and the last of them.
  std::size_t reason_count() const { return reason_count_; }
  const std::string& last_reason() const { return last_reason_; }

  /// Those before the one at hand.
  const std::vector<TrainerLaunch>& ended() const { return ended_; }
  std::vector<UnusedLines> unused() const { return unused_; }

 private:
  void end_launch();

  TrainerLaunch launch_;
  std::vector<TrainerLaunch> ended_;
  std::size_t said_by_ended_ = 0;  ///< arguments
  std::vector<UnusedLines> unused_;
  std::size_t added_ = 0, reason_count_ = 0;
  SeenStep last_step_;
  std::string last_reason_;
};

/// Reads one trainer's lines.
class TrainerReader {
 public:
  virtual ~TrainerReader() = default;
  virtual std::unique_ptr<TrainerReader> copy() const = 0;
  /// Whether the next line is read whatever it holds, as it may be the rest of a block.
  virtual bool wants_next_line() const { return false; }
  /// A line that holds one of the trainer's texts, or was wanted.
  virtual void read(const TrainerLine& line, TrainerLog& log) = 0;
  /// The log, or the launch, is at its end: what was held back is added.
  virtual void flush(TrainerLog& log) { static_cast<void>(log); }
};

/// TrainerFormat::reader of most.
template <typename Reader>
std::unique_ptr<TrainerReader> reader_of(std::size_t number) {
  return std::make_unique<Reader>(number);
}

/// A trainer's way to print. One file, and a line in the table of trainers.cpp.
struct TrainerFormat {
  std::string_view name;  ///< as Point::trainer has it
  /// At most 64 of 4 bytes at least. The first `signs` tell that a log is this trainer's: each log
  /// is searched for those, and only where one occurs for the others.
  std::span<const std::string_view> texts;
  std::size_t signs;
  /// `number`: its place in the table, for TrainerLog::add().
  std::unique_ptr<TrainerReader> (*reader)(std::size_t number);
  /// What its figures say of the launch by a law; nullptr: nothing.
  void (*apply_laws)(LaunchFacts& facts, const StepRows& rows) = nullptr;
  /// A part of other trainers, which say more: its lines count where theirs are not.
  bool is_part = false;
};

/// All of them, at most 64.
std::span<const TrainerFormat* const> trainers();

}  // namespace pippin
