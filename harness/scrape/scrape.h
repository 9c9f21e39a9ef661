// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/document.h"

namespace pippin {

/// Rises whenever the same text may give other records; stored with every run.
inline constexpr std::int64_t kScraperVersion = 15;

/// Lines that the reader of a trainer knew, and could not use.
struct UnusedLines {
  std::string reason, first;  ///< why, and the first of them
  std::int64_t count = 0;
};

/// Adds one to those of its reason, or several of which it is the first.
void add_unused(std::vector<UnusedLines>& unused, std::string_view line, std::string_view reason,
                std::int64_t lines = 1);

/// How a terminal has cut the lines of a text.
struct Wrapping {
  std::size_t width = 0;         ///< in characters, whatever stood there
  std::set<std::string> starts;  ///< how lines begin that follow on one which was not cut; empty:
                                 ///< any line may go on with the one before
};

/// How a text quotes a log.
struct QuotedText {
  DocumentSigns document;  ///< any(): only what it does not quote was read
  bool is_marked = false;  ///< all its lines begin with the mark of a quotation, "> ", which was
                           ///< taken off
  std::string problem;     ///< why what it quotes was not read; empty: it was, or it is no log
};

/// What a text holds.
struct Scraped {
  /// The launches that a log tells of, in its order; empty where the text is no log of a known
  /// trainer. A launch without a single iteration counts where its header stands.
  /// Shape: Model::params is left empty: counting parameters is not a matter of text.
  std::vector<LogRun> runs;
  /// Why launches of a known trainer that were found are not among those, each once.
  std::vector<std::string> problems;
  std::vector<UnusedLines> unused;
  bool may_hold_tables = false;      ///< of a network: read_network() may find some
  std::optional<Wrapping> wrapping;  ///< by which a terminal had cut its lines, which were joined
  QuotedText quoted;
};

/// What is known of a log beside it.
struct LogHints {
  NamedValues told = {};     ///< what a person says of its launches, see tell(), and of its lines:
                             ///< where there are patterns, those alone are read; see patterns_in()
  NamedValues planned = {};  ///< what they were asked for, by which alone figures become times
                             ///< where the log does not say how much a step does
};

/// Gives a text from its beginning to its end, in parts that are cut anywhere.
using ReadParts = std::function<void(const std::function<void(std::string_view part)>& take)>;

/// Reads a log in one pass, in constant memory but for what it finds. What turns out to be a
/// script or a note, which quotes logs, is read again.
/// Errors: Error (bad input) of tell() and patterns_in().
Scraped scrape_parts(const ReadParts& read, const LogHints& hints = {});

/// What kinds of facts a line of a log brought.
struct LineGains {
  bool launch = false, arguments = false, memory = false, timers = false, events = false;
  Count step;  ///< its number
};

/// What a line of a log gave.
struct ExplainedLine {
  std::size_t number = 0;  ///< 1-based
  std::string_view text;   ///< without what terminals added
  std::string gave;        ///< "iteration 12: 5361.6 ms"; empty: nothing
  std::string why;         ///< of a line that gave nothing and holds words that are looked for
  LineGains gains = {};    ///< of `gave`
};

/// Goes through a log line by line and says of each what scrape_parts() makes of it. `read` is
/// called more than once. `hints`: as scrape_parts() has it. `document`: as it has found it.
void explain_lines(const ReadParts& read, const std::function<void(const ExplainedLine&)>& take,
                   const LogHints& hints = {}, const DocumentSigns& document = {});

/// Reads a log as it grows.
class GrowingLog {
 public:
  explicit GrowingLog(LogHints hints = {});
  ~GrowingLog();
  GrowingLog(GrowingLog&&) noexcept;
  GrowingLog& operator=(GrowingLog&&) noexcept;

  /// Whether lines came of a trainer that it does not read for: it is to be replaced by
  /// begun_again(), which then gets the whole log.
  bool must_begin_again() const;
  GrowingLog begun_again() const;

  /// The next part of the log, however it is cut.
  void add(std::string_view part);
  /// What scrape_parts() finds in all that came; nothing where it would read that again.
  std::optional<Scraped> so_far() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The launches of a log that is at hand.
std::vector<LogRun> scrape(std::string_view log);

}  // namespace pippin
