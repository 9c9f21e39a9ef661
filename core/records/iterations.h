// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/records/packed_numbers.h"
#include "core/records/point.h"
#include "core/records/value.h"

namespace pippin {

/// Iteration::other of a step that several ranks told: how many, and the time of the fastest.
inline constexpr const char* kRanksName = "ranks";
inline constexpr const char* kFastestRankName = "fastest rank (ms)";

/// One iteration line of a log.
struct Iteration {
  std::int64_t number = 0;
  double step_time_ms = 0;
  std::int64_t interval = 1;  ///< iterations that the line is the mean of
  unsigned flags = 0;         ///< IterationFlag; 0: a clean sample
  Count gbs, consumed_samples, skipped, nan;
  std::optional<double> lm_loss, learning_rate, loss_scale, grad_norm;
  NamedValues other;  ///< what else the line says, by its own names
};

/// Goes through the lines of a run, from the first at each call. Only their numbers, times,
/// intervals, flags and GBS need be set.
using EachLine = std::function<void(const std::function<void(const Iteration&)>& take)>;

/// Some lines of a run that follow each other, as columns.
struct IterationBlock {
  /// What of a line is whole, and what is real, in the order of the columns.
  enum Whole { kNumber, kInterval, kFlags, kGbs, kConsumedSamples, kSkipped, kNan, kWholes };
  enum Real { kStepTime, kLmLoss, kLearningRate, kLossScale, kGradNorm, kReals };

  /// What else lines say, under one name: a number or else a text, or nothing.
  struct Other {
    std::size_t name = 0;  ///< its place in Iterations::names()
    PackedNumbers numbers;
    std::vector<std::string> texts;  ///< each once
    PackedNumbers text_of;           ///< the place there of each line's; empty where there are none
  };

  std::size_t lines = 0;
  std::array<PackedNumbers, kWholes> wholes;
  std::array<PackedNumbers, kReals> reals;
  std::vector<Other> others;
};

/// The lines of a run, in the order of its log. Kept in blocks, as the database has them; a million
/// lines with six timers each take about 30 MB. Of what they say besides there are kMostNames names
/// at most.
class Iterations {
 public:
  Iterations() = default;
  explicit Iterations(const std::vector<Iteration>& lines);

  void push_back(Iteration line);
  /// Gives the last line a value of that name, in place of one that it has. Requires a line.
  void put(std::string_view name, const Value& value);
  /// The same, where the last line has none of that name.
  void put_first(std::string_view name, const Value& value);
  void put_first(std::string_view name, double number);
  void put(std::string_view name, double number) { put(name_of(name), number); }
  std::size_t size() const { return packed_lines_ + open_.size(); }
  bool empty() const { return size() == 0; }
  /// Made anew at each call. `other` has the columns' order; of a number it has no other text.
  Iteration operator[](std::size_t i) const;
  /// The same without `other`, which takes longer than the rest.
  Iteration bare(std::size_t i) const;
  Iteration at(std::size_t i) const;  ///< errors: std::out_of_range
  std::int64_t number_of(std::size_t i) const;
  Iteration front() const { return (*this)[0]; }
  Iteration back() const { return (*this)[size() - 1]; }
  std::vector<Iteration> lines() const { return first(size()); }
  /// Requires count <= size().
  std::vector<Iteration> first(std::size_t count) const;

  /// What a line's place among the others says of it.
  struct Marks {
    std::int64_t number, interval;
    unsigned flags;
    Count gbs;
  };
  /// Calls `mark(Marks&)` for each line, in their order, and keeps all but the number.
  template <typename Mark>
  void mark_each(Mark mark) {
    for (auto& block : blocks_) {
      std::vector<Marks> marks = marks_of(block);
      for (auto& line : marks) mark(line);
      put_marks(block, marks);
    }
    for (auto& line : open_) {
      Marks marks{line.number, line.interval, line.flags, line.gbs};
      mark(marks);
      line.interval = marks.interval;
      line.flags = marks.flags;
      line.gbs = marks.gbs;
    }
  }

  /// Calls `take(const Iteration&)` for each line, in their order. Shape: as of EachLine.
  void each_line(const std::function<void(const Iteration&)>& take) const;

  /// Calls `take(const IterationBlock&)` for each block, in their order.
  template <typename Take>
  void each_block(Take take) const {
    for (const auto& block : blocks_) take(block);
    if (!open_.empty()) take(packed(open_.size()));
  }
  /// How many values had a name too many, and were left out.
  std::size_t left_out() const { return left_out_; }
  static constexpr std::size_t kMostNames = 10'000;
  /// The names of what else lines say, each once, and their order in a line.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::size_t>& order() const { return order_; }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Iteration;
    using difference_type = std::ptrdiff_t;
    using pointer = const Iteration*;
    using reference = Iteration;
    Iterator(const Iterations& of, std::size_t at) : of_(&of), at_(at) {}
    Iteration operator*() const { return (*of_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Iterations* of_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  /// What the open lines have under one name.
  struct OpenOther {
    std::vector<double> numbers;        ///< of the first lines; not a number where there is none
    std::vector<std::string> texts;     ///< each once
    std::vector<std::int64_t> text_of;  ///< of the first lines, the place there
  };

  static std::vector<Marks> marks_of(const IterationBlock& block);
  static void put_marks(IterationBlock& block, const std::vector<Marks>& marks);
  std::size_t name_of(std::string_view name);
  void put(std::size_t name, double number);
  bool last_has(std::size_t name) const;
  std::optional<Value> open_other(std::size_t name, std::size_t line) const;
  IterationBlock::Other packed_other(std::size_t name, std::size_t lines) const;
  IterationBlock packed(std::size_t lines) const;
  bool is_sparse() const;
  void pack_open();
  std::size_t block_of(std::size_t i) const;
  static Iteration bare_line_of(const IterationBlock& block, std::size_t i);
  Iteration line_of(const IterationBlock& block, std::size_t i) const;

  std::vector<IterationBlock> blocks_;
  std::vector<std::size_t> begins_;     ///< of each block its first line
  std::vector<Iteration> open_;         ///< the last lines, without what else they say
  std::vector<OpenOther> open_others_;  ///< that, by name
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> by_name_;  ///< places in `names_`
  std::vector<std::size_t> order_;                        ///< the same
  std::optional<std::size_t> last_put_;  ///< the name of what the last line was given last
  std::size_t packed_lines_ = 0, next_pack_ = kFirstGuess;
  std::size_t open_cells_ = 0, open_values_ = 0;  ///< of open_others_: with those that are empty
  std::size_t left_out_ = 0;

  static constexpr std::size_t kFirstGuess = 128;
  static constexpr std::size_t kNoName = static_cast<std::size_t>(-1);  ///< of what is left out
  static constexpr std::size_t kMostInOrder = 1000;  ///< names; more are no trainer's
};

/// The bytes that the digits of a block's columns take in the database, without what else lines
/// say.
std::size_t digit_bytes(const IterationBlock& block);

/// The most lines of a block, and the bytes of digits that one is filled up to: a page of the
/// database holds as much.
inline constexpr std::size_t kMostBlockLines = 1024, kBlockBytes = 3800;

}  // namespace pippin
