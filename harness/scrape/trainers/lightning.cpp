#include <array>
#include <optional>
#include <string>

#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/lightning_bar.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t { kVersion, kSigns, kProcesses = kSigns, kDone, kValidation, kTexts };

// Source: PyTorch Lightning 1.9-2.5, tqdm_progress.py, distributed.py and fit_loop.py.
constexpr std::array<std::string_view, kTexts> kSaid{
    "v_num=",
    "All distributed processes registered. Starting with ",
    "`Trainer.fit` stopped: `max_",
    "Validation DataLoader ",
};

/// Bars of any Lightning model. NeMo's say more, and are read as NeMo's.
class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kProcesses)) read_processes(line.text, log);
    if (line.has(kValidation)) validated_in_ = epoch_;
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
    if (const Count gpus = count_after(line, kSaid[kProcesses]))
      log.launch().facts.layout.gpus = gpus;
  }

  /// A bar is drawn several times for one batch, first with the figures of the batch before.
  void read_bar(std::string_view line, TrainerLog& log) {
    for (const std::string_view key :
         {"consumed_samples=", "train_step_timing in s=", "reduced_train_loss="})
      if (line.find(key) != std::string_view::npos) return;  // NeMo's
    const auto bar = lightning_bar_of(line);
    if (!bar && line.find("%|") != std::string_view::npos)
      return log.could_not_use(line, "its bar is cut, or counts epochs");
    if (!bar || bar->done == 0 || !bar->pace_ms || !is_prefix(bar->before)) return;
    see_epoch(*bar);
    // Before version 2, whose bars begin with the loss.
    if (validated_in_ == epoch_ && bar->fields.starts_with("loss="))
      return log.could_not_use(line, "its bar counts batches of the validation, too");
    if (bar->epoch > 0 && !bar->total)
      return log.could_not_use(line, "its bar does not say how many batches an epoch has");
    StepRecord record;
    record.step = before_epoch_ + bar->done;
    record.figure = *bar->pace_ms;
    record.span = Span::kWindow;
    for (const std::string_view name :
         {"train_loss_step", "train_loss", "train/loss_step", "train/loss", "loss"})
      if (!record.lm_loss) keep_loss(record, bar->text_of(name));
    record.at = time_of(bar->before);
    log.launch().facts.say("a step", "a batch of Lightning's bar");
    held_.hold(record, bar->before, adder(log));
  }

  /// Epochs have as many batches each, or `max_steps` is what all have: then each shows what is
  /// left.
  void see_epoch(const LightningBar& bar) {
    if (bar.epoch == epoch_ + 1 && total_ && bar.total != total_) {
      before_epoch_ += done_;
    } else if (bar.epoch != epoch_ || !total_) {
      before_epoch_ = bar.epoch * bar.total.value_or(0);
    }
    epoch_ = bar.epoch;
    total_ = bar.total;
    done_ = bar.done;
  }

  HeldSteps::Take adder(TrainerLog& log) const {
    return [this, &log](const auto& record, auto before) { log.add(number_, record, before); };
  }

  const std::size_t number_;
  HeldSteps held_;
  std::int64_t epoch_ = 0, done_ = 0;  ///< of the last bar
  Count total_;
  std::int64_t before_epoch_ = 0;  ///< batches of earlier epochs
  Count validated_in_;             ///< the epoch in which that was
};

}  // namespace

constinit const Trainer kLightning{"lightning", kSaid, kSigns, reader_of<Reader>, nullptr, true};

}  // namespace pippin
