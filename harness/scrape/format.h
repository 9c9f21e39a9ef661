// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/line_scanner.h"
#include "harness/scrape/scrape.h"

namespace pippin {

/// Some of the texts that are looked for, which follow each other.
struct TextRange {
  std::size_t first = 0, count = 0;
};

/// Texts that matter to all formats: Ending::signs() and NodesSeen::signs().
struct CommonTexts {
  TextRange endings, nodes;
};

/// A line of a log, for one format.
class LogLine {
 public:
  /// `own`: the format's texts.
  LogLine(const FoundLine& line, TextRange own, const CommonTexts& common)
      : line_(line), own_(own), common_(common) {}

  std::string_view text() const { return line_.text; }
  /// With the host and rank tags that text() is without.
  std::string_view labelled() const { return line_.labelled; }
  std::string_view label() const { return labelled().substr(0, labelled().size() - text().size()); }
  /// False for a line that is still being written.
  bool terminated() const { return line_.terminated; }
  /// Whether it stands in the log as it is here, and holds but that one of all texts that are
  /// looked for, the format's text i.
  bool holds_only(std::size_t i) const {
    const auto is_that = [&](const auto& hit) { return hit.needle == own_.first + i; };
    return line_.terminated && line_.text.data() == line_.raw.data() &&
           line_.text.size() == line_.raw.size() &&
           std::all_of(line_.hits.begin(), line_.hits.end(), is_that);
  }
  /// Bit i is set where the format's text i occurs in `rest`, the end of text().
  std::uint64_t found_in(std::string_view rest) const {
    std::uint64_t found = 0;
    each_in(own_, rest, [&](std::size_t number) { found |= std::uint64_t{1} << number; });
    return found;
  }
  /// The numbers of the signs that occur in `rest`, each once.
  std::vector<std::size_t> endings_in(std::string_view rest) const {
    return numbers_in(common_.endings, rest);
  }
  std::vector<std::size_t> nodes_in(std::string_view rest) const {
    return numbers_in(common_.nodes, rest);
  }
  /// Whether there are any of the three.
  bool matters() const {
    const auto in = [](TextRange range, std::size_t needle) {
      return needle - range.first < range.count;
    };
    return std::any_of(line_.hits.begin(), line_.hits.end(), [&](const auto& hit) {
      return in(own_, hit.needle) || in(common_.endings, hit.needle) ||
             in(common_.nodes, hit.needle);
    });
  }

 private:
  template <typename Take>
  void each_in(TextRange range, std::string_view rest, Take take) const {
    for (const auto& hit : line_.hits) {
      const std::size_t number = hit.needle - range.first;  // wraps around for others
      if (number < range.count && hit.at >= rest.data()) take(number);
    }
  }

  std::vector<std::size_t> numbers_in(TextRange range, std::string_view rest) const {
    std::vector<std::size_t> numbers;
    each_in(range, rest, [&](std::size_t number) { numbers.push_back(number); });
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  const FoundLine& line_;
  TextRange own_;
  const CommonTexts& common_;
};

/// A step that was read.
struct SeenStep {
  std::int64_t number = 0;
  std::string text;  ///< "iteration 12: 5361.6 ms"
};

/// How much of a kind a reader has found: what a line gave is the difference.
struct FoundCounts {
  std::size_t launches = 0, steps = 0, arguments = 0, memory = 0, timers = 0, events = 0;
};

/// Reads the lines of a log, in their order, that hold a text of the format or a sign of an ending.
class FormatReader {
 public:
  virtual ~FormatReader() = default;
  virtual std::unique_ptr<FormatReader> copy() const = 0;
  /// Whether the next line is read whatever it holds.
  virtual bool wants_next_line() const { return false; }
  /// The texts that matter no more for now, a bit each.
  virtual std::uint64_t needless() const { return 0; }
  virtual void read(const LogLine& line) = 0;
  /// Reads the line at the front of a text where it has its "\n", is like one before in all but its
  /// numbers, and holds no other text than that one: returns its length without the "\n". 0: it is
  /// to be read as others are. Neither makes wants_next_line() true nor a text matter that did not.
  virtual std::size_t read_alike(std::string_view text) {
    static_cast<void>(text);
    return 0;
  }
  virtual FoundCounts counts() const { return {}; }
  /// The step read last.
  virtual SeenStep last_step() const { return {}; }
  /// Lines that look like the format's and gave nothing.
  virtual std::vector<UnusedLines> unused() const { return {}; }
  /// The launches that the log tells of.
  virtual std::vector<LogRun> finish() = 0;
};

/// A trainer's way to print.
struct LogFormat {
  std::string_view name;
  /// At most 64, of 4 bytes at least, without which no line matters. Logs of a gigabyte are
  /// searched for them: a text that few lines hold is a good one.
  std::vector<std::string_view> (*texts)();
  /// `document`: of a script or a note, which only quotes logs.
  std::unique_ptr<FormatReader> (*reader)(bool document);
};

}  // namespace pippin
