// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/lightning_bar.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kVersion,
  kSigns,
  kProcesses = kSigns,
  kDone,
  kValidation,
  kValidating,
  kTexts
};

// Source: PyTorch Lightning 1.0-2.5, tqdm_progress.py, distributed.py and fit_loop.py.
constexpr std::array<std::string_view, kTexts> kSaid{
    "v_num=",
    "All distributed processes registered. Starting with ",
    "`Trainer.fit` stopped: `max_",
    "Validation DataLoader ",
    "Validating: ",  // all of them, until 1.5
};

/// How far one speaker is in a launch.
struct Progress {
  std::int64_t epoch = 0, done = 0;  ///< of the last bar that shows a step
  Count total;
  std::int64_t before_epoch = 0;  ///< steps of earlier epochs
  bool are_alike = true;          ///< all epochs have as many steps as a bar's total
  Count validated_in;             ///< the epoch in which that was
  std::map<std::int64_t, std::int64_t> validation;  ///< its batches, by data loader
  bool is_lost = false;  ///< it trained on behind that: how far cannot be told

  void validate(std::int64_t loader, std::int64_t batches) {
    if (validated_in != epoch) validation.clear();
    validated_in = epoch;
    validation[loader] = batches;
  }

  std::int64_t validation_batches() const {
    std::int64_t sum = 0;
    for (const auto& of_loader : validation) sum += of_loader.second;
    return sum;
  }

  /// Epochs that are not alike go on from the last step: where `max_steps` bounds them, each total
  /// is what is left.
  void enter_epoch_of(const LightningBar& bar) {
    const bool begins_again = bar.done == 1 && done > 1;
    if (bar.epoch == epoch && begins_again) {
      validated_in.reset();
      is_lost = false;
    }
    if (bar.epoch == epoch) return;
    if (bar.epoch < epoch) {
      are_alike = true;
      is_lost = false;
    } else if (total && bar.total != total) {
      are_alike = false;
    }
    before_epoch = are_alike ? bar.epoch * bar.total.value_or(0) : before_epoch + done;
    epoch = bar.epoch;
    done = 0;
  }

  /// Bars before version 2, which begin with the loss, count the batches of a validation, too.
  bool counts_validation(const LightningBar& bar) {
    if (validated_in == bar.epoch && bar.fields.starts_with("loss=")) {
      are_alike = false;
      is_lost = is_lost || bar.done > done + validation_batches();
      return true;
    }
    return is_lost;
  }

  std::int64_t step_of(const LightningBar& bar) {
    total = bar.total;
    done = bar.done;
    return before_epoch + done;
  }
};

/// Bars of any Lightning model. NeMo's say more, and are read as NeMo's.
class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kProcesses)) read_processes(line.text, log);
    if (line.has(kValidation)) read_validation(line.text, kValidation);
    if (line.has(kValidating)) read_validation(line.text, kValidating);
    if (line.has(kVersion)) read_bar(line.text, log);
    if (line.has(kDone)) {
      held_.end(line.text.substr(0, line.text.find(kSaid[kDone])), adder(log));
      log.launch().ending.reached_last_iteration(line.text);
    }
  }

  void flush(TrainerLog& log) override { held_.flush(adder(log)); }

 private:
  void read_processes(std::string_view line, TrainerLog& log) {
    const auto at = line.find(kSaid[kProcesses]);
    if (!is_prefix(line.substr(0, at))) return;
    held_.end(line.substr(0, at), adder(log));
    log.begin_launch(number_, line.substr(0, at));
    const Speaker speaker = speaker_of(line.substr(0, at));
    if (speaker.is_rank) {
      progress_.erase(speaker.name);
    } else {
      progress_.clear();
    }
    if (const Count gpus = count_after(line, kSaid[kProcesses]))
      log.launch().facts.layout.gpus = gpus;
  }

  /// "Validation DataLoader 0: 100%|###| 2/2 [00:01<00:00, 2.0it/s]".
  void read_validation(std::string_view line, Text text) {
    const auto at = line.find(kSaid[text]);
    const auto slash = std::min(line.find('/', at), line.size() - 1);
    const std::int64_t batches = count_of(figure_at(line.substr(slash + 1))).value_or(0);
    const std::int64_t loader = count_after(line.substr(at), kSaid[kValidation]).value_or(0);
    const auto before = line.substr(0, at);
    const Speaker speaker = is_prefix(before) ? speaker_of(before) : Speaker();
    progress_[speaker.name].validate(loader, batches);
    if (speaker.is_rank) return;
    for (auto& of_speaker : progress_) of_speaker.second.validate(loader, batches);
  }

  /// A bar is drawn several times for one batch, first with the figures of the batch before.
  void read_bar(std::string_view line, TrainerLog& log) {
    for (const std::string_view key :
         {"consumed_samples=", "train_step_timing in s=", "reduced_train_loss="})
      if (line.find(key) != std::string_view::npos) return;  // NeMo's
    const auto bar = lightning_bar_of(line);
    if (!bar && line.find("%|") != std::string_view::npos)
      return log.could_not_use(line, "its bar is cut, or counts epochs");
    if (!bar || !is_prefix(bar->before)) return;
    Progress& progress = progress_[speaker_of(bar->before).name];
    // The next that is drawn may be one of its validation.
    if (bar->done == 0 && bar->epoch > progress.epoch) progress.enter_epoch_of(*bar);
    if (bar->done == 0 || !bar->pace_ms) return;
    progress.enter_epoch_of(*bar);
    if (progress.counts_validation(*bar))
      return log.could_not_use(line, "its bar counts batches of the validation, too");
    if (bar->epoch > 0 && !bar->total)
      return log.could_not_use(line, "its bar does not say how many batches an epoch has");
    StepRecord record;
    record.step = progress.step_of(*bar);
    record.figure = *bar->pace_ms;
    record.span = Span::kWindow;
    for (const std::string_view name :
         {"train_loss_step", "train_loss", "train/loss_step", "train/loss", "loss"})
      if (!record.lm_loss) keep_loss(record, bar->text_of(name));
    record.at = time_of(bar->before);
    log.launch().facts.say("a step", "a batch of Lightning's bar");
    held_.hold(record, bar->before, adder(log));
  }

  HeldSteps::Take adder(TrainerLog& log) const {
    return [this, &log](const auto& record, auto before) { log.add(number_, record, before); };
  }

  const std::size_t number_;
  HeldSteps held_;
  std::map<std::string, Progress> progress_;  ///< by speaker
};

}  // namespace

constinit const TrainerFormat kLightning{"lightning",       kSaid,   kSigns,
                                         reader_of<Reader>, nullptr, true};

}  // namespace pippin
