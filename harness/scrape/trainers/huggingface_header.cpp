// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/huggingface_header.h"

#include "core/base/text.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/huggingface_options.h"
#include "harness/scrape/trainers/huggingface_texts.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin::huggingface {

namespace {

/// What follows a key at the end of a prefix.
Count count_said(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return std::nullopt;
  const auto figure = figure_at(line.substr(at + key.size()));
  const bool is_all = figure && trim(line.substr(at + key.size() + figure->size)).empty();
  return is_all ? count_of(figure) : std::nullopt;
}

/// What follows a key behind the banner's drawing.
Count count_drawn(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  const bool is_drawn =
      at != std::string_view::npos && line.substr(0, at).find(kBannerGap) != std::string_view::npos;
  return is_drawn ? count_of(figure_at(line.substr(at + key.size()))) : std::nullopt;
}

}  // namespace

void read_header(const TrainerLine& line, TrainerLaunch& launch, RunTotals& totals) {
  LaunchFacts& facts = launch.facts;
  const auto read = [&](Text text, std::string_view key, Count& count) {
    const Count said = line.has(text) ? count_said(line.text, key) : std::nullopt;
    if (said) count = said;
    return said.has_value();
  };
  Count other;
  read(kFacts,
       "Total train batch size (w. parallel, distributed & accumulation) = ", facts.layout.gbs);
  read(kFacts, "Gradient Accumulation steps = ", facts.layout.gas);
  read(kPerDevice, kSaid[kPerDevice], facts.layout.mbs);
  if (read(kSteps, kSaid[kSteps], other)) {
    launch.planned = other;
    totals.plan(*other);
  }
  if (read(kResumed, kSaid[kResumed], other)) totals.go_on_from(*other);
  if (read(kExamples, kSaid[kExamples], other))
    facts.say("num_examples", static_cast<double>(*other));
  if (read(kTrainable, kSaid[kTrainable], other)) read_trainable(*other, facts);
  if (line.has(kShape)) read_shape(line.text, kSaid[kShape], facts);
  if (line.has(kVocabulary)) read_vocabulary(line.text, kSaid[kVocabulary], facts);
  for (const std::size_t text : kParallel) {
    if (line.has(text)) read_parallel(line.text, kSaid[text], facts);
  }
}

void read_banner(const TrainerLine& line, TrainerLaunch& launch, RunTotals& totals) {
  LaunchFacts& facts = launch.facts;
  const auto read = [&](Text text, std::string_view key) {
    return line.has(text) ? count_drawn(line.text, key) : std::nullopt;
  };
  const auto keep = [](Count& count, const Count& said) {
    if (said) count = said;
  };
  keep(facts.layout.mbs, read(kBannerBatch, "Batch size per device = "));
  keep(facts.layout.gas, read(kFacts, "radient accumulation steps = "));
  keep(facts.layout.gas, read(kFacts, "radient Accumulation steps = "));
  keep(facts.layout.gbs, read(kBannerTotal, "Total batch size = "));
  keep(facts.layout.gbs, read(kBannerTotal, ") = "));
  keep(facts.layout.gpus, read(kBannerGpus, kSaid[kBannerGpus]));
  if (const Count examples = read(kExamples, kSaid[kExamples]))
    facts.say("num_examples", static_cast<double>(*examples));
  if (const Count steps = read(kBannerSteps, kSaid[kBannerSteps])) {
    launch.planned = steps;
    totals.plan(*steps);
  }
}

}  // namespace pippin::huggingface
