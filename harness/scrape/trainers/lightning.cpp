#include <array>
#include <optional>
#include <string>

#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/lightning_bar.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t { kVersion, kSigns, kProcesses = kSigns, kDone, kTexts };

// Source: PyTorch Lightning 1.9-2.5, tqdm_progress.py, distributed.py and fit_loop.py.
constexpr std::array<std::string_view, kTexts> kSaid{
    "v_num=",
    "All distributed processes registered. Starting with ",
    "`Trainer.fit` stopped: `max_",
};

/// Bars of any Lightning model. NeMo's say more, and are read as NeMo's.
class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (!line.terminated) return;
    if (line.has(kProcesses)) read_processes(line.text, log);
    if (line.has(kVersion)) read_bar(line.text, log);
    if (line.has(kDone)) {
      flush(log);
      log.launch().ending.reached_last_iteration(line.text);
    }
  }

  void flush(TrainerLog& log) override {
    if (held_) log.add(number_, *held_, held_before_);
    held_.reset();
  }

 private:
  void read_processes(std::string_view line, TrainerLog& log) {
    const auto at = line.find(kSaid[kProcesses]);
    if (!is_prefix(line.substr(0, at))) return;
    flush(log);
    log.begin_launch(number_, line.substr(0, at));
    if (const Count gpus = count_after(line, kSaid[kProcesses]))
      log.launch().facts.layout.gpus = gpus;
  }

  /// A bar is drawn several times for one batch, first with the figures of the batch before.
  void read_bar(std::string_view line, TrainerLog& log) {
    const auto bar = lightning_bar_of(line);
    if (!bar || bar->done == 0 || !bar->pace_ms) return;
    if (bar->text_of("consumed_samples") || bar->text_of("train_step_timing in s")) return;
    if (bar->epoch > 0 && !bar->total)
      return log.could_not_use(line, "its bar does not say how many batches an epoch has");
    StepRecord record;
    record.step = bar->epoch * bar->total.value_or(0) + bar->done;
    record.figure = *bar->pace_ms;
    record.span = Span::kWindow;
    for (const std::string_view name : {"train_loss_step", "train_loss", "loss"})
      if (!record.lm_loss) keep_loss(record, bar->text_of(name));
    record.at = time_of(bar->before);
    log.launch().facts.say("a step", "a batch of Lightning's bar");
    if (held_ && held_->step != record.step) flush(log);
    held_ = record;
    held_before_ = bar->before;
  }

  const std::size_t number_;
  std::optional<StepRecord> held_;  ///< until the bar shows the next batch
  std::string held_before_;
};

}  // namespace

constinit const Trainer kLightning{"lightning", kSaid, kSigns, reader_of<Reader>, nullptr, true};

}  // namespace pippin
