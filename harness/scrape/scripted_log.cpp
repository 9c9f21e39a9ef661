// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scripted_log.h"

#include "core/base/text.h"
#include "harness/scrape/log_readers.h"
#include "harness/scrape/script_text.h"

namespace pippin {

namespace {

/// Looks for where a script ends that stands before the steps of a log.
class ScriptSink : public LineSink {
 public:
  ScriptSink(Quotation& quotation, std::uint64_t of_trainers)
      : quotation_(quotation), readers_(true, of_trainers) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override {
    if (line.after_feed) ++number_;
    const bool is_quoted = quotation_.covers(line.text);
    if (!is_quoted) readers_.read(line);
    if (!line.after_feed || trim(line.raw).empty()) return;
    if (!is_begun_) is_script_ = begins_script(line.raw);
    is_begun_ = true;
    if (readers_.counts().steps > 0) {
      goes_on_ = goes_on_ || is_quoted || is_of_script(line.raw);
    } else {
      see_script(line.raw, is_quoted);
    }
  }

  /// How many lines it has; nothing where it has no end that is sure.
  std::optional<std::size_t> lines() const {
    const bool is_sure = is_script_ && !goes_on_ && !is_quote_open_ && !is_document_open_;
    return is_sure && readers_.counts().steps > 0 ? std::optional(lines_) : std::nullopt;
  }

 private:
  void see_script(std::string_view line, bool is_quoted) {
    const bool is_of_it = is_quoted || is_continued_ || may_be_of_script(line);
    is_document_open_ = is_document_open_ || (!is_quoted && quotation_.misses_end(line));
    if (!is_quoted) quotes_.see(line);
    is_continued_ = !is_quoted && trim(line).ends_with('\\');
    if (!is_of_it) return;
    lines_ = number_;
    is_quote_open_ = quotes_.is_open();
  }

  Quotation& quotation_;
  LogReaders readers_;
  ScriptQuotes quotes_;
  std::size_t number_ = 0, lines_ = 0;
  bool is_begun_ = false, is_script_ = false;
  bool is_continued_ = false;      ///< the line before goes on in the next
  bool is_quote_open_ = false;     ///< where it seems to end
  bool is_document_open_ = false;  ///< a here-document of it has no end
  bool goes_on_ = false;           ///< behind the first step
};

/// Reads what stands behind so many lines, and is not quoted.
class BehindSink : public LineSink {
 public:
  BehindSink(Quotation& quotation, std::size_t lines, std::uint64_t of_trainers)
      : quotation_(quotation), lines_(lines), readers_(true, of_trainers) {
    readers_.know_beginning();
  }

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override {
    if (line.after_feed) ++number_;
    if (quotation_.covers(line.text)) return;
    const bool is_behind = number_ > lines_;
    const bool is_comment = !is_behind && trim(line.raw).starts_with('#');
    if (line.after_feed && !is_comment)
      watch_.see(line.raw, readers_.counts().steps, line.after_blank);
    if (is_behind) readers_.read(line);
  }

  bool is_document() const {
    const DocumentSigns signs = watch_.signs(readers_.counts().steps);
    return signs.any() || signs.more_logs > 0;
  }
  Scraped finish(const LogHints& hints) { return readers_.finish(hints); }

 private:
  Quotation& quotation_;
  std::size_t lines_, number_ = 0;
  DocumentWatch watch_;
  LogReaders readers_;
};

/// An example in a script has fewer.
constexpr std::size_t kFewestSteps = 10;

std::size_t steps_of(const Scraped& scraped) {
  std::size_t steps = 0;
  for (const auto& run : scraped.runs) steps += run.iterations.size();
  return steps;
}

}  // namespace

std::optional<Scraped> scrape_behind_script(const ReadParts& read, const DocumentSigns& signs,
                                            std::uint64_t of_trainers, const LogHints& hints) {
  if (!signs.script || signs.titled || of_trainers == kNoTrainer) return std::nullopt;
  DocumentSigns script;
  script.script = true;
  Quotation known(script);
  show(read, known);
  Quotation quotation = known;
  ScriptSink sink(quotation, of_trainers);
  pass(read, sink);
  const auto lines = sink.lines();
  if (!lines) return std::nullopt;
  BehindSink behind(known, *lines, of_trainers);
  pass(read, behind);
  if (behind.is_document()) return std::nullopt;
  Scraped scraped = behind.finish(hints);
  if (steps_of(scraped) < kFewestSteps) return std::nullopt;
  scraped.quoted.document = script;
  scraped.quoted.document.script_lines = *lines;
  return scraped;
}

}  // namespace pippin
