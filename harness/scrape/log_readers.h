// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/format.h"
#include "harness/scrape/scrape.h"
#include "harness/scrape/trainers/readers.h"

namespace pippin {

/// Which trainers' lines are read, a bit each in the order of trainers().
inline constexpr std::uint64_t kNoTrainer = 0;

/// Of the trainers whose signs were seen, those that are to be read for: a part of others is not
/// where Megatron's lines tell all.
std::uint64_t wanted_trainers(std::uint64_t signs, const Scraped& found);

/// Whether a line has a sign of a network's table.
bool has_table_sign(const FoundLine& line);

/// What is looked for in a log that is read by a person's patterns.
const CommonTexts& common_texts();
const Needles& common_needles();

/// The formats that each log is read for. Those of other trainers have a table of their own
/// (trainers()), and are looked for only where a sign of them occurs.
std::span<const LogFormat> log_formats();

/// Gives the lines of a whole text to a sink.
void pass(const ReadParts& read, LineSink& sink);

/// Shows them to what has to see all before it is asked.
void show(const ReadParts& read, Quotation& quotation);

/// The readers of all formats, and of some trainers.
class LogReaders {
 public:
  /// `document`: of a script or a note, which only quotes logs.
  LogReaders(bool document, std::uint64_t of_trainers);
  LogReaders(const LogReaders& other);
  LogReaders& operator=(const LogReaders&) = delete;
  ~LogReaders() = default;

  /// The log of other trainers than Megatron begins with its first launch.
  void know_beginning() { trainers_.know_beginning(); }

  bool want_next_line() const { return want_next_line_; }
  /// What is to be looked for behind the line read last.
  const Needles& needles() const { return *needles_; }
  void read(const FoundLine& line);
  /// See LineSink::take_alike().
  std::size_t read_alike(std::string_view text);

  /// The trainers of which a sign was seen, and those that are read for.
  std::uint64_t signs() const { return signs_; }
  std::uint64_t read_trainers() const { return of_trainers_; }

  /// What was found until now, of all together and of each format; see FoundCounts.
  FoundCounts counts() const;
  std::vector<std::size_t> steps_by_format() const;
  /// The step read last, where `before` were the steps by format before it.
  SeenStep last_step(const std::vector<std::size_t>& before) const;
  const TrainerReaders& of_trainers() const { return trainers_; }

  /// Empties it. `hints`: as scrape_parts() has it.
  Scraped finish(const LogHints& hints);

 private:
  void see_signs(const FoundLine& line);
  void choose_needles();

  std::vector<std::unique_ptr<FormatReader>> readers_;
  std::uint64_t of_trainers_ = kNoTrainer;
  TrainerReaders trainers_;
  std::uint64_t signs_ = 0;
  bool want_next_line_ = false;
  std::vector<std::uint64_t> needless_;  ///< by reader, then by trainer
  const Needles* needles_ = nullptr;
};

}  // namespace pippin
