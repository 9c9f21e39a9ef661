// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/line_shape.h"
#include "harness/scrape/megatron_lines.h"

namespace pippin {

/// Reads lines that differ from one before only in their numbers: as iterations_in() does, but for
/// `at`, many times faster.
class AlikeIterations {
 public:
  /// Takes the shape of a line. Requires that iterations_in() reads one record in it.
  void learn(std::string_view line);
  /// The record of a line of a known shape, until the next call; else nothing.
  IterationRecord* read(std::string_view line) {
    return read_front(line) == line.size() ? take() : nullptr;
  }
  /// The length of the line at the front of a text, up to "\n" or the text's end, where it has a
  /// known shape; else 0.
  std::size_t read_front(std::string_view text);
  /// The record of the line that was read; nothing where it is none.
  IterationRecord* take();
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
  bool read(std::string_view line) { return line_.read(line, numbers_); }
  /// The length of the line at the front of a text, where it has the shape; else 0.
  std::size_t read_front(std::string_view text) { return line_.read_front(text, numbers_); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<WrittenNumber>& numbers() const { return numbers_; }

 private:
  LineShape line_;
  std::vector<std::string> names_;
  std::vector<WrittenNumber> numbers_;
};

}  // namespace pippin
