// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kSigns,
  kEvaluation = kSigns,
  kMicroBatch,
  kAccumulation,
  kLength,
  kSteps,
  kTensors,
  kPipelines,
  kTexts
};

// Source: open-lm-engine/lm-engine (before: IBM/dolomite-engine), train.py, 2024-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    "train-step_time (sec) = ",
    "val-loss",
    "micro_batch_size",
    "gradient_accumulation_steps",
    "sequence_length",
    "num_training_steps",
    "tensor_parallel_world_size",
    "pipeline_parallel_world_size",
};

/// "  micro_batch_size ......... 4", or "micro_batch_size: 4" of the configuration.
Count setting_in(std::string_view line, std::string_view name) {
  const auto at = find_key(line, name);
  if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return std::nullopt;
  auto said = line.substr(at + name.size());
  const auto value = said.find_first_not_of(".: ");
  if (value == 0 || value == std::string_view::npos) return std::nullopt;
  said = trim(said.substr(value));
  const auto figure = figure_at(said);
  return figure && figure->size == said.size() ? count_of(figure) : std::nullopt;
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    read_settings(line, log.launch());
    if (line.has(kEvaluation) && find_key(line.text, "step = ") != std::string_view::npos)
      flags_ |= kAfterEvaluation;
    if (line.has(kTime)) read_step(line.text, log);
  }

 private:
  static void read_settings(const TrainerLine& line, TrainerLaunch& launch) {
    Layout& layout = launch.facts.layout;
    const auto read = [&](Text text, Count& count) {
      const Count set = line.has(text) ? setting_in(line.text, kSaid[text]) : std::nullopt;
      if (set && *set > 0) count = set;
    };
    read(kMicroBatch, layout.mbs);
    read(kAccumulation, layout.gas);
    read(kLength, launch.facts.model.seq);
    read(kSteps, launch.planned);
    read(kTensors, layout.tp);
    read(kPipelines, layout.pp);
  }

  /// "step = 10, train-loss = 10.5773, …, train-step_time (sec) = 6.2055": an evaluation since the
  /// line before is in it, a checkpoint is not.
  void read_step(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, "step = ");
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at), before = line.substr(0, at);
    const Count step = count_after(said, "step = ");
    const auto seconds = figure_after(said, kSaid[kTime]);
    if (!step || !seconds) return;
    if (!(seconds->value > 0)) return log.could_not_use(line, "its step time is not above 0");
    StepRecord record;
    record.step = *step;
    record.figure = {seconds->value * kMsPerSecond, seconds->quantum * kMsPerSecond, 0};
    record.span = Span::kMean;
    record.flags = flags_;
    if (const auto loss = text_after(said, "train-loss = ")) {
      const auto value = figure_at(*loss);
      if (value) record.lm_loss = value->value;
      record.bad_loss = !value;
    }
    if (const auto norm = figure_after(said, "train-grad_norm = ")) record.grad_norm = norm->value;
    for (const std::string_view key : {"train-learning_rate = ", "learning_rate = "}) {
      if (const auto rate = figure_after(said, key)) record.learning_rate = rate->value;
    }
    keep(said, record, log.launch().facts);
    record.at = time_of(before);
    flags_ = 0;
    log.add(number_, record, before);
  }

  static void keep(std::string_view said, StepRecord& record, LaunchFacts& facts) {
    if (const auto flops = figure_after(said, "train-FLOPs = "))
      record.other.emplace_back("TFLOP/s/GPU", flops->value);
    const auto tokens = figure_after(said, "train-billion_tokens_per_day = ");
    if (!tokens || !(tokens->value > 0)) return;
    record.other.emplace_back("billion tokens/day", tokens->value);
    constexpr double kBillion = 1e9, kSecondsOfDay = 86400;
    const double of_step =
        tokens->value * kBillion * record.figure.value / kMsPerSecond / kSecondsOfDay;
    const double unsure =
        of_step * (tokens->quantum / tokens->value + record.figure.quantum / record.figure.value) /
        2;
    facts.derive(facts.tokens_per_step, "tokens per step", whole_within(of_step, unsure),
                 "billion_tokens_per_day · step_time");
  }

  const std::size_t number_;
  unsigned flags_ = 0;
};

/// All ranks together have the tokens of a step.
void apply_laws(LaunchFacts& facts, const StepRows&) {
  Layout& layout = facts.layout;
  if (!layout.gbs || !layout.mbs || !layout.gas || *layout.mbs * *layout.gas <= 0) return;
  constexpr double kExact = 1e-9;
  facts.derive(layout.dp, "dp",
               static_cast<double>(*layout.gbs) / static_cast<double>(*layout.mbs * *layout.gas),
               "gbs / (mbs · gas)", kExact);
  facts.complete();
}

}  // namespace

constinit const TrainerFormat kLmEngine{"lm-engine", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
