// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/huggingface_header.h"
#include "harness/scrape/trainers/huggingface_options.h"
#include "harness/scrape/trainers/huggingface_texts.h"
#include "harness/scrape/trainers/loss_epochs.h"
#include "harness/scrape/trainers/python_dict.h"
#include "harness/scrape/trainers/run_totals.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

using namespace huggingface;

namespace {

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSave,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .path = "checkpoint to "},
};

/// What notebooks show of a total.
constexpr std::string_view kOutput = "TrainOutput(";

/// "0:15:19.02" or "1 day, 2:03:04.25", as Python prints a difference of times.
std::optional<double> seconds_in(std::string_view said) {
  constexpr double kSecondsOfDay = 86400;
  const auto comma = said.find(", ");
  if (comma == std::string_view::npos) return duration_at(said);
  const auto days = figure_at(said);
  const auto unit = days ? trim(said.substr(days->size, comma - days->size)) : "";
  const auto rest = duration_at(said.substr(comma + 2));
  if (!rest || (unit != "day" && unit != "days")) return std::nullopt;
  return days->value * kSecondsOfDay + *rest;
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }
  bool wants_next_line() const override { return torn_.is_open(); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (torn_.is_open()) read_rest(line, log);
    if (has_bar(line)) see_bars(line.text, log);
    if (line.has(kBegin)) begin(line.text, kBegin, log);
    if (line.has(kBanner)) begin(line.text, kBanner, log);
    read_header(line, log.launch(), totals_);
    read_banner(line, log.launch(), totals_);
    see_checkpoints(line, kSaid, kCheckpoints, log);
    see_evaluations(line, log);
    if (line.has(kSave)) totals_.see_pause(kAfterSave);
    if (line.has(kLosses)) see_losses(line.text, log);
    if (line.has(kTotal)) read_total(line, log);
    if (line.has(kMetric)) read_metric(line.text, log);
    if (line.has(kMetricRate)) read_metric_rate(line.text);
    if (line.has(kMemory)) read_memory(line.text, kSaid[kMemory], log.launch());
    totals_.add_known(number_, log);
  }

  void flush(TrainerLog& log) override {
    if (torn_.is_open()) take_total(torn_.end(), log);
    totals_.add_all(number_, log);
    if (has_total_) return;
    const char* why_not = totals_.add_unfinished(number_, log);
    if (why_not && log.launch().row_count() == 0) refuse_losses(why_not, log);
  }

 private:
  static bool has_bar(const TrainerLine& line) {
    return line.has(kFastBar) || line.has(kSlowBar) || line.has(kFastBarAndMore) ||
           line.has(kSlowBarAndMore);
  }

  void see_bars(std::string_view line, TrainerLog& log) {
    const RunTotals::Bars bars = totals_.see_bars(line);
    if (bars.show_step) log.launch().see_shown_step();
    if (bars.may_be_of_steps)
      log.gives_nothing_yet("what its bar tells of a run is known where that ends");
  }

  void see_evaluations(const TrainerLine& line, TrainerLog& log) {
    const bool begins = line.has(kEvaluation);
    const bool ends = line.has(kEvaluated) && says_evaluated(line.text);
    if (begins) totals_.see_pause(kAfterEvaluation);
    if (ends) totals_.see_evaluated();
    if (begins || ends) log.gives_nothing_yet("it is of an evaluation");
  }

  void begin(std::string_view line, Text text, TrainerLog& log) {
    auto before = line.substr(0, line.find(kSaid[text]));
    if (text == kBanner) before = before.substr(0, before.find(kBannerArt));
    if (!is_prefix(before)) return;
    totals_.add_all(number_, log);
    end_unfinished(before, log);
    log.begin_launch(number_, before);
    TrainerLaunch& launch = log.launch();
    const auto at = time_of(before);
    if (at && !launch.started_at) launch.started_at = static_cast<std::int64_t>(*at);
    totals_ = RunTotals();
    has_total_ = false;
    forget_losses();
    epochs_.clear();
  }

  /// A run that was killed and begins anew, by the same speaker. A header at the first step is not
  /// that: it is said again for a smaller batch.
  void end_unfinished(std::string_view before, TrainerLog& log) {
    if (has_total_) begun_by_.clear();
    const bool is_again = !begun_by_.insert(speaker_of(before).name).second;
    if (!is_again || totals_.steps_made() == 1) return;
    const char* why_not = totals_.add_unfinished(number_, log, before);
    if (why_not) return refuse_losses(why_not, log);
    begun_by_ = {speaker_of(before).name};
  }

  void refuse_losses(const char* why, TrainerLog& log) {
    if (!losses_.empty() && !has_total_) log.could_not_use(losses_, why, loss_lines_);
    forget_losses();
  }

  void forget_losses() {
    losses_.clear();
    loss_lines_ = 0;
  }

  void see_losses(std::string_view line, TrainerLog& log) {
    const auto at = line.rfind(kSaid[kLosses]);
    const auto before = before_dict(line, at);
    if (!is_prefix(before)) return;
    const auto losses = line.substr(at, line.substr(at).find('}'));
    for (const auto& [name, value] : entries_in(line.substr(at + 1))) {
      const auto epoch = name == "epoch" ? figure_at(value) : std::nullopt;
      if (!epoch) continue;
      const auto seen = epochs_.see(epoch->value, losses, speaker_of(before).name);
      if (seen != LossEpochs::Seen::kGoesOn)
        begin_anew(before, seen == LossEpochs::Seen::kAnewBehind, log);
    }
    if (are_own_losses(line.substr(at))) totals_.see_losses();
    if (losses_.empty()) losses_ = line;
    ++loss_lines_;
    log.gives_nothing_yet("it says no time of a step");
  }

  /// Another training that has no header, by its losses.
  void begin_anew(std::string_view before, bool goes_on, TrainerLog& log) {
    totals_.add_all(number_, log);
    if (!has_total_) {
      const char* why_not =
          totals_.add_unfinished(number_, log, before, RunTotals::Which::kBeforeNext);
      if (why_not) refuse_losses(why_not, log);
    }
    log.begin_launch(number_, before);
    totals_.forget_last_run();
    totals_.forget_pauses();
    if (goes_on) totals_.go_on_from_somewhere();
    has_total_ = false;
    forget_losses();
  }

  /// One whose end stands below is read with that.
  void read_total(const TrainerLine& line, TrainerLog& log) {
    const auto at = line.text.find(kSaid[kTotal]);
    const bool is_torn = line.text.find('}', at) == std::string_view::npos;
    const auto brace = line.text.substr(0, at).rfind('{');
    if (!is_torn) return take_total(line.text, log);
    const auto begin = brace == std::string_view::npos ? at : brace;
    const auto before = before_dict(line.text, begin);
    if (line.is_whole && is_prefix(before.substr(0, before.find(kOutput)))) {
      torn_.begin(line.text, begin);
      log.gives_nothing_yet("its dictionary goes on below");
    }
  }

  void read_rest(const TrainerLine& line, TrainerLog& log) {
    const std::string whole = line.is_whole ? torn_.add(line.text) : torn_.end();
    if (!whole.empty()) take_total(whole, log);
  }

  void take_total(std::string_view line, TrainerLog& log) {
    auto at = line.find(kSaid[kTotal]);
    const auto open = line.substr(0, at).rfind('{');
    const bool has_brace = open != std::string_view::npos && line.find('}', open) > at;
    if (!has_brace && has_total_) return;  // said before
    auto before = before_dict(line, has_brace ? open : at);
    line = line.substr(static_cast<std::size_t>(before.data() - line.data()));
    const auto output = before.find(kOutput);
    const Count steps =
        output != std::string_view::npos ? count_after(before, "global_step=") : std::nullopt;
    before = before.substr(0, output);
    if (!is_prefix(before)) return;
    RunTotal total{.steps = steps, .line = std::string(line), .before = before.size()};
    at = line.find(kSaid[kTotal]);
    const auto said = entries_in(line.substr(has_brace ? line.substr(0, at).rfind('{') + 1 : at));
    if (!take_figures(said, total)) return log.could_not_use(line, "it is torn");
    if (steps && has_total_ && totals_.was_said(total)) return totals_.say_steps(*steps);
    keep(total, log);
    for (const auto& [name, value] : said) log.launch().facts.say(name, value);
  }

  /// "  train_runtime            = 0:15:19.02": of the first process, which has said it already.
  void read_metric(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, "train_runtime");
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    auto said = left_trim(line.substr(at + std::string_view("train_runtime").size()));
    if (!said.starts_with('=')) return;
    said = trim(said.substr(1));
    const auto seconds = seconds_in(said);
    if (!seconds) return;
    const bool has_hundredths = said.find('.') != std::string_view::npos;
    const Figure figure{*seconds, has_hundredths ? 0.01 : 1, said.size()};
    const RunTotal total{.seconds = figure, .line = std::string(line), .before = at};
    if (has_total_ && !(begun_by_.empty() && totals_.is_of_other_run(total))) return;
    keep(total, log);
    log.launch().facts.say("train_runtime", said);
  }

  /// "  train_steps_per_second   =      2.134", below the time.
  void read_metric_rate(std::string_view line) {
    constexpr std::string_view kName = "train_steps_per_second";
    const auto at = find_key(line, kName);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    const auto said = left_trim(line.substr(at + kName.size()));
    if (!said.starts_with('=')) return;
    if (const auto rate = figure_at(trim(said.substr(1)))) totals_.say_rate(*rate);
  }

  void keep(const RunTotal& total, TrainerLog& log) {
    if (!(total.seconds.value > 0))
      return log.could_not_use(total.line, "its train_runtime is not above 0");
    const bool is_next =
        totals_.is_of_next_run(total) || (begun_by_.empty() && totals_.is_of_other_run(total));
    if (has_total_ && is_next) begin_next_run(total, log);
    log.launch().ending.reached_last_iteration(total.line);
    totals_.keep(total);
    has_total_ = true;
    log.gives_nothing_yet("of how many steps its time is, lines below may say");
  }

  /// One that has no header: those that train several models one after another are often silent.
  void begin_next_run(const RunTotal& total, TrainerLog& log) {
    totals_.add_all(number_, log);
    if (log.launch().row_count() > 0)
      log.begin_launch(number_, std::string_view(total.line).substr(0, total.before));
    totals_.forget_last_run();
  }

  const std::size_t number_;
  RunTotals totals_;
  std::set<std::string> begun_by_;  ///< speakers of headers of the run at hand
  bool has_total_ = false;
  std::string losses_;  ///< the first line of a step that says no time
  std::int64_t loss_lines_ = 0;
  LossEpochs epochs_;  ///< of the run at hand
  TornDict torn_;      ///< a total
};

/// Its total batch is that of all devices with data of their own.
void apply_laws(LaunchFacts& facts, const StepRows&) {
  Layout& layout = facts.layout;
  if (!layout.gbs || !layout.mbs || !layout.gas || *layout.mbs * *layout.gas <= 0) return;
  const double replicas =
      static_cast<double>(*layout.gbs) / static_cast<double>(*layout.mbs * *layout.gas);
  constexpr std::string_view kLaw = "gbs / (mbs · gas)";
  constexpr double kExact = 1e-9;
  facts.derive(layout.dp, "dp", replicas, kLaw, kExact);
  const bool is_split =
      std::any_of(std::begin(kParallel), std::end(kParallel), [&](std::size_t text) {
        return find_value(facts.arguments, std::string(kSaid[text])) != nullptr;
      });
  if (!is_split) facts.derive(layout.gpus, "gpus", replicas, kLaw, kExact);
}

}  // namespace

constinit const TrainerFormat kHuggingface{"huggingface", kSaid, kSigns, reader_of<Reader>,
                                           apply_laws};

}  // namespace pippin
