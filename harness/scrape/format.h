#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/line_scanner.h"

namespace pippin {

/// A line of a log, for one format.
class LogLine {
 public:
  /// `first`: the needle that is the format's first text; `texts`: how many it has.
  LogLine(const FoundLine& line, std::size_t first, std::size_t texts)
      : line_(line), first_(first), texts_(texts) {}

  std::string_view text() const { return line_.text; }
  /// False for a line that is still being written.
  bool terminated() const { return line_.terminated; }
  /// Whether it stands in the log as it is here, and holds but that one of all texts that are
  /// looked for, the format's text i.
  bool holds_only(std::size_t i) const {
    const auto is_that = [&](const auto& hit) { return hit.needle == first_ + i; };
    return line_.terminated && line_.text.data() == line_.raw.data() &&
           line_.text.size() == line_.raw.size() &&
           std::all_of(line_.hits.begin(), line_.hits.end(), is_that);
  }
  /// Bit i is set where the format's text i occurs in `rest`, the end of text().
  std::uint64_t found_in(std::string_view rest) const {
    std::uint64_t found = 0;
    for (const auto& hit : line_.hits) {
      const std::size_t number = hit.needle - first_;  // wraps around for another format's
      if (number < texts_ && hit.at >= rest.data()) found |= std::uint64_t{1} << number;
    }
    return found;
  }

 private:
  const FoundLine& line_;
  std::size_t first_, texts_;
};

/// Reads the lines of a log, in their order, that hold a text of the format.
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
  /// to be read as others are.
  virtual std::size_t read_alike(std::string_view text) {
    static_cast<void>(text);
    return 0;
  }
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
