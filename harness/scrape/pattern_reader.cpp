// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/pattern_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/log_readers.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

using What = PatternField::What;

constexpr std::size_t kOwn = 0;  // TrainerLaunch::rows() of its steps
constexpr std::string_view kTrainer = "own";
constexpr std::int64_t kFewRanks = 2;              // that may print one step, and no other
constexpr double kMostCount = 9007199254740992.0;  // 2^53

/// "rank 3" of "node-1 [rank3]: ", wherever the line has it in front of what was found; else what
/// launchers put there. Other numbers may be the steps'.
Speaker rank_of(std::string_view before, std::string_view label) {
  if (const auto rank = rank_in(before)) return {fmt::format("rank {}", *rank), true};
  Speaker speaker = speaker_of(label);
  return speaker.is_rank ? speaker : Speaker();
}

/// The last number of "node-1 [rank3]".
std::int64_t number_of(const Speaker& speaker) {
  const std::string_view name = speaker.name;
  const auto end = name.find_last_of("0123456789");
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return parse_integer(name.substr(begin, end + 1 - begin)).value_or(0);
}

bool begins_before(std::string_view part, const char* place) {
  return part.data() && part.data() < place;
}

/// What stands around what was found in a line.
struct Surroundings {
  std::string_view before;  ///< what loggers put in front of all of it; empty: other words
  Speaker speaker;
};

/// A label that a person's patterns read is none.
Surroundings surroundings_of(const FoundLine& line,
                             const std::vector<std::vector<std::string_view>>& found) {
  const char* first = line.labelled.data() + line.labelled.size();
  bool in_label = false;
  for (const auto& groups : found) {
    first = std::min(first, groups.front().data());
    in_label = in_label || std::any_of(groups.begin() + 1, groups.end(), [&](const auto& group) {
                 return begins_before(group, line.text.data());
               });
  }
  const auto label = line.labelled.substr(0, line.labelled.size() - line.text.size());
  const auto size = static_cast<std::size_t>(first - line.labelled.data());
  const auto before = line.labelled.substr(0, std::max(size, in_label ? 0 : label.size()));
  return {is_prefix(before) ? before : "", rank_of(before, in_label ? "" : label)};
}

std::string text_of(const PatternField& field, const Figure& figure) {
  return fmt::format("{} {}", field.name, number_text(figure.value));
}

}  // namespace

PatternReader::PatternReader(LinePatterns patterns)
    : patterns_(std::move(patterns)), fits_(patterns_.patterns.size()) {}

const Needles& PatternReader::needles() const { return common_needles(); }

std::vector<PatternReader::Match> PatternReader::matches_of(const FoundLine& line) {
  std::vector<Match> matches;
  for (std::size_t i = 0; i < patterns_.patterns.size(); ++i) {
    const LinePattern& pattern = patterns_.patterns[i];
    auto groups = pattern.regex.find(line.text);
    if (groups.empty() && line.labelled.size() > line.text.size())
      groups = pattern.regex.find(line.labelled);
    if (groups.empty()) continue;
    ++fits_[i];
    matches.push_back({&pattern, std::move(groups)});
  }
  return matches;
}

void PatternReader::take(const FoundLine& line) {
  gave_.clear();
  why_.clear();
  step_.reset();
  launch_.see_common(line, common_texts());
  if (!line.terminated) return;
  const auto matches = matches_of(line);
  if (matches.empty()) return;
  std::vector<std::vector<std::string_view>> found;
  found.reserve(matches.size());
  for (const auto& match : matches) found.push_back(match.groups);
  const auto [before, speaker] = surroundings_of(line, found);
  rank_ = number_of(speaker);
  Said& said = said_[speaker.name];
  for (const auto& match : matches) {
    const auto& fields = match.pattern->groups;
    const std::size_t first = match.groups.size() - fields.size();  // 0: the whole is a field
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].name.empty() && match.groups[first + i].data())
        take_field(fields[i], match.groups[first + i], line.text, said);
    }
  }
  if (said.has_time) add_step(before, speaker, said);
  if (!why_.empty()) add_unused(unused_, line.text, why_);
}

void PatternReader::take_field(const PatternField& field, std::string_view text,
                               std::string_view line, Said& said) {
  if (field.what == What::kFailed) {
    failed_.emplace(ended_.size(), std::string(trim(line)));
    return give("the run has failed");
  }
  if (field.what == What::kLoss) keep_loss(said.record, text);
  const auto figure = figure_at(trim(text));
  if (figure) return take_number(field, *figure, said);
  if (field.what == What::kLoss && said.record.bad_loss) return give("a loss that is no number");
  why_ = fmt::format("{} is no number", field.name);
}

void PatternReader::take_number(const PatternField& field, const Figure& figure, Said& said) {
  switch (field.what) {
    case What::kStep:
    case What::kGbs:
      return take_count(field, figure, said);
    case What::kPace:
      return take_pace(field, figure, said);
    case What::kLoss:
      break;
    case What::kGradNorm:
      said.record.grad_norm = figure.value;
      break;
    case What::kLearningRate:
      said.record.learning_rate = figure.value;
      break;
    case What::kMemory:
      raise(memory_of(launch_, rank_).max_allocated_mib, figure.value * field.scale);
      break;
    case What::kFailed:
      return;
  }
  give(text_of(field, figure));
}

void PatternReader::take_count(const PatternField& field, const Figure& figure, Said& said) {
  const bool is_whole = std::floor(figure.value) == figure.value && figure.value < kMostCount;
  const bool is_step = field.what == What::kStep;
  if (!is_whole || figure.value < (is_step ? 0 : 1)) {
    why_ = fmt::format("{} is no {}", field.name, is_step ? "whole number" : "number of sequences");
    return;
  }
  const auto count = static_cast<std::int64_t>(figure.value);
  if (is_step) {
    said.record.step = count;
    said.has_step = true;
    return give(fmt::format("step {}", count));
  }
  said.record.gbs = count;
  if (!launch_.facts.layout.gbs) launch_.facts.layout.gbs = count;
  give(fmt::format("gbs {}", count));
}

/// A time counts more than a rate, and what was found first more than what comes later.
void PatternReader::take_pace(const PatternField& field, const Figure& figure, Said& said) {
  if (!(figure.value > 0) || !std::isfinite(figure.value)) {
    why_ = fmt::format("{} is not above 0", field.name);
    return;
  }
  StepRecord& record = said.record;
  give(text_of(field, figure));
  const bool is_sharper = field.pace == Pace::kMs && record.pace != Pace::kMs;
  if (said.has_time && !is_sharper) {
    record.other.emplace_back(field.name, figure.value);
    return;
  }
  if (said.has_time) record.other.emplace_back("rate", record.figure.value);
  record.figure = scaled(figure, field.scale);
  record.pace = field.pace;
  said.has_time = true;
}

void PatternReader::add_step(std::string_view before, const Speaker& speaker, Said& said) {
  StepRecord record = std::move(said.record);
  const bool has_step = said.has_step;
  said.record = {};
  said.record.gbs = record.gbs;
  said.has_step = said.has_time = false;
  if (!has_step && patterns_.has(What::kStep)) {
    why_ = "says how long a step takes, but no line before says which";
    return;
  }
  if (!has_step) record.step = said.steps + 1;
  ++said.steps;
  record.at = time_of(before);
  record.span = patterns_.span;
  record.interval = patterns_.span == Span::kTotal ? record.step : patterns_.interval;
  if (patterns_.cumulative && !to_difference(record, said)) return;
  if (patterns_.span == Span::kTotal && !to_mean(record)) return;
  add(record, speaker);
}

/// Makes of the time of all steps that of one.
bool PatternReader::to_mean(StepRecord& record) {
  if (record.step == 0) {
    why_ = "says how long all steps took, but not how many they were";
    return false;
  }
  record.figure.value /= static_cast<double>(record.step);
  record.figure.quantum /= static_cast<double>(record.step);
  return true;
}

/// Makes of a time since the beginning that of the steps since the line before.
bool PatternReader::to_difference(StepRecord& record, Said& said) {
  const auto last = std::exchange(said.before, std::pair(record.step, record.figure.value));
  if (!last || record.step <= last->first || record.figure.value <= last->second) {
    give("a time since the beginning, the first");
    return false;
  }
  record.interval = record.step - last->first;
  const auto steps = static_cast<double>(record.interval);
  record.figure.value = (record.figure.value - last->second) / steps;
  record.figure.quantum /= steps;
  return true;
}

void PatternReader::add(const StepRecord& record, const Speaker& speaker) {
  step_ = record.step;
  if (record.step == 0) launch_.first_step = 0;
  if (launch_.rows(kOwn).add(record, speaker) == StepRows::Added::kRestart) {
    TrainerLaunch next = launch_.next();
    ended_.push_back(std::move(launch_));
    launch_ = std::move(next);
    launch_.begins = true;
    launch_.rows(kOwn).add(record, speaker);
  }
  if (!launch_.started_at && record.at) launch_.started_at = static_cast<std::int64_t>(*record.at);
}

void PatternReader::add_run(std::size_t number, Scraped& found, const LogHints& hints) {
  TrainerLaunch& launch = ended_[number];
  const StepRows& rows = std::as_const(launch).rows(kOwn);
  const auto failed = failed_.find(number);
  const bool has_failed = failed != failed_.end();
  launch.facts.take(hints.told);
  launch.facts.complete();
  TrainerRun made = run_of(launch, kTrainer, rows, hints.planned);
  LogRun& run = made.run;
  if (!patterns_.has(What::kStep) && rows.size() == 1 && rows.rows().front().ranks > kFewRanks) {
    found.problems.push_back(
        "seems to have a line of another rank each time, by the numbers in front of them: say "
        "which step it is (step)");
    return;
  }
  if (!rows.empty() && run.iterations.empty()) {
    const std::string problem = made.problem.empty() ? "its times can be none" : made.problem;
    found.problems.push_back("has lines that patterns fit, but " + problem);
    return;
  }
  const bool ended_badly = run.end && *run.end != RunState::kOk;
  if (has_failed && (!ended_badly || run.end == RunState::kFailed)) {
    run.end = RunState::kFailed;
    run.evidence = failed->second;
  }
  const bool fits = std::any_of(fits_.begin(), fits_.end(), [](auto lines) { return lines > 0; });
  if (rows.empty() && !has_failed && !(fits && ended_badly)) return;
  run.format = "patterns";
  run.scraper_version = kScraperVersion;
  for (const auto& value : hints.told) {
    if (is_pattern_name(value.first)) run.arguments.push_back(value);
  }
  tell(run, hints.told);
  found.runs.push_back(std::move(run));
}

Scraped PatternReader::finish(const LogHints& hints) {
  Scraped found;
  ended_.push_back(std::move(launch_));
  for (std::size_t i = 0; i < ended_.size(); ++i) add_run(i, found, hints);
  found.unused = std::move(unused_);
  const bool has_steps = std::any_of(found.runs.begin(), found.runs.end(),
                                     [](const auto& run) { return !run.iterations.empty(); });
  for (std::size_t i = 0; i < fits_.size() && !has_steps; ++i) {
    if (fits_[i] == 0)
      found.problems.push_back("has no line that fits " + patterns_.patterns[i].said);
  }
  *this = PatternReader(std::move(patterns_));
  return found;
}

}  // namespace pippin
