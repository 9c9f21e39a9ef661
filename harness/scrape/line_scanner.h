// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/needles.h"

namespace pippin {

/// A line of a log, and which of the texts that are looked for it holds.
struct FoundLine {
  std::string_view raw;       ///< as it stands there, without its end
  std::string_view labelled;  ///< without what terminals added
  std::string_view text;      ///< and without what launchers added; see Lines
  bool after_feed = true;     ///< it begins the log, or stands behind "\n", not "\r"
  bool after_blank = false;   ///< the line before it is empty
  bool terminated = true;     ///< false: it is still being written, or too long to be read whole
  std::span<const Needles::Hit> hits;  ///< in `raw`, or where that has escapes, in `text`
};

/// Takes the lines of a log that matter, and says which do.
class LineSink {
 public:
  virtual ~LineSink() = default;
  /// Whether the next line matters whatever it holds.
  virtual bool wants_next_line() const = 0;
  /// What to look for behind the line taken last; must outlive the scanner.
  virtual const Needles& needles() const = 0;
  virtual void take(const FoundLine& line) = 0;
  /// Takes the line at the front of a text where it is like one before in all but its numbers;
  /// returns its length with its end. 0: it is to be taken as others are.
  virtual std::size_t take_alike(std::string_view text) {
    static_cast<void>(text);
    return 0;
  }
};

/// Passes on those lines of a log in which a needle occurs, as the log comes, in constant memory:
/// the others are only searched. A line with an escape sequence is passed on in any case, and so
/// are some others. Of a line of more than 4 MiB the beginning is read, as of one that is still
/// being written.
class LineScanner {
 public:
  /// The sink must outlive it.
  explicit LineScanner(LineSink& sink) : sink_(sink) {}

  /// The next part of the log, however it is cut.
  void add(std::string_view part);
  /// The log is at its end.
  void finish();
  /// Another sink gets what is begun, as if the log were at its end here.
  void finish_into(LineSink& sink) const;

 private:
  /// Requires whole lines from `begin` on, or the rest of a log.
  void scan(std::string_view lines, std::size_t begin);
  void pass_on(FoundLine line, Needles::Search& search);
  /// What stands so many characters before a place in `lines`: one to three.
  char before(std::string_view lines, std::size_t place, std::size_t characters) const;
  bool is_behind_blank(std::string_view lines, std::size_t place) const;

  LineSink& sink_;
  std::string begun_;    ///< a line whose end did not come yet, behind the end of that before it
  std::size_t led_ = 0;  ///< bytes of that end: 0 for the first line of a log
  std::array<char, 2> before_{'\n', ' '};  ///< what stands before begun_, the nearest first
  std::string clean_;                      ///< a line without its escape sequences
  std::vector<Needles::Hit> hits_;
};

}  // namespace pippin
