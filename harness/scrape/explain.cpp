// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/log_readers.h"
#include "harness/scrape/pattern_reader.h"
#include "harness/scrape/scrape.h"

namespace pippin {

namespace {

/// Finds out which trainers a log is read for.
class SignSink : public LineSink {
 public:
  bool wants_next_line() const override { return readers_.want_next_line(); }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override { readers_.read(line); }
  /// Empties it.
  std::uint64_t wanted() {
    const std::uint64_t signs = readers_.signs();
    return wanted_trainers(signs, readers_.finish({}));
  }

 private:
  LogReaders readers_{false, kNoTrainer};
};

std::uint64_t signs_in(const ReadParts& read) {
  SignSink signs;
  pass(read, signs);
  return signs.wanted();
}

/// Sees what each line adds to what was found.
class ExplainingSink : public LineSink {
 public:
  ExplainingSink(std::uint64_t of_trainers, const std::function<void(const ExplainedLine&)>& take,
                 Quotation* quotation)
      : readers_(quotation != nullptr, of_trainers), take_(take), quotation_(quotation) {}

  /// The first lines are a script.
  void pass_over(std::size_t lines) { script_lines_ = lines; }

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override {
    if (line.after_feed) ++number_;
    const FoundCounts before = readers_.counts();
    const auto steps = readers_.steps_by_format();
    const std::size_t reasons = readers_.of_trainers().reason_count();
    const bool is_quoted =
        (quotation_ && quotation_->covers(line.text)) || number_ <= script_lines_;
    if (!is_quoted) readers_.read(line);
    ExplainedLine explained;
    explained.number = number_;
    explained.text = line.labelled;
    explain_gain(before, steps, explained);
    if (is_quoted && !line.hits.empty()) {
      explained.why = "is quoted by the script or the note that the text is";
    } else if (explained.gave.empty() && readers_.of_trainers().reason_count() > reasons) {
      explained.why = readers_.of_trainers().last_reason();
    } else if (explained.gave.empty() && !line.hits.empty()) {
      explained.why =
          "has words that are looked for, but not as a trainer prints them, or was "
          "said before";
    }
    take_(explained);
  }

 private:
  /// `before`, `steps`: what was found before the line.
  void explain_gain(const FoundCounts& before, const std::vector<std::size_t>& steps,
                    ExplainedLine& line) const {
    const FoundCounts now = readers_.counts();
    LineGains& gains = line.gains;
    gains.launch = now.launches > before.launches;
    if (now.steps > before.steps) {
      const SeenStep step = readers_.last_step(steps);
      gains.step = step.number;
      line.gave = step.text;
      return;
    }
    const auto add = [&](bool& gained, std::size_t had, std::size_t has, const std::string& what) {
      gained = has > had;
      if (gained) line.gave += line.gave.empty() ? what : ", " + what;
    };
    const auto arguments = static_cast<std::int64_t>(now.arguments - before.arguments);
    add(gains.launch, before.launches, now.launches, "a launch begins");
    add(gains.arguments, before.arguments, now.arguments, counted(arguments, "argument"));
    add(gains.memory, before.memory, now.memory, "a rank's memory");
    add(gains.timers, before.timers, now.timers, "timers");
    add(gains.events, before.events, now.events, "a save or an evaluation");
  }

  LogReaders readers_;
  const std::function<void(const ExplainedLine&)>& take_;
  Quotation* quotation_;  ///< of a document; nullptr: it is none
  std::size_t number_ = 0, script_lines_ = 0;
};

/// The same of a log that is read by patterns.
class ExplainingPatterns : public LineSink {
 public:
  ExplainingPatterns(LinePatterns patterns, const std::function<void(const ExplainedLine&)>& take)
      : reader_(std::move(patterns)), take_(take) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return reader_.needles(); }
  void take(const FoundLine& line) override {
    reader_.take(line);
    if (line.after_feed) ++number_;
    const bool is_given = reader_.why().empty();
    ExplainedLine explained{number_, line.labelled, is_given ? reader_.gave() : "", reader_.why()};
    explained.gains.step = reader_.step();
    take_(explained);
  }

 private:
  PatternReader reader_;
  const std::function<void(const ExplainedLine&)>& take_;
  std::size_t number_ = 0;
};

}  // namespace

void explain_lines(const ReadParts& read, const std::function<void(const ExplainedLine&)>& take,
                   const LogHints& hints, const DocumentSigns& document) {
  if (LinePatterns patterns = patterns_in(hints.told); !patterns.empty()) {
    ExplainingPatterns explaining(std::move(patterns), take);
    return pass(read, explaining);
  }
  if (document.any()) {
    Quotation quotation(document);
    if (document.script) show(read, quotation);
    const bool is_log = document.script_lines > 0;
    ExplainingSink explaining(is_log ? signs_in(read) : kNoTrainer, take, &quotation);
    explaining.pass_over(document.script_lines);
    return pass(read, explaining);
  }
  ExplainingSink explaining(signs_in(read), take, nullptr);
  pass(read, explaining);
}

}  // namespace pippin
