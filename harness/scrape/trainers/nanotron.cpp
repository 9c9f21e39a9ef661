// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kSigns,
  kPlan = kSigns,
  kParallelism,
  kParallelismArgs,
  kZeroStage,
  kParameters,
  kMemory,
  kSaving,
  kTexts,
};

// Source: huggingface/nanotron, trainer.py, logging/base.py and config.py, 2023-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    "time_per_iteration_ms: ",  // until 2025 "elapsed_time_per_iteration_ms: "
    " | grad_accum: ",
    " | dp: ",
    "=ParallelismArgs(dp=",
    "zero_stage: ",
    "Total number of parameters: ",
    "Peak reserved: ",
    "Saving checkpoint at ",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaving,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .path = " at "},
};

/// A number as nanotron writes it: three digits, of which zeros at the end are left out, so that
/// "45" is 45.0.
std::optional<Figure> rounded_at(std::string_view text) {
  constexpr int kDigits = 3;
  auto figure = figure_at(text, Suffixes::kThousands);
  if (figure && figure->value > 0)
    figure->quantum = std::pow(10, std::floor(std::log10(figure->value)) - kDigits + 1);
  return figure;
}

/// The number that was rounded to three digits, where it can be told.
Count whole_of(const std::optional<Figure>& figure) {
  if (!figure) return std::nullopt;
  if (figure->quantum <= 1) return count_of(figure);
  const double power = near_power_of_two(figure->value);
  return power == figure->value ? std::nullopt : whole_number(power);
}

struct Field {
  std::string_view name, value;
};

/// "iteration: 1 / 10 | consumed_tokens: 85.8G | …". Nothing where it is torn: ranks write at once.
std::optional<std::vector<Field>> fields_of(std::string_view said) {
  std::vector<Field> fields;
  while (!said.empty()) {
    const auto bar = said.find(" | ");
    const auto field = said.substr(0, bar);
    const auto colon = field.find(": ");
    const auto name = field.substr(0, colon);
    const bool named = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return is_word(c) || c == '/' || c == '-' || c == '.';
    });
    if (colon == std::string_view::npos || !named) return std::nullopt;
    const auto value = field.substr(colon + 2);
    if (value.find_first_of("[]|") != std::string_view::npos) return std::nullopt;
    fields.push_back({name, value});
    said = bar == std::string_view::npos ? std::string_view() : said.substr(bar + 3);
  }
  return fields;
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }
  bool wants_next_line() const override { return arguments_left_ > 0; }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    LaunchFacts& facts = log.launch().facts;
    if (line.has(kPlan)) read_plan(line.text, log);
    if (line.has(kParallelismArgs)) arguments_left_ = kLinesOfArguments;
    if (arguments_left_ > 0) read_parallelism(line.text, '=', facts.layout);
    arguments_left_ -= arguments_left_ > 0 ? 1 : 0;
    if (line.has(kParallelism)) read_parallelism(line.text, ':', facts.layout);
    if (line.has(kZeroStage))
      if (const Count stage = count_after(line.text, kSaid[kZeroStage]))
        facts.set_axis("zero", std::to_string(*stage));
    if (line.has(kParameters)) {
      const auto figure = figure_after(line.text, kSaid[kParameters], Suffixes::kThousands);
      if (figure) facts.model.params = count_of(figure);
    }
    if (line.has(kMemory)) read_memory(line.text, log.launch());
    if (line.has(kTime)) read_step(line, log);
  }

 private:
  static constexpr int kLinesOfArguments = 6;

  /// "mbs: 2 | grad_accum: 4 | cp: 1 | sequence_length: 4096 | global_batch_size: 64 | …".
  void read_plan(std::string_view line, TrainerLog& log) const {
    const auto at = find_key(line, "mbs: ");
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    log.begin_launch(number_, line.substr(0, at));
    const auto said = line.substr(at);
    LaunchFacts& facts = log.launch().facts;
    facts.layout.mbs = count_after(said, "mbs: ");
    facts.layout.gas = count_after(said, "grad_accum: ");
    if (const Count cp = count_after(said, "| cp: ")) facts.layout.cp = cp;
    facts.model.seq = count_after(said, "sequence_length: ");
    facts.layout.gbs = count_after(said, "global_batch_size: ");
    if (const Count steps = count_after(said, "train_steps: ")) log.launch().planned = steps;
    facts.say("plan", said);
  }

  /// "tp: 2 | pp: 1 | dp: 4 | cp: 1", or lines with "dp=4," "pp=1," "tp=2,".
  static void read_parallelism(std::string_view line, char mark, Layout& layout) {
    const auto size_of = [&](const std::string& name, Count& size) {
      if (const Count said = count_after(line, name + mark)) size = said;
    };
    size_of("dp", layout.dp);
    size_of("pp", layout.pp);
    size_of("tp", layout.tp);
    size_of(mark == ':' ? "cp" : "context_parallel_size", layout.cp);
  }

  /// "[INFO|DP=0|PP=0|TP=0]:  Memory usage: 1.50MiB. Peak allocated 2.50MiB. Peak reserved: …".
  static void read_memory(std::string_view line, TrainerLaunch& launch) {
    const auto at = line.find("Memory usage: ");
    if (at == std::string_view::npos) return;
    for (const std::string_view of : {"DP=", "PP=", "TP=", "CP=", "EP="}) {
      if (count_after(line.substr(0, at), of).value_or(0) != 0) return;  // which rank is that?
    }
    RankMemory& memory = memory_of(launch, 0);
    const auto mib = [&](std::string_view key) {
      auto text = text_after(line, key);
      if (text && text->starts_with(':')) text = left_trim(text->substr(1));
      return text ? value_of_figure(figure_at(*text)) : std::nullopt;
    };
    raise(memory.allocated_mib, mib("Memory usage:"));
    raise(memory.max_allocated_mib, mib("Peak allocated"));
    raise(memory.max_reserved_mib, mib("Peak reserved:"));
  }

  void read_step(const TrainerLine& line, TrainerLog& log) const {
    const auto time_at = line.text.find(kSaid[kTime]);
    const auto at = line.text.substr(0, time_at).rfind("iteration: ");
    const bool is_ours = line.text.find("tokens_per_sec: ", time_at) != std::string_view::npos;
    const auto fields =
        at == std::string_view::npos ? std::nullopt : fields_of(line.text.substr(at));
    if (!fields || !is_ours) return could_not_use(line.text, log);
    const auto before = line.text.substr(0, at);
    if (find_key(line.text, "iteration: ") != at) return could_not_use(line.text, log);
    StepRecord record;
    Count gbs, tokens;
    for (const auto& field : *fields) {
      if (field.name.ends_with("time_per_iteration_ms"))
        record.figure = rounded_at(field.value).value_or(Figure());
      if (field.name == "global_batch_size")
        (line.text.substr(0, time_at).ends_with("elapsed_") ? gbs : tokens) =
            whole_of(rounded_at(field.value));
      keep_field(field, record);
    }
    const Count step = count_of(figure_at(fields->front().value));
    if (!step || !(record.figure.value > 0)) return could_not_use(line.text, log);
    record.step = *step;
    record.at = time_of(before);
    LaunchFacts& facts = log.launch().facts;
    if (gbs && !facts.layout.gbs) facts.layout.gbs = gbs;
    if (tokens && !facts.layout.gbs) facts.tokens_per_step = tokens;
    const auto slash = fields->front().value.find("/ ");
    if (slash != std::string_view::npos)
      log.launch().planned = count_of(figure_at(fields->front().value.substr(slash + 2)));
    log.add(number_, record, before);
  }

  static void could_not_use(std::string_view line, TrainerLog& log) {
    if (line.find("consumed_tokens: ") == std::string_view::npos &&
        line.find("tokens_per_sec") == std::string_view::npos)
      return;  // another trainer's
    log.could_not_use(line, "it is torn: ranks wrote at once");
  }

  static void keep_field(const Field& field, StepRecord& record) {
    const auto figure = rounded_at(field.value);
    if (field.name == "lm_loss") return keep_loss(record, field.value);
    if (!figure) return;
    if (field.name == "lr") record.learning_rate = figure->value;
    if (field.name == "grad_norm") record.grad_norm = figure->value;
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"tokens_per_sec", "tokens/s"},
        {"tokens_per_sec_per_gpu", "tokens/s/GPU"},
        {"model_tflops_per_gpu", "TFLOP/s/GPU"},
        {"hardware_tflops_per_gpu", "hardware TFLOP/s/GPU"},
        {"consumed_tokens", "consumed tokens"},
        {"cuda_memory_allocated", "memory allocated (bytes)"},
        {"cuda_max_memory_reserved", "max memory reserved (bytes)"},
    };
    for (const auto& [name, kept] : kNames) {
      if (field.name == name) record.other.emplace_back(kept, figure->value);
    }
  }

  const std::size_t number_;
  int arguments_left_ = 0;  ///< lines that may be of ParallelismArgs(…)
};

/// All figures have three digits: quotients of them are known to 1 %.
void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  constexpr double kRounded = 0.01, kMostToTell = 40;
  if (const auto gpus = rows.median_quotient("tokens/s", "tokens/s/GPU")) {
    const double power = near_power_of_two(*gpus);
    if (power != *gpus || *gpus < kMostToTell)
      facts.derive(facts.layout.gpus, "gpus", power, "tokens_per_sec / tokens_per_sec_per_gpu",
                   kRounded);
  }
  if (facts.model.seq || facts.tokens_per_step || !facts.layout.gbs) return;
  const auto tokens = median_of(rows, [](const StepRecord& record) -> std::optional<double> {
    const auto rate = value_named(record, "tokens/s");
    return rate ? std::optional(*rate * record.figure.value / kMsPerSecond) : std::nullopt;
  });
  if (tokens)
    facts.derive(facts.model.seq, "seq",
                 near_power_of_two(*tokens / static_cast<double>(*facts.layout.gbs)),
                 "tokens_per_sec · time / gbs", 0);
}

}  // namespace

constinit const TrainerFormat kNanotron{"nanotron", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
