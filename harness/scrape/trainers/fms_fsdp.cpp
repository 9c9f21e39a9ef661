// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kEarlyTime,
  kSigns,
  kStep = kSigns,
  kLoss,
  kRate,
  kSeen,
  kNorm,
  kReserved,
  kAllocated,
  kEarlyAllocated,
  kThroughput,
  kOverallTime,
  kOverallThroughput,
  kPerStep,
  kConfig,
  kParameters,
  kTexts
};

// Source: foundation-model-stack/fms-fsdp, fms_fsdp/utils/train_utils.py, 2024-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    "current step time: ",
    "speed for these ",  // until April 2024: seconds, as "overall speed" is
    "step: ",
    "loss: ",
    "LR: ",
    "tokens seen: ",
    "gradient norm: ",
    "reserved memory: ",
    "allocated memory: ",
    "active memory: ",  // until April 2024
    "current token per gpu per sec: ",
    "overall speed: ",
    "overall token per gpu per sec: ",
    "Total tok/step: ",
    "--> running with these configs ",
    "--> model has ",
};

constexpr double kBytesPerMib = 1048576;

/// What stands in a line that has nothing but a key and its value.
std::optional<std::string_view> value_of_line(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return std::nullopt;
  return trim(line.substr(at + key.size()));
}

/// Reads blocks of lines, one value each; a new step begins one.
class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    read_facts(line, log.launch());
    if (line.has(kStep) && begin(line.text, log)) return;
    if (!is_open_) return;
    if (line.has(kTime)) read_time(line.text, value_of_line(line.text, kSaid[kTime]), log);
    if (line.has(kEarlyTime)) read_early_time(line.text, log);
    read_values(line);
    if (line.has(kReserved)) read_memory(line.text, kReserved, log.launch());
    if (line.has(kAllocated)) read_memory(line.text, kAllocated, log.launch());
    if (line.has(kEarlyAllocated)) read_memory(line.text, kEarlyAllocated, log.launch());
    if (line.has(kThroughput) || line.has(kOverallThroughput)) flush(log);
  }

  void flush(TrainerLog& log) override {
    if (is_open_ && record_.figure.value > 0) log.add(number_, record_, before_);
    is_open_ = false;
  }

 private:
  bool begin(std::string_view line, TrainerLog& log) {
    const auto said = value_of_line(line, kSaid[kStep]);
    const auto figure = said ? figure_at(*said) : std::nullopt;
    if (!figure || figure->size != said->size() || !count_of(figure)) return false;
    flush(log);
    record_ = StepRecord{};
    record_.step = *count_of(figure);
    record_.span = Span::kMean;
    before_ = line.substr(0, line.find(kSaid[kStep]));
    record_.at = time_of(before_);
    is_open_ = true;
    return true;
  }

  void read_time(std::string_view line, const std::optional<std::string_view>& said,
                 TrainerLog& log) {
    const auto seconds = said ? figure_at(*said) : std::nullopt;
    if (!seconds) return;
    if (!(seconds->value > 0)) return log.could_not_use(line, "its step time is not above 0");
    record_.figure = {seconds->value * kMsPerSecond, seconds->quantum * kMsPerSecond, 0};
  }

  /// "speed for these 100 steps: 2.45" says seconds a step.
  void read_early_time(std::string_view line, TrainerLog& log) {
    constexpr std::string_view kSteps = " steps:";
    const auto said = value_of_line(line, kSaid[kEarlyTime]);
    const auto steps = said ? figure_at(*said) : std::nullopt;
    if (!count_of(steps) || !said->substr(steps->size).starts_with(kSteps)) return;
    record_.interval = *count_of(steps);
    read_time(line, trim(said->substr(steps->size + kSteps.size())), log);
  }

  void read_values(const TrainerLine& line) {
    const auto read = [&](Text text) {
      const auto said = line.has(text) ? value_of_line(line.text, kSaid[text]) : std::nullopt;
      return said ? figure_at(*said) : std::nullopt;
    };
    if (const auto loss = read(kLoss)) record_.lm_loss = loss->value;
    if (line.has(kLoss) && !record_.lm_loss && value_of_line(line.text, kSaid[kLoss]))
      record_.bad_loss = true;
    if (const auto rate = read(kRate)) record_.learning_rate = rate->value;
    if (!record_.learning_rate && line.has(kRate)) read_rates(line.text);
    if (const auto norm = read(kNorm)) record_.grad_norm = norm->value;
    if (const auto seen = read(kSeen)) record_.other.emplace_back("tokens seen", seen->value);
    if (const auto rate = read(kThroughput))
      record_.other.emplace_back("tokens/s/GPU", rate->value);
    if (const auto time = read(kOverallTime))
      record_.other.emplace_back("overall step time (s)", time->value);
    if (const auto rate = read(kOverallThroughput))
      record_.other.emplace_back("overall tokens/s/GPU", rate->value);
  }

  /// "LR: [0.0003]", of February 2024.
  void read_rates(std::string_view line) {
    const auto said = value_of_line(line, kSaid[kRate]);
    const auto rate = said && said->starts_with('[') ? figure_at(said->substr(1)) : std::nullopt;
    if (rate) record_.learning_rate = rate->value;
  }

  /// In bytes; forks print "12.34 GiB".
  static void read_memory(std::string_view line, Text text, TrainerLaunch& launch) {
    const auto said = value_of_line(line, kSaid[text]);
    const auto size = said ? figure_at(*said) : std::nullopt;
    if (!size || !(size->value > 0)) return;
    const auto unit = trim(said->substr(size->size));
    if (!unit.empty() && unit != "GiB") return;
    const double mib = unit.empty() ? size->value / kBytesPerMib : size->value * kMibPerGib;
    RankMemory& memory = launch.memory[0];
    auto& kept = text == kReserved ? memory.max_reserved_mib : memory.max_allocated_mib;
    kept = std::max(kept.value_or(0), mib);
  }

  /// "--> running with these configs train_config(…, seq_length=4096, batch_size=2, …)".
  static void read_facts(const TrainerLine& line, TrainerLaunch& launch) {
    LaunchFacts& facts = launch.facts;
    if (line.has(kPerStep)) {
      if (const Count tokens = count_after(line.text, kSaid[kPerStep]))
        facts.tokens_per_step = tokens;
    }
    if (line.has(kParameters)) {
      const auto millions = figure_after(line.text, kSaid[kParameters]);
      if (millions)
        facts.derive(facts.model.params, "params", millions->value * 1e6, "Million params", 1e-9);
    }
    if (!line.has(kConfig)) return;
    const auto read = [&](std::string_view key, Count& count) {
      if (const Count value = count_after(line.text, key)) count = value;
    };
    read("seq_length=", facts.model.seq);
    read("batch_size=", facts.layout.mbs);
    read("num_steps=", launch.planned);
    facts.layout.gas = 1;  // it has none
  }

  const std::size_t number_;
  StepRecord record_;
  std::string before_;
  bool is_open_ = false;
};

/// Tokens are counted over all GPUs.
Count tokens_per_step(const StepRows& rows) {
  const StepRecord* before = nullptr;
  for (const auto& row : rows.rows()) {
    const auto seen = value_named(row.record, "tokens seen");
    const auto seen_before = before ? value_named(*before, "tokens seen") : std::nullopt;
    if (seen && seen_before) {
      const double tokens =
          (*seen - *seen_before) / static_cast<double>(row.record.step - before->step);
      constexpr double kExact = 1e-6;
      const auto exact = whole_within(tokens, kExact);
      if (const Count whole = exact ? whole_number(*exact) : std::nullopt) return whole;
    }
    before = &row.record;
  }
  return std::nullopt;
}

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  Layout& layout = facts.layout;
  if (const Count tokens = tokens_per_step(rows))
    facts.derive(facts.tokens_per_step, "tokens per step", static_cast<double>(*tokens),
                 "difference of tokens seen", 0);
  facts.complete();
  if (!facts.tokens_per_step || rows.empty()) return;
  const auto tokens = static_cast<double>(*facts.tokens_per_step);
  const StepRecord& record = rows.rows().back().record;
  std::optional<double> of_gpu;
  const auto by_rate = [&](std::string_view name, const std::optional<double>& seconds) {
    const auto rate = value_named(record, name);  // without its fraction
    if (rate && seconds) of_gpu = whole_within((*rate + 0.5) * *seconds, *seconds / 2);
  };
  if (layout.mbs && facts.model.seq) {
    of_gpu = static_cast<double>(*layout.mbs * *facts.model.seq);
  } else if (value_named(record, "tokens/s/GPU")) {
    by_rate("tokens/s/GPU", record.figure.value / kMsPerSecond);
  } else {
    by_rate("overall tokens/s/GPU", value_named(record, "overall step time (s)"));
  }
  constexpr double kExact = 1e-9;
  if (of_gpu && *of_gpu > 0)
    facts.derive(layout.gpus, "gpus", tokens / *of_gpu, "tokens of a step / of a GPU", kExact);
}

}  // namespace

constinit const TrainerFormat kFmsFsdp{"fms-fsdp", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
