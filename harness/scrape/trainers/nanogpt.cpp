// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kTokens,
  kSigns,
  kOverriding = kSigns,
  kParameters,
  kEvaluation,
  kSaving,
  kTexts,
};

// Source: karpathy/nanoGPT, train.py, configurator.py and model.py, 2022-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    ", time ",       "tokens per iteration will be: ", "Overriding: ", "number of parameters: ",
    ": train loss ", "saving checkpoint to ",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaving,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .path = "checkpoint to "},
};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    if (line.has(kOverriding)) read_override(line.text);
    if (line.has(kTokens)) read_tokens(line.text, log);
    if (line.has(kParameters)) read_parameters(line.text, log);
    if (line.has(kEvaluation)) read_evaluation(line.text);
    if (line.has(kSaving)) saved_ = evaluated_;
    if (line.has(kTime)) read_step(line.text, log);
  }

 private:
  /// "Overriding: batch_size = 12", of the command line, before the launch says that it begins.
  void read_override(std::string_view line) {
    const auto at = find_key(line, kSaid[kOverriding]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    const auto said = line.substr(at + kSaid[kOverriding].size());
    const auto equals = said.find(" = ");
    if (equals == std::string_view::npos) return;
    overrides_.emplace_back(said.substr(0, equals),
                            value_of(printable(trim(said.substr(equals + 3)))));
  }

  /// Without the embedding of positions.
  static void read_parameters(std::string_view line, TrainerLog& log) {
    if (const auto said = text_after(line, kSaid[kParameters]))
      log.launch().facts.say("number of parameters", *said);
  }

  void read_tokens(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kSaid[kTokens]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    log.begin_launch(number_, line.substr(0, at));
    evaluated_ = saved_ = {};
    LaunchFacts& facts = log.launch().facts;
    facts.tokens_per_step = count_after(line, kSaid[kTokens]);
    for (const auto& [name, value] : overrides_) {
      facts.say(name, value.text);
      const Count count = value.number ? whole_number(*value.number) : std::nullopt;
      if (!count || *count < 1) continue;
      if (name == "batch_size") facts.layout.mbs = count;
      if (name == "block_size") facts.model.seq = count;
      if (name == "n_layer") facts.model.layers = count;
      if (name == "n_head") facts.model.heads = count;
      if (name == "n_embd") facts.model.hidden = count;
      if (name == "max_iters") log.launch().planned = count;  // counted from 0, and then one more
    }
    for (const std::string_view axis : {"dtype", "compile", "device"}) {
      if (const Value* value = find_value(overrides_, std::string(axis)))
        facts.set_axis(axis, value->text);
    }
    overrides_.clear();
  }

  /// "step 2000: train loss 3.4092, val loss 3.4231": the time of iteration 2000 has it in it.
  void read_evaluation(std::string_view line) {
    const auto at = line.substr(0, line.find(kSaid[kEvaluation])).rfind("step ");
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    evaluated_ = count_after(line.substr(at), "step ");
  }

  /// "iter 1631: loss 4.0863, time 561.94ms, mfu 31.45%".
  void read_step(std::string_view line, TrainerLog& log) const {
    const auto loss_at = line.substr(0, line.find(kSaid[kTime])).rfind(": loss ");
    const auto at =
        loss_at == std::string_view::npos ? loss_at : line.substr(0, loss_at).rfind("iter ");
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at);
    const auto number = figure_at(said.substr(5));
    const auto time = figure_after(said, kSaid[kTime]);
    if (!count_of(number) || at + 5 + number->size != loss_at || !time) return;
    if (!text_after(said, kSaid[kTime])->substr(time->size).starts_with("ms")) return;
    StepRecord record;
    record.step = *count_of(number);
    record.figure = *time;
    keep_loss(record, text_after(said, "loss "));
    const auto mfu = figure_after(said, ", mfu ");
    if (mfu && mfu->value > 0) keep(record, "MFU %", mfu);  // -100% is none yet
    if (evaluated_ == record.step) record.flags |= kAfterEvaluation;
    if (saved_ == record.step) record.flags |= kAfterSave;
    record.at = time_of(line.substr(0, at));
    log.launch().first_step = 0;
    log.add(number_, record, line.substr(0, at));
  }

  const std::size_t number_;
  NamedValues overrides_;    ///< of the launch to come
  Count evaluated_, saved_;  ///< the iteration that has it in its time
};

}  // namespace

constinit const TrainerFormat kNanoGpt{"nanogpt", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
