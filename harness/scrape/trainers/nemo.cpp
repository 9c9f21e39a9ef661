// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/lightning_bar.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTiming,
  kTimingOfBar,
  kConsumedOfBar,
  kLossOfBar,
  kLoss,
  kSigns,
  kProcesses = kSigns,
  kTensorGroup,
  kPipelineGroup,
  kContextGroup,
  kDataGroup,
  kOldDataGroup,
  kTensorGroups,
  kPipelineGroups,
  kDone,
  kSaveTook,
  kLoadTook,
  kScheduled,
  kSaved,
  kTexts,
};

// Source: NVIDIA/NeMo, progress_printer.py, megatron_init.py, megatron_strategy.py,
// megatron_gpt_model.py and exp_manager.py (TimingCallback: from a batch's start to its end,
// without evaluation and saving), 2023-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    " | train_step_timing in s: ",
    "train_step_timing in s=",
    "consumed_samples=",
    "reduced_train_loss=",
    " | reduced_train_loss: ",
    "All distributed processes registered. Starting with ",
    "Rank 0 has tensor model parallel group: ",
    "Rank 0 has pipeline model parallel group: ",
    "Rank 0 has context parallel group: ",
    "Rank 0 has data parallel group : ",
    "Rank 0 has data parallel group: ",
    "All tensor model parallel group ranks: ",
    "All pipeline model parallel group ranks: ",
    "`Trainer.fit` stopped: `max_",
    "Global Checkpoint Save : ",
    "Global Checkpoint Load : ",
    "Scheduled async checkpoint save for ",
    "Successfully saved checkpoint from iteration ",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaveTook,
     .what = CheckpointWord::What::kTook,
     .kind = CheckpointKind::kSave,
     .step = "Iteration: ",
     .seconds = "Save duration: ",
     .at = "Start time: "},
    {.text = kLoadTook,
     .what = CheckpointWord::What::kTook,
     .kind = CheckpointKind::kLoad,
     .seconds = "load_checkpoint: ",
     .at = "Start time : "},
    {.text = kScheduled,
     .what = CheckpointWord::What::kGoesOnBeside,
     .kind = CheckpointKind::kSave,
     .path = "save for "},
    {.text = kSaved,
     .what = CheckpointWord::What::kEnds,
     .kind = CheckpointKind::kSave,
     .step = "iteration ",
     .path = " to "},
};

/// How many ranks a list such as "[0, 1]" has; nothing where it is none or is cut.
Count ranks_in(std::string_view list) {
  const auto end = list.find(']');
  if (!list.starts_with('[') || end == std::string_view::npos || end < 2) return std::nullopt;
  const auto inside = list.substr(1, end - 1);
  if (inside.find_first_not_of("0123456789, ") != std::string_view::npos) return std::nullopt;
  return 1 + std::count(inside.begin(), inside.end(), ',');
}

constexpr std::string_view kTraining = "Training epoch ", kIteration = ", iteration ";
constexpr const char* kWrapped = "a console has wrapped it";

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    if (line.has(kProcesses)) read_processes(line.text, log);
    Layout& layout = log.launch().facts.layout;
    for (const auto& [text, size] :
         {std::pair(kTensorGroup, &layout.tp), std::pair(kPipelineGroup, &layout.pp),
          std::pair(kContextGroup, &layout.cp), std::pair(kDataGroup, &layout.dp),
          std::pair(kOldDataGroup, &layout.dp)}) {
      if (line.has(text)) keep_size(line.text, text, *size);
    }
    if (line.has(kTensorGroups)) read_groups(line.text, kTensorGroups, layout.tp, layout.gpus);
    if (line.has(kPipelineGroups)) read_groups(line.text, kPipelineGroups, layout.pp, layout.gpus);
    if (line.has(kTiming)) {
      read_line(line.text, log);
    } else if (line.has(kLoss) && line.is_whole) {
      refuse_timeless(line.text, log);
    }
    if (line.has(kTimingOfBar) || line.has(kConsumedOfBar) || line.has(kLossOfBar))
      read_bar(line.text, log);
    if (line.has(kDone)) {
      held_.end(line.text.substr(0, line.text.find(kSaid[kDone])), adder(log));
      log.launch().ending.reached_last_iteration(line.text);
    }
  }

  void flush(TrainerLog& log) override {
    held_.flush(adder(log));
    plan(log.launch());
  }

 private:
  void plan(TrainerLaunch& launch) {
    if (!launch.planned) launch.planned = planned_;
    planned_.reset();
  }

  /// "All distributed processes registered. Starting with 16 processes".
  void read_processes(std::string_view line, TrainerLog& log) {
    const auto at = line.find(kSaid[kProcesses]);
    if (!is_prefix(line.substr(0, at))) return;
    held_.end(line.substr(0, at), adder(log));
    plan(log.launch());
    log.begin_launch(number_, line.substr(0, at));
    has_global_step_.reset();
    if (const Count gpus = count_after(line, kSaid[kProcesses]))
      log.launch().facts.layout.gpus = gpus;
  }

  static void keep_size(std::string_view line, Text text, Count& size) {
    const auto list = text_after(line, kSaid[text]);
    if (const Count ranks = list ? ranks_in(*list) : std::nullopt) size = ranks;
  }

  /// "[[0, 1], [2, 3]]": each group is as large as the first, and all ranks are in one.
  static void read_groups(std::string_view line, Text text, Count& size, Count& gpus) {
    const auto list = text_after(line, kSaid[text]);
    const auto end = list ? list->find("]]") : std::string_view::npos;
    if (end == std::string_view::npos || !list->starts_with('[')) return;
    const Count ranks = ranks_in(list->substr(1));
    if (!ranks) return;
    size = ranks;
    if (!gpus)
      gpus = *ranks *
             std::count(list->begin() + 1, list->begin() + static_cast<std::ptrdiff_t>(end), '[');
  }

  /// "Training epoch 0, iteration 46/99 | lr: 7.046e-06 | … | train_step_timing in s: 6.061 | …".
  void read_line(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kTraining);
    if (at == std::string_view::npos) {
      if (line.find("| reduced_train_loss: ") != std::string_view::npos)
        log.could_not_use(line, kWrapped);
      return;
    }
    const auto said = line.substr(at);
    const Count epoch = count_after(said, kTraining), iteration = count_after(said, kIteration),
                global_step = count_after(said, "| global_step: ");
    const auto seconds = figure_after(said, kSaid[kTiming]);
    if (!epoch || !iteration || !seconds) return;
    if (!(seconds->value > 0))
      return log.could_not_use(line, "its train_step_timing is not above 0");
    if (!tells_step(*epoch, global_step))
      return log.could_not_use(line, "its epoch is not the first, and it has no global_step");
    StepRecord record;
    record.step = *epoch > 0 ? global_step.value_or(*iteration) : *iteration;
    record.figure = scaled(*seconds, kMsPerSecond);
    record.span = Span::kMean;
    read_fields(said, record, log.launch());
    record.at = time_of(line.substr(0, at));
    log.launch().first_step = 0;
    const auto slash = said.find('/');
    if (*epoch == 0 && slash != std::string_view::npos)
      log.launch().planned = count_of(figure_at(said.substr(slash + 1)));
    log.add(number_, record, line.substr(0, at));
  }

  /// One that ends within a field is cut there: its time may stand below.
  static void refuse_timeless(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kTraining);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    if (line.find(kIteration, at) == std::string_view::npos) return;
    const auto last_field = line.substr(std::min(line.rfind(" |"), line.size()));
    const bool is_cut = last_field.find(": ") == std::string_view::npos;
    log.could_not_use(line, is_cut ? kWrapped : "it carries no time (train_step_timing in s)");
  }

  /// Iterations begin at 0 in each epoch, so that all but the first need a `global_step`. Some
  /// versions print none; where others of the launch have one, or none came before, the line may be
  /// cut.
  bool tells_step(std::int64_t epoch, const Count& global_step) {
    const bool had_none = has_global_step_ == false;
    has_global_step_ = global_step || has_global_step_.value_or(false);
    return epoch == 0 || global_step || had_none;
  }

  static void read_fields(std::string_view said, StepRecord& record, TrainerLaunch& launch) {
    record.gbs = count_after(said, "| global_batch_size: ");
    if (record.gbs) launch.facts.layout.gbs = record.gbs;
    record.consumed_samples = count_after(said, "| consumed_samples: ");
    record.learning_rate = value_of_figure(figure_after(said, "| lr: "));
    record.grad_norm = value_of_figure(figure_after(said, "| grad_norm: "));
    keep_loss(record, text_after(said, "| reduced_train_loss: "));
    keep(record, "TFLOP/s/GPU", figure_after(said, "| TFLOPS_per_GPU: "));
    keep(record, "tokens/s/GPU", figure_after(said, "| tokens_per_sec_per_gpu: "));
    keep(record, "val_loss", figure_after(said, "| val_loss: "));
    keep_memory(
        [&](std::string_view name) { return figure_after(said, "| " + std::string(name) + ": "); },
        launch);
  }

  /// In bytes. Until 2025 the most that was reserved is called a peak, and of what is allocated the
  /// amount at the step's end is said.
  template <typename Field>
  static void keep_memory(const Field& field, TrainerLaunch& launch) {
    RankMemory said;
    const auto take = [&](std::string_view name, std::optional<double>& mib) {
      constexpr double kBytesPerMib = 1024.0 * 1024.0;
      const auto bytes = field(name);
      if (bytes && bytes->value >= kBytesPerMib) mib = bytes->value / kBytesPerMib;
      return mib.has_value();
    };
    bool is_said = take("peak_memory_usage", said.max_reserved_mib);
    is_said = take("max_memory_reserved", said.max_reserved_mib) || is_said;
    is_said = take("memory_allocated", said.allocated_mib) || is_said;
    is_said = take("max_memory_allocated", said.max_allocated_mib) || is_said;
    if (is_said) raise(memory_of(launch, 0), said);
  }

  /// NeMo 1's bar. For each step it is drawn several times, first with the figures of the step
  /// before: the last counts.
  void read_bar(std::string_view line, TrainerLog& log) {
    const auto bar = lightning_bar_of(line);
    if (!bar && line.find("%|") != std::string_view::npos)
      return log.could_not_use(line, "its bar is cut");
    if (!bar || bar->done == 0 || !is_prefix(bar->before)) return;
    const auto seconds = bar->field("train_step_timing in s");
    const bool has_time = seconds && seconds->value > 0;
    if (!has_time && !bar->pace_ms) return;
    const Count step = step_of(*bar, has_time, line, log);
    if (!step) return;
    StepRecord record;
    record.step = *step;
    if (has_time) {
      record.figure = scaled(*seconds, kMsPerSecond);
      if (bar->pace_ms) record.other.emplace_back("moving mean (ms)", bar->pace_ms->value);
    } else {
      record.figure = *bar->pace_ms;
      record.span = Span::kWindow;
    }
    keep_loss(record, bar->text_of("reduced_train_loss"));
    if (const auto samples = bar->field("consumed_samples"); samples && samples->quantum <= 1)
      record.consumed_samples = count_of(samples);
    keep(record, "val_loss", bar->field("val_loss"));
    if (bar->fields.find("memory_") != std::string_view::npos)
      keep_memory([&](std::string_view name) { return bar->field(name); }, log.launch());
    record.at = time_of(bar->before);
    // Where there is more than one epoch, its bar tells no end of the run.
    if (bar->epoch == 0) planned_ = bar->total;
    if (bar->epoch > 0) planned_.reset();
    held_.hold(record, bar->before, adder(log));
  }

  HeldSteps::Take adder(TrainerLog& log) const {
    return [this, &log](const auto& record, auto before) { log.add(number_, record, before); };
  }

  /// Whose figures a bar shows. `global_step` counts from 0, the bar's batches from 1: the figures
  /// of the step before are one further apart.
  Count step_of(const LightningBar& bar, bool has_time, std::string_view line, TrainerLog& log) {
    const auto shown = bar.field("global_step");
    const bool is_exact = shown && shown->quantum <= 1;
    const std::int64_t own = is_exact ? count_of(shown).value_or(-1) : -1;
    if (!bar.total && bar.epoch > 0) {
      if (own >= 0 && has_time) return own + 1;
      log.could_not_use(line, "its bar does not say how many batches an epoch has");
      return std::nullopt;
    }
    const std::int64_t batch = bar.epoch * bar.total.value_or(0) + bar.done;
    if (!shown) return batch;
    const double apart = static_cast<double>(batch) - shown->value;
    if (apart < -shown->quantum || apart > shown->quantum + 2) {
      if (!has_time) held_.drop(bar.before);  // of a micro-batch, too
      log.could_not_use(line, "its bar counts micro-batches, not steps");
      return std::nullopt;
    }
    if (!has_time && apart > shown->quantum + 1) return std::nullopt;
    return own >= 0 && apart > shown->quantum ? own + 1 : batch;
  }

  const std::size_t number_;
  HeldSteps held_;                       ///< of bars
  Count planned_;                        ///< steps, by a bar
  std::optional<bool> has_global_step_;  ///< whether any line of the launch had; nothing: none came
};

/// The tokens of a GPU in a step, which its rate says.
void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  if (facts.tokens_per_gpu_step) return;
  const auto tokens = median_of(rows, [](const StepRecord& record) -> std::optional<double> {
    const auto rate = value_named(record, "tokens/s/GPU");
    return rate ? std::optional(*rate * record.figure.value / kMsPerSecond) : std::nullopt;
  });
  if (!tokens) return;
  facts.tokens_per_gpu_step = near_power_of_two(*tokens);
  facts.derived.emplace_back("tokens per GPU and step",
                             value_of(std::string("tokens_per_sec_per_gpu · train_step_timing")));
  if (facts.layout.gpus && facts.layout.gbs)
    facts.derive(facts.model.seq, "seq",
                 near_power_of_two(*tokens * static_cast<double>(*facts.layout.gpus) /
                                   static_cast<double>(*facts.layout.gbs)),
                 "tokens per GPU and step · gpus / gbs", 0);
}

}  // namespace

constinit const TrainerFormat kNemo{"nemo", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
