// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "harness/scrape/document.h"
#include "harness/scrape/log_readers.h"
#include "harness/scrape/pattern_reader.h"
#include "harness/scrape/quoted_lines.h"
#include "harness/scrape/scripted_log.h"
#include "harness/scrape/wrapped_lines.h"

namespace pippin {

namespace {

std::size_t lines_of(const std::vector<LogRun>& runs) {
  std::size_t lines = 0;
  for (const auto& run : runs) lines += run.iterations.size();
  return lines;
}

/// Takes a text for a log, and watches out for signs that it is none.
class LogSink : public LineSink {
 public:
  explicit LogSink(std::uint64_t of_trainers) : readers_(false, of_trainers) {}

  bool wants_next_line() const override {
    return watch_.wants_next_line() || readers_.want_next_line();
  }

  const Needles& needles() const override { return readers_.needles(); }

  void take(const FoundLine& line) override {
    may_hold_tables_ = may_hold_tables_ || has_table_sign(line);
    has_texts_ = has_texts_ || !line.hits.empty();
    is_cut_ = is_cut_ || is_cut(line.text);
    has_marks_ = has_marks_ || (!line.hits.empty() && line.raw.starts_with(kQuoteMark));
    if (line.after_feed) see_document(line);
    readers_.read(line);
  }

  /// A line of numbers is no sign of a document, nor of a table.
  std::size_t take_alike(std::string_view text) override {
    return watch_.wants_next_line() ? 0 : readers_.read_alike(text);
  }

  /// Before it is emptied.
  DocumentSigns signs() const { return watch_.signs(readers_.counts().steps); }
  /// Whether a line that may be a trainer's begins with the mark of a quotation.
  bool has_marks() const { return has_marks_; }
  std::uint64_t trainers() const { return readers_.signs(); }
  std::uint64_t read_trainers() const { return readers_.read_trainers(); }
  /// Whether it saw what a terminal may have cut.
  bool may_be_wrapped(const Scraped& found) const {
    const std::size_t steps = lines_of(found.runs);
    std::int64_t unused = 0;
    for (const auto& lines : found.unused) unused += lines.count;
    return has_texts_ && (steps == 0 || is_cut_ || unused >= static_cast<std::int64_t>(steps));
  }
  /// Empties it.
  Scraped finish(const LogHints& hints) {
    Scraped found = readers_.finish(hints);
    found.may_hold_tables = may_hold_tables_;
    return found;
  }

 private:
  void see_document(const FoundLine& line) {
    const bool needs_steps = watch_.wants_next_line() || DocumentWatch::is_marked(line.raw);
    watch_.see(line.raw, needs_steps ? readers_.counts().steps : 0, line.after_blank);
  }

  /// Megatron's fields end with a bar.
  static bool is_cut(std::string_view text) {
    text = trim(text);
    return !text.empty() && text.back() != '|' &&
           text.find("elapsed time per iteration (") != std::string_view::npos;
  }

  DocumentWatch watch_;
  LogReaders readers_;
  bool may_hold_tables_ = false, has_texts_ = false, is_cut_ = false, has_marks_ = false;
};

/// Reads what a document does not quote.
class DocumentSink : public LineSink {
 public:
  explicit DocumentSink(Quotation& quotation) : quotation_(quotation) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override {
    if (!quotation_.covers(line.text)) readers_.read(line);
  }
  std::vector<LogRun> finish(const LogHints& hints) { return readers_.finish(hints).runs; }

 private:
  Quotation& quotation_;
  LogReaders readers_{true, kNoTrainer};
};

/// A note with a title does not quote so many lines but in a fence.
constexpr std::size_t kLinesOfLog = 10;

/// Whether logs that are quoted below another one are in one run with it, without Megatron's clock,
/// by which its reader tells launches apart.
bool are_pooled(const DocumentSigns& signs, const Scraped& scraped) {
  const auto& runs = scraped.runs;
  const bool has_clock = std::all_of(runs.begin(), runs.end(), [](const LogRun& run) {
    return run.format == "megatron" && run.started_at;
  });
  return signs.more_logs >= runs.size() && !has_clock;
}

bool is_document(const DocumentSigns& signs, const Scraped& scraped) {
  const bool is_log = !signs.script && !signs.note && lines_of(scraped.runs) >= kLinesOfLog;
  return (signs.any() && !is_log) || (signs.more_logs > 0 && are_pooled(signs, scraped));
}

/// Counts the lines of a text, and those that may be a trainer's.
class LineKindsSink : public LineSink {
 public:
  explicit LineKindsSink(std::uint64_t of_trainers) : readers_(false, of_trainers) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override {
    if (trim(line.text).empty()) return;
    ++lines_;
    if (!line.hits.empty() && !is_code(line.raw)) ++of_log_;
    readers_.read(line);
  }
  /// Whether half of those below the first are of a log.
  bool is_mostly_log() const { return of_log_ > 0 && 2 * of_log_ >= lines_ - 1; }

 private:
  /// As a Markdown document quotes it.
  static bool is_code(std::string_view line) {
    return line.starts_with("    ") || line.starts_with('\t');
  }

  LogReaders readers_;
  std::size_t lines_ = 0, of_log_ = 0;
};

/// Whether a text that only its first line makes a document is the log that stands below it.
bool is_titled_log(const ReadParts& read, const DocumentSigns& signs, std::uint64_t of_trainers) {
  if (!signs.titled || signs.script || signs.note) return false;
  LineKindsSink sink(of_trainers);
  pass(read, sink);
  return sink.is_mostly_log();
}

std::string why_not_read(const DocumentSigns& signs) {
  return fmt::format("quotes a log in a {}: keep only the lines of one log",
                     signs.script ? "job script" : "Markdown document");
}

/// Whether a text looks like a log of a trainer, whatever that gave.
bool holds_log(const Scraped& scraped) {
  return lines_of(scraped.runs) > 0 || !scraped.problems.empty() || !scraped.unused.empty();
}

/// Leaves what a document does not quote.
void keep_unquoted(Scraped& scraped, const DocumentSigns& signs, std::vector<LogRun> runs) {
  const bool has_log = holds_log(scraped);
  scraped.quoted.document = signs;
  scraped.quoted.document.note = signs.note || !signs.any();
  scraped.runs = std::move(runs);
  if (!scraped.runs.empty() || !has_log) return;
  scraped.quoted.problem = why_not_read(signs);
  scraped.problems.clear();
  scraped.unused.clear();
}

std::vector<LogRun> runs_of_document(const ReadParts& read, const DocumentSigns& signs,
                                     const LogHints& hints) {
  Quotation quotation(signs);
  if (signs.script) show(read, quotation);
  DocumentSink sink(quotation);
  pass(read, sink);
  return sink.finish(hints);
}

/// What may be in a text beside what it says as it stands there.
struct Hidden {
  bool may_be_wrapped = false;
  bool has_marks = false;  ///< its lines may be quoted
};

/// What a text says as it stands there.
Scraped scrape_text(const ReadParts& read, const LogHints& hints, Hidden& hidden) {
  LogSink sink(kNoTrainer);
  constexpr std::size_t kBeginning = std::size_t{16} << 10;
  std::string beginning;
  const ReadParts watched = [&](const auto& take) {
    read([&](std::string_view part) {
      beginning += part.substr(0, kBeginning - beginning.size());
      take(part);
    });
  };
  pass(watched, sink);
  DocumentSigns signs = sink.signs();
  Scraped scraped = sink.finish(hints);
  const std::uint64_t wanted = wanted_trainers(sink.trainers(), scraped);
  if (wanted != kNoTrainer) {
    LogSink again(wanted);
    pass(read, again);
    signs = again.signs();
    scraped = again.finish(hints);
  }
  hidden = {sink.may_be_wrapped(scraped) || looks_wrapped(beginning), sink.has_marks()};
  if (is_document(signs, scraped) && !is_titled_log(read, signs, wanted)) {
    keep_unquoted(scraped, signs, runs_of_document(read, signs, hints));
    hidden.may_be_wrapped = false;
    if (!scraped.runs.empty()) return scraped;
    if (auto behind = scrape_behind_script(read, signs, wanted, hints)) return *std::move(behind);
  }
  return scraped;
}

/// The times of all steps, and how many of them say their batch or loss.
struct Told {
  std::vector<double> times;
  std::size_t others = 0;
};

Told told_by(const std::vector<LogRun>& runs) {
  Told told;
  for (const auto& run : runs) {
    run.iterations.each_line([&](const Iteration& line) {
      told.times.push_back(line.step_time_ms);
      told.others += (line.gbs ? 1 : 0) + (line.lm_loss ? 1 : 0);
    });
  }
  return told;
}

/// Whether a text says more once its lines are joined: more steps, other times of as many, which
/// had been cut, or more of them.
bool says_more(const Scraped& joined, const Scraped& cut) {
  const Told now = told_by(joined.runs), before = told_by(cut.runs);
  if (now.times.empty() || now.times.size() != before.times.size())
    return now.times.size() > before.times.size();
  return now.times != before.times || now.others > before.others;
}

/// One that gave nothing, and whose lines may be quoted.
Scraped scrape_marked(const ReadParts& read, const LogHints& hints, const Scraped& as_it_is) {
  bool are_all_marked = false;
  Hidden hidden;
  Scraped scraped = scrape_text(without_marks(read, &are_all_marked), hints, hidden);
  if (scraped.runs.empty()) return as_it_is;
  if (are_all_marked) {
    scraped.quoted.is_marked = true;
    return scraped;
  }
  Scraped refused = as_it_is;
  refused.quoted.problem = why_not_read({});
  refused.problems.clear();
  refused.unused.clear();
  return refused;
}

}  // namespace

Scraped scrape_parts(const ReadParts& read, const LogHints& hints) {
  if (LinePatterns patterns = patterns_in(hints.told); !patterns.empty()) {
    PatternReader reader(std::move(patterns));
    pass(read, reader);
    return reader.finish(hints);
  }
  Hidden hidden;
  Scraped scraped = scrape_text(read, hints, hidden);
  if (hidden.has_marks && scraped.runs.empty()) return scrape_marked(read, hints, scraped);
  if (!hidden.may_be_wrapped) return scraped;
  auto wrapping = wrapping_of(read);
  if (!wrapping) return scraped;
  // A rest of a line may begin as lines do; or a line be just as wide as the terminal.
  for (bool is_first = true; is_first || !wrapping->starts.empty(); is_first = false) {
    if (!is_first) wrapping->starts.clear();
    Scraped joined = scrape_text(unwrapped(read, *wrapping), hints, hidden);
    if (!says_more(joined, scraped)) continue;
    joined.wrapping = wrapping;
    scraped = std::move(joined);
  }
  return scraped;
}

struct GrowingLog::State {
  State(LogHints values, std::uint64_t of_trainers) : hints(std::move(values)), sink(of_trainers) {
    LinePatterns patterns = patterns_in(hints.told);
    if (!patterns.empty()) by_patterns.emplace(std::move(patterns));
    scanner.emplace(by_patterns ? static_cast<LineSink&>(*by_patterns) : sink);
  }

  LogHints hints;
  LogSink sink;
  std::optional<PatternReader> by_patterns;  ///< it reads in place of the sink
  std::optional<LineScanner> scanner;
};

GrowingLog::GrowingLog(LogHints hints)
    : state_(std::make_unique<State>(std::move(hints), kNoTrainer)) {}

bool GrowingLog::must_begin_again() const {
  return (state_->sink.trainers() & ~state_->sink.read_trainers()) != 0;
}

GrowingLog GrowingLog::begun_again() const {
  GrowingLog again(state_->hints);
  again.state_ = std::make_unique<State>(state_->hints,
                                         state_->sink.read_trainers() | state_->sink.trainers());
  return again;
}

GrowingLog::~GrowingLog() = default;
GrowingLog::GrowingLog(GrowingLog&&) noexcept = default;
GrowingLog& GrowingLog::operator=(GrowingLog&&) noexcept = default;

void GrowingLog::add(std::string_view part) { state_->scanner->add(part); }

std::optional<Scraped> GrowingLog::so_far() const {
  if (state_->by_patterns) {
    PatternReader reader = *state_->by_patterns;
    state_->scanner->finish_into(reader);
    return reader.finish(state_->hints);
  }
  LogSink sink = state_->sink;
  state_->scanner->finish_into(sink);
  // The line that is begun may be the first of a trainer.
  if ((sink.trainers() & ~sink.read_trainers()) != 0) return std::nullopt;
  const DocumentSigns signs = sink.signs();
  Scraped scraped = sink.finish(state_->hints);
  // What has no steps yet is one that starts, as a rule.
  const bool is_wrapped = lines_of(scraped.runs) > 0 && sink.may_be_wrapped(scraped);
  if (is_document(signs, scraped) || is_wrapped) return std::nullopt;
  return scraped;
}

std::vector<LogRun> scrape(std::string_view log) {
  return scrape_parts([&](const auto& take) { take(log); }).runs;
}

}  // namespace pippin
