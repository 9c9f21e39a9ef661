// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t { kRate, kSigns, kSave = kSigns, kSaved, kTexts };

// Source: facebookresearch/lingua, apps/main/train.py, lingua/checkpoint.py and lingua/logger.py,
// 2024-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    "  wps: ",
    "Saving to: ",
    "State dict saved!",
};

/// "0: INFO    25-01-20 10:11:12.123456 - 0:00:10 - ": its years have two digits.
std::optional<Moment> lingua_moment_of(std::string_view before) {
  constexpr std::string_view kCentury = "20";
  for (std::size_t at = before.find('-'); at != std::string_view::npos;
       at = before.find('-', at + 1)) {
    const bool is_year = at >= 2 && is_digit(before[at - 1]) && is_digit(before[at - 2]) &&
                         (at == 2 || before[at - 3] == ' ');
    if (!is_year) continue;
    const std::string with_century = std::string(kCentury) + std::string(before.substr(at - 2));
    if (const auto moment = moment_of(with_century)) return moment;
  }
  return moment_of(before);
}

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSave,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .path = "Saving to: "},
    {.text = kSaved, .what = CheckpointWord::What::kEnds, .kind = CheckpointKind::kSave},
};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    if (line.has(kSave) && is_prefix(line.text.substr(0, line.text.find(kSaid[kSave]))))
      flags_ |= kAfterSave;
    if (line.has(kRate)) read_step(line.text, log);
  }

 private:
  /// torchtitan of 2024 calls its rate so, too. What stands before it tells them apart, as a line
  /// may be cut behind it.
  static bool is_lingua(std::string_view said) {
    const auto before = said.substr(0, said.find(kSaid[kRate]));
    return find_key(before, "flops:") != std::string_view::npos ||
           find_key(before, "acc:") != std::string_view::npos;
  }

  /// "step: 10  acc: 0  loss: 10.5773  grad: 1.2e+00  flops: 4.2e+14  wps: 1.2e+04  iter: 0.4
  /// data: 0.01  lr: 1.2e-04  mem: 80%  pow: 690.1 W": the words are those of one GPU, and the
  /// last micro-batch's seconds.
  void read_step(std::string_view line, TrainerLog& log) {
    auto at = find_key(line, "step: ");
    if (at == std::string_view::npos) at = find_key(line, "global_step: ");
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at), before = line.substr(0, at);
    if (!is_lingua(said)) return;
    const Count step = count_of(figure_at(left_trim(said.substr(said.find(':') + 1))));
    const auto rate = figure_after(said, "wps:");
    if (!step || !rate || !is_prefix(before)) return;
    if (!(rate->value > 0)) return log.could_not_use(line, "its wps is not above 0");
    StepRecord record;
    record.step = *step;
    record.figure = *rate;
    record.pace = Pace::kTokensPerGpuSecond;
    record.span = Span::kMean;
    record.flags = flags_;
    const auto loss = text_after(said, "loss:");
    const auto value = loss ? figure_at(*loss) : std::nullopt;
    if (value) record.lm_loss = value->value;
    record.bad_loss = loss && !value;
    if (const auto norm = figure_after(said, "grad:")) record.grad_norm = norm->value;
    if (const auto learning = figure_after(said, "lr:")) record.learning_rate = learning->value;
    const auto keep = [&](std::string_view name, std::string_view key) {
      if (const auto kept = figure_after(said, key)) record.other.emplace_back(name, kept->value);
    };
    keep("tokens/s/GPU", "wps:");
    keep("FLOP/s/GPU", "flops:");
    keep("last micro-batch (s)", "iter:");
    keep("data (s)", "data:");
    keep("memory %", "mem:");
    keep("power W", "pow:");
    keep_moment(record, lingua_moment_of(before));
    flags_ = 0;
    log.add(number_, record, before);
  }

  const std::size_t number_;
  unsigned flags_ = 0;
};

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  derive_tokens_by_clock(facts, rows, "wps");
}

}  // namespace

constinit const TrainerFormat kLingua{"lingua", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
