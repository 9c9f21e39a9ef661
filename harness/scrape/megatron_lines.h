#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/line_shape.h"

namespace pippin {

/// One iteration record as its line says it, before the lines around it are known: flags are 0
/// but for kSkippedStep, interval is 1.
struct IterationRecord {
  Iteration iteration;
  std::int64_t last = 0;           ///< the number after the '/'
  std::optional<std::int64_t> at;  ///< "[2024-04-06 03:02:12]" before it; today's Megatron-LM only
  double resolution_ms = 0;        ///< the step in which its time is written
  std::uint64_t said = 0;          ///< a hash of all that its fields say
};

/// The iteration records of a line: more than one where ranks wrote at once, none where the line
/// only quotes one (a comment, an echo, a table), or where its time is no number above 0.
std::vector<IterationRecord> iterations_in(std::string_view line);

/// Reads lines that differ from one before only in their numbers: as iterations_in() does, but for
/// `at`, many times faster.
class AlikeIterations {
 public:
  /// Takes the shape of a line. Requires that iterations_in() reads one record in it.
  void learn(std::string_view line);
  /// The record of a line of a known shape, until the next call; else nothing.
  IterationRecord* read(std::string_view line);
  /// What else that line says, in its order: names, and numbers. Iteration::other has none of it.
  const std::vector<std::string>& names() const { return shapes_[read_].names; }
  const std::vector<double>& others() const { return others_; }

 private:
  struct Shape {
    LineShape line;
    std::size_t number = 0;  ///< which of its numbers is the iteration's; the next: the last
    std::vector<std::size_t> known;  ///< of each other number its place in a table, or that of none
    std::vector<std::string> names;  ///< of those that have none
  };
  static constexpr std::size_t kShapes = 3;

  IterationRecord* take(const Shape& shape);

  std::array<Shape, kShapes> shapes_;
  std::size_t read_ = 0, learnt_ = 0;  ///< which was read last, and learnt last
  std::vector<WrittenNumber> numbers_;
  std::vector<double> others_;
  IterationRecord record_;
};

/// The same for the timers of a line.
class AlikeTimers {
 public:
  /// Takes the shape of a line. Requires that timers_in() reads some in it.
  void learn(std::string_view line);
  bool read(std::string_view line);
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<WrittenNumber>& numbers() const { return numbers_; }

 private:
  LineShape line_;
  std::vector<std::string> names_;
  std::vector<WrittenNumber> numbers_;
};

/// The "… memory (MB) | allocated: …" records of a line; rank 0 where none is named.
std::vector<RankMemory> memory_in(std::string_view line);

/// The timers of a line, in ms: "time (ms) | forward-compute: 148.03 | …" until 2022, after that
/// "    forward-backward ....: (3198.27, 3199.53)" over all ranks, as "forward-backward min" and
/// "… max".
NamedValues timers_in(std::string_view line);

/// One "  name ........ value" line of the arguments dump.
std::optional<std::pair<std::string, Value>> argument_in(std::string_view line);

/// The first "2021-06-10 20:47:54" of a text as seconds since 1970, read as UTC.
std::optional<std::int64_t> time_in(std::string_view text);

/// The whole number that follows `key` (and blanks); nothing where there is none.
Count number_after(std::string_view text, std::string_view key);

}  // namespace pippin
