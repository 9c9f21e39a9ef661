// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/log_readers.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/log_texts.h"
#include "harness/scrape/megatron.h"
#include "harness/scrape/needle_marks.h"
#include "harness/scrape/steps.h"

namespace pippin {

namespace {

constexpr LogFormat kFormats[] = {
    {"megatron", megatron_texts, megatron_reader},
    {"steps", steps_texts, steps_reader},
};

/// The texts of a format, or behind those of a trainer.
TextRange texts_of(std::size_t number) {
  const LogTexts& texts = log_texts();
  const std::size_t formats = texts.of_format.size();
  return number < formats ? texts.of_format[number] : texts.of_trainer[number - formats];
}

/// Texts that are not looked for, a bit each, by format, and then by trainer.
using Needless = std::vector<std::uint64_t>;

/// All but those texts; kept.
const Needles& needles_without(const Needless& needless) {
  static std::mutex mutex;
  static std::map<Needless, Needles> made;
  const std::lock_guard lock(mutex);
  if (const auto known = made.find(needless); known != made.end()) return known->second;
  std::vector<bool> wanted(log_texts().all.size(), true);
  for (std::size_t format = 0; format < needless.size(); ++format) {
    const TextRange own = texts_of(format);
    for (std::size_t i = 0; i < own.count; ++i) {
      if ((needless[format] >> i & 1U) != 0) wanted[own.first + i] = false;
    }
  }
  return made.emplace(needless, Needles(log_texts().all, chosen_marks(), wanted)).first->second;
}

/// The texts of a trainer that are not looked for.
std::uint64_t needless_of(const TrainerFormat& trainer, bool is_read) {
  const std::uint64_t signs = (std::uint64_t{1} << trainer.signs) - 1;
  return is_read ? 0 : ~signs;
}

void add(FoundCounts& sum, const FoundCounts& more) {
  sum.launches += more.launches;
  sum.steps += more.steps;
  sum.arguments += more.arguments;
  sum.memory += more.memory;
  sum.timers += more.timers;
  sum.events += more.events;
}

}  // namespace

void add_unused(std::vector<UnusedLines>& unused, std::string_view line, std::string_view reason,
                std::int64_t lines) {
  const auto known = std::find_if(unused.begin(), unused.end(),
                                  [&](const auto& of) { return of.reason == reason; });
  if (known != unused.end()) {
    known->count += lines;
    return;
  }
  constexpr std::size_t kLongest = 200;
  unused.push_back({std::string(reason), printable(trim(line).substr(0, kLongest)), lines});
}

std::span<const LogFormat> log_formats() { return kFormats; }

const CommonTexts& common_texts() { return log_texts().common; }

const Needles& common_needles() {
  static const Needles needles = [] {
    const auto& [endings, nodes] = log_texts().common;
    std::vector<bool> wanted(log_texts().all.size(), false);
    for (const TextRange& range : {endings, nodes}) {
      for (std::size_t i = 0; i < range.count; ++i) wanted[range.first + i] = true;
    }
    return Needles(log_texts().all, chosen_marks(), wanted);
  }();
  return needles;
}

bool has_table_sign(const FoundLine& line) {
  const std::size_t first = log_texts().tables;
  return std::any_of(line.hits.begin(), line.hits.end(),
                     [&](const auto& hit) { return hit.needle >= first; });
}

std::uint64_t wanted_trainers(std::uint64_t signs, const Scraped& found) {
  std::uint64_t wanted = signs;
  for (std::size_t i = 0; i < trainers().size(); ++i) {
    if (trainers()[i]->is_part && !found.runs.empty()) wanted &= ~(std::uint64_t{1} << i);
  }
  return wanted;
}

void pass(const ReadParts& read, LineSink& sink) {
  LineScanner scanner(sink);
  read([&](std::string_view part) { scanner.add(part); });
  scanner.finish();
}

namespace {

/// Sees the lines of a script that may end its here-documents.
class WordSink : public LineSink {
 public:
  explicit WordSink(Quotation& quotation) : quotation_(quotation) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return common_needles(); }
  void take(const FoundLine& line) override { quotation_.see(line.raw); }

 private:
  Quotation& quotation_;
};

}  // namespace

void show(const ReadParts& read, Quotation& quotation) {
  WordSink words(quotation);
  pass(read, words);
}

LogReaders::LogReaders(bool document, std::uint64_t of_trainers)
    : of_trainers_(of_trainers), trainers_(of_trainers) {
  for (const auto& format : log_formats()) readers_.push_back(format.reader(document));
  needless_.resize(readers_.size());
  for (std::size_t i = 0; i < trainers().size(); ++i)
    needless_.push_back(needless_of(*trainers()[i], (of_trainers >> i & 1) != 0));
  needles_ = &needles_without(needless_);
}

LogReaders::LogReaders(const LogReaders& other)
    : of_trainers_(other.of_trainers_),
      trainers_(other.trainers_),
      signs_(other.signs_),
      want_next_line_(other.want_next_line_),
      needless_(other.needless_),
      needles_(other.needles_) {
  readers_.reserve(other.readers_.size());
  for (const auto& reader : other.readers_) readers_.push_back(reader->copy());
}

void LogReaders::read(const FoundLine& line) {
  const LogTexts& texts = log_texts();
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    const LogLine of_format(line, texts.of_format[i], texts.common);
    if (readers_[i]->wants_next_line() || of_format.matters()) readers_[i]->read(of_format);
  }
  see_signs(line);
  trainers_.read(line, texts.of_trainer, texts.common);
  want_next_line_ = trainers_.want_next_line() ||
                    std::any_of(readers_.begin(), readers_.end(),
                                [](const auto& reader) { return reader->wants_next_line(); });
  choose_needles();
}

std::size_t LogReaders::read_alike(std::string_view text) {
  if (want_next_line_) return 0;
  for (const auto& reader : readers_) {
    const std::size_t length = reader->read_alike(text);
    if (length > 0) return length + 1;
  }
  return 0;
}

void LogReaders::see_signs(const FoundLine& line) {
  if (line.hits.empty()) return;
  const auto& ranges = log_texts().of_trainer;
  const std::size_t begin = ranges.front().first, end = ranges.back().first + ranges.back().count;
  for (const auto& hit : line.hits) {
    if (hit.needle < begin || hit.needle >= end) continue;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (hit.needle - ranges[i].first < trainers()[i]->signs) signs_ |= std::uint64_t{1} << i;
    }
  }
}

void LogReaders::choose_needles() {
  bool same = true;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    const std::uint64_t needless = readers_[i]->needless();
    same = same && needless == needless_[i];
    needless_[i] = needless;
  }
  if (!same) needles_ = &needles_without(needless_);
}

FoundCounts LogReaders::counts() const {
  FoundCounts sum = trainers_.counts();
  for (const auto& reader : readers_) add(sum, reader->counts());
  return sum;
}

std::vector<std::size_t> LogReaders::steps_by_format() const {
  std::vector<std::size_t> steps;
  steps.reserve(readers_.size());
  for (const auto& reader : readers_) steps.push_back(reader->counts().steps);
  return steps;
}

SeenStep LogReaders::last_step(const std::vector<std::size_t>& before) const {
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (readers_[i]->counts().steps > before[i]) return readers_[i]->last_step();
  }
  return trainers_.last_step();
}

Scraped LogReaders::finish(const LogHints& hints) {
  Scraped found;
  const auto take = [&](std::vector<LogRun>&& runs, std::string_view format) {
    for (auto& run : runs) {
      run.format = format;
      run.scraper_version = kScraperVersion;
      tell(run, hints.told);
      found.runs.push_back(std::move(run));
    }
  };
  for (std::size_t i = 0; i < readers_.size(); ++i)
    take(readers_[i]->finish(), log_formats()[i].name);
  TrainerFindings of_trainers = trainers_.finish(found.runs.empty(), hints);
  take(std::move(of_trainers.runs), "trainers");
  found.problems = std::move(of_trainers.problems);
  found.unused = std::move(of_trainers.unused);
  for (const auto& reader : readers_) {
    for (auto& lines : reader->unused()) found.unused.push_back(std::move(lines));
  }
  return found;
}

}  // namespace pippin
