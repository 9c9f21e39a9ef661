// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kMfu,
  kOldMfu,
  kRate,
  kSigns,
  kBegin = kSigns,
  kTableRow,
  kLongestName,
  kBatch,
  kSteps,
  kBatches,
  kStepsSet,
  kDone,
  kTexts,
};

// Source: karpathy/llm.c, train_gpt2.cu and train_gpt2.py, 2024-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    "% bf16 MFU | ",
    "% bf16 A100 MFU | ",
    " tok/s)",  // of April 2024, and of train_gpt2.py
    "| train data pattern    | ",
    "  | ",
    "| max_sequence_length T | ",
    "total desired batch size: ",
    "calculated gradient accumulation steps: ",
    "batch_size B=",
    "=> setting grad_accum_steps=",
    "total average iteration time: ",
};

struct Row {
  std::string_view name, value;
};

/// "| micro batch size B    | 64                 |", of the table at the start.
std::optional<Row> row_of(std::string_view line) {
  constexpr std::size_t kNameWidth = 21;
  const auto end = trim(line).ends_with('|') ? line.rfind('|') : std::string_view::npos;
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const auto middle = line.rfind('|', end - 1);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  const auto begin = line.rfind('|', middle - 1);
  if (begin == std::string_view::npos || !is_prefix(line.substr(0, begin))) return std::nullopt;
  const auto name = line.substr(begin + 1, middle - begin - 1);
  if (name.size() < kNameWidth + 2) return std::nullopt;
  return Row{trim(name), trim(line.substr(middle + 1, end - middle - 1))};
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kBegin)) begin(line.text, log);
    LaunchFacts& facts = log.launch().facts;
    if (line.has(kTableRow) || line.has(kLongestName)) {
      if (const auto row = row_of(line.text)) read_row(*row, log.launch());
    }
    if (line.has(kBatch)) facts.tokens_per_step = count_after(line.text, kSaid[kBatch]);
    for (const Text steps : {kSteps, kStepsSet}) {
      if (line.has(steps)) facts.layout.gas = count_after(line.text, kSaid[steps]);
    }
    if (line.has(kBatches)) read_batch(line.text, facts);
    if (line.has(kMfu) || line.has(kOldMfu) || line.has(kRate)) read_step(line.text, log);
    if (line.has(kDone) && !log.launch().rows(number_).empty())
      log.launch().ending.reached_last_iteration(line.text);
  }

 private:
  void begin(std::string_view line, TrainerLog& log) const {
    const auto before = line.substr(0, line.find(kSaid[kBegin]));
    if (is_prefix(before)) log.begin_launch(number_, before);
  }

  /// "batch_size B=56 * seq_len T=1024 * num_processes=1 and total_batch_size=458752".
  static void read_batch(std::string_view line, LaunchFacts& facts) {
    if (!is_prefix(line.substr(0, line.find(kSaid[kBatches])))) return;
    const auto read = [&](std::string_view name, Count& count) {
      if (const Count said = count_after(line, name); said >= 1) count = said;
    };
    read(kSaid[kBatches], facts.layout.mbs);
    read("seq_len T=", facts.model.seq);
    read("num_processes=", facts.layout.gpus);
    read("total_batch_size=", facts.tokens_per_step);
    facts.layout.dp = facts.layout.gpus;
  }

  static void read_row(const Row& row, TrainerLaunch& launch) {
    LaunchFacts& facts = launch.facts;
    facts.say(row.name, row.value);
    const Count value = count_of(figure_at(row.value));
    const struct {
      std::string_view name;
      Count& count;
    } counts[] = {
        {"micro batch size B", facts.layout.mbs},
        {"batch size B", facts.layout.mbs},  // until June 2024, and of train_gpt2_fp32.cu
        {"sequence length T", facts.model.seq},
        {"total batch size", facts.tokens_per_step},
        {"num_layers L", facts.model.layers},
        {"num_heads NH", facts.model.heads},
        {"channels C", facts.model.hidden},
        {"vocab_size V", facts.model.vocab},
        {"padded_vocab_size Vp", facts.model.padded_vocab},
        {"num_parameters", facts.model.params},
        {"num_processes", facts.layout.gpus},
    };
    for (const auto& known : counts) {
      if (known.name == row.name && value && *value > 0) known.count = value;
    }
    // The model's, which is that of its batches unless those say another.
    if (row.name == "max_sequence_length T" && value && !facts.model.seq) facts.model.seq = value;
    if (row.name == "num_processes") facts.layout.dp = facts.layout.gpus;
    if (row.name == "zero_stage") facts.set_axis("zero", row.value);
    if (row.name == "precision") facts.set_axis("precision", row.value);
    if (row.name != "recompute" || !value) return;
    facts.recompute = *value > 0 ? "selective" : "none";  // GELU, and above 1 layer norms
    facts.set_axis("recompute", row.value);
  }

  /// The number before " ms", of the line's fields or behind a bracket.
  static std::optional<Figure> time_of_step(std::string_view said) {
    for (auto ms = said.find(" ms"); ms != std::string_view::npos; ms = said.find(" ms", ms + 1)) {
      const auto digits = said.substr(0, ms).find_last_not_of("0123456789.");
      if (digits == std::string_view::npos) return std::nullopt;
      const auto figure = figure_at(said.substr(digits + 1));
      const auto after = said.substr(ms + 3);
      if (figure && digits + 1 + figure->size == ms &&
          (after.starts_with(" |") || after.starts_with(',')))
        return figure;
    }
    return std::nullopt;
  }

  /// "step    2/32000 | loss 10.539388 (+nanz)| norm 43.5996 (+nanz)| lr 1.71e-06 | 2747.19 ms |
  /// 47.4% bf16 MFU | 381690 tok/s".
  void read_step(std::string_view line, TrainerLog& log) const {
    constexpr std::string_view kStep = "step ";
    const auto at = find_key(line, kStep);
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at);
    const auto counts = left_trim(said.substr(kStep.size()));
    const auto step = figure_at(counts);
    const auto time = time_of_step(said);
    if (!count_of(step) || !time || !counts.substr(step->size).starts_with('/')) return;
    StepRecord record;
    record.step = *count_of(step);
    record.figure = *time;
    keep_loss(record, text_after(said, "loss "));
    record.grad_norm = value_of_figure(figure_after(said, "norm "));
    record.learning_rate = value_of_figure(figure_after(said, "lr "));
    keep_rates(said, record);
    record.at = time_of(line.substr(0, at));
    if (const Count steps = count_of(figure_at(counts.substr(step->size + 1))))
      log.launch().planned = steps;
    log.add(number_, record, line.substr(0, at));
  }

  static void keep_rates(std::string_view said, StepRecord& record) {
    const auto number_before = [&](std::string_view text) -> std::optional<Figure> {
      const auto end = said.find(text);
      if (end == std::string_view::npos) return std::nullopt;
      const auto begin = said.substr(0, end).find_last_of(" (");
      return begin == std::string_view::npos ? std::nullopt : figure_at(said.substr(begin + 1));
    };
    const auto mfu = number_before("% bf16");
    if (mfu && mfu->value > 0) keep(record, "MFU %", mfu);  // -100% where the peak is unknown
    keep(record, "tokens/s (moving mean)", number_before(" tok/s"));
  }

  const std::size_t number_;
};

}  // namespace

constinit const TrainerFormat kLlmC{"llm.c", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
