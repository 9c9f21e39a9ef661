// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kOverflow,
  kSigns,
  kSink = kSigns,
  kData,
  kModel,
  kStages,
  kSkip,
  kTexts
};

// Source: MindFormers, mindformers/core/callback/callback.py, 2023-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    ", per_step_time: ",
    "overflow cond: ",  // the old time is in lines that end so
    "Per sink_size step time: ", "data_parallel", "model_parallel", "pipeline_stage", "is_skip: [",
};

/// "step:[    2/   19]".
struct Progress {
  std::int64_t done = 0, total = 0;
};
std::optional<Progress> progress_after(std::string_view line, std::string_view key) {
  const auto text = text_after(line, key);
  const auto done = text ? figure_at(*text) : std::nullopt;
  const auto slash = done ? text_after(text->substr(done->size), "/") : std::nullopt;
  const auto total = slash ? figure_at(*slash) : std::nullopt;
  const Count a = count_of(done), b = count_of(total);
  return a && b ? std::optional(Progress{*a, *b}) : std::nullopt;
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    read_layout(line, log.launch().facts.layout);
    if (line.has(kTime)) {
      read_step(line.text, log);
    } else if (line.has(kOverflow)) {
      read_old_step(line.text, log);
    }
    if (line.has(kSink)) read_sink(line.text, log);
    if (line.has(kSkip)) see_skip(line.text, log);
  }

  void flush(TrainerLog& log) override {
    for (auto& [name, told] : told_) take_old_step(told, log);
  }

 private:
  /// A step that is told with the time of its sink, of which the next line says how many steps it
  /// has.
  struct OldStep {
    StepRecord record;
    std::string before, line;
  };

  /// What one speaker has told.
  struct Told {
    std::int64_t last_step = 0;  ///< that was added
    std::optional<OldStep> old;  ///< the last one, until it is known of how many steps its time is
  };

  Told& told_by(std::string_view before) {
    before = trim(own_words(before));
    for (const std::string_view function : {"print_output_info:", "epoch_end:"}) {
      if (before.ends_with(function)) before.remove_suffix(function.size());
    }
    return told_[speaker_of(before).name];
  }

  void add(const StepRecord& record, std::string_view before, Told& told, TrainerLog& log) const {
    log.add(number_, record, before);
    told.last_step = record.step;
  }

  /// "  data_parallel: 8" or "'data_parallel': 8" of the configuration.
  static void read_layout(const TrainerLine& line, Layout& layout) {
    const auto read = [&](Text text, Count& count) {
      if (!line.has(text)) return;
      const std::string name(kSaid[text]);
      Count size = count_after(line.text, name + ": ");
      if (!size) size = count_after(line.text, name + "': ");
      if (size && *size > 0) count = size;
    };
    read(kData, layout.dp);
    read(kModel, layout.tp);
    read(kStages, layout.pp);
  }

  /// "{ Epoch:[  1/  2], step:[    2/   19], loss: 10.633, per_step_time: 1752ms, lr: 1e-05, …",
  /// and without epochs "{ step:[    2/   10], loss:  11.755612, per_step_time:    710ms, …".
  void read_step(std::string_view line, TrainerLog& log) {
    const auto brace = line.substr(0, line.find(kSaid[kTime])).rfind('{');
    if (brace == std::string_view::npos) return;
    const auto said = line.substr(brace), before = own_words(line.substr(0, brace));
    const auto step = progress_after(said, "step:[");
    const auto time = text_after(said, "per_step_time:");
    const auto ms = time ? figure_at(*time) : std::nullopt;
    if (!step || !ms || !is_prefix(before) || !time->substr(ms->size).starts_with("ms")) return;
    if (!(ms->value > 0)) return log.could_not_use(line, "its time is not above 0");
    StepRecord record;
    record.figure = *ms;
    number_step(said, *step, record, log);
    record.at = time_of(before);
    add(record, before, told_by(before), log);
  }

  /// The documentation cuts off the time in front of " - INFO - ".
  static std::string_view own_words(std::string_view before) {
    constexpr std::string_view kDash = "- ";
    return before.starts_with(kDash) ? before.substr(kDash.size()) : before;
  }

  static void number_step(std::string_view said, const Progress& step, StepRecord& record,
                          TrainerLog& log) {
    record.step = step.done;
    std::int64_t last = step.total;
    if (const auto epoch = progress_after(said, "Epoch:[")) {  // its steps begin anew in each
      record.step += (epoch->done - 1) * step.total;
      last *= epoch->total;
    }
    log.launch().planned = last;
    read_values(said, record);
  }

  /// "print_output_info: Epoch:[  1/  1], step:[  120/  125], loss:[2.092/2.092],
  /// time:1953.753 ms, lr:[2.55e-06], overflow cond: False, loss_scale: 16384.0", of 2023. With a
  /// sink "loss: 0.744," is without its mean.
  void read_old_step(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, "Epoch:[");
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at), before = own_words(line.substr(0, at));
    const auto step = progress_after(said, "step:[");
    constexpr std::string_view kOldTime = ", time:";
    const auto ms = figure_after(said, kOldTime);
    if (!step || !ms || !is_prefix(before) || !(ms->value > 0)) return;
    if (!text_after(said, kOldTime)->substr(ms->size).starts_with(" ms")) return;
    OldStep old{{}, std::string(before), std::string(line)};
    old.record.figure = *ms;
    number_step(said, *step, old.record, log);
    old.record.at = time_of(before);
    Told& told = told_by(before);
    take_old_step(told, log, old.record.step);
    told.old = std::move(old);
    log.gives_nothing_yet("of how many steps its time is, lines below may say");
  }

  /// "Per sink_size step time: 1963.915 ms, per step time: 490.979 ms, avg loss: 2.220".
  void read_sink(std::string_view line, TrainerLog& log) {
    const auto sink = figure_after(line, kSaid[kSink]), step = figure_after(line, "per step time:");
    Told& told = told_by(line.substr(0, line.find(kSaid[kSink])));
    if (!told.old || !sink || !step || !(step->value > 0)) return;
    constexpr double kRounding = 0.01;
    const Count whole = nearest_whole_number(sink->value / step->value);
    const auto steps = static_cast<double>(whole.value_or(0));
    if (steps < 1 || std::abs(sink->value / step->value - steps) > kRounding * steps) return;
    StepRecord& record = told.old->record;
    record.figure = scaled(record.figure, 1 / steps);
    if (steps > 1) {
      record.span = Span::kMean;
      record.interval = *whole;
    }
    add(record, told.old->before, told, log);
    told.old.reset();
  }

  /// Without a sink each line is of one step. A log that was searched for such lines alone does not
  /// say so: then only where they are of steps that follow each other.
  void take_old_step(Told& told, TrainerLog& log, std::optional<std::int64_t> next = {}) const {
    if (!told.old) return;
    const OldStep& old = *told.old;
    const std::int64_t step = old.record.step;
    if (next == step + 1 || told.last_step + 1 == step) {
      add(old.record, old.before, told, log);
    } else {
      log.could_not_use(old.line, "nothing says of how many steps its time is");
    }
    told.old.reset();
  }

  /// "opt_global_step: 0, skip_data_grad_norm_threshold: 3.0, is_skip: [ True]", of the step that
  /// the same speaker told last.
  void see_skip(std::string_view line, TrainerLog& log) {
    if (!text_after(line, kSaid[kSkip]).value_or("").starts_with("True")) return;
    const std::int64_t step = told_by(line.substr(0, line.find("opt_global_step:"))).last_step;
    auto& rows = log.launch().rows(number_).rows();
    const auto row = std::find_if(rows.rbegin(), rows.rend(), [&](const StepRows::Row& other) {
      return other.record.step == step;
    });
    if (row != rows.rend()) row->record.flags |= kSkippedStep;
  }

  static void read_values(std::string_view said, StepRecord& record) {
    auto loss = text_after(said, "loss:");
    if (loss && loss->starts_with('[')) loss->remove_prefix(1);  // "[10.633/10.641]", with the mean
    if (loss) {
      const auto value = figure_at(*loss);
      if (value) record.lm_loss = value->value;
      record.bad_loss = !value;
    }
    auto rate = text_after(said, "lr:");
    if (rate && rate->starts_with('[')) rate->remove_prefix(1);
    if (rate) record.learning_rate = value_of_figure(figure_at(*rate));
    if (const auto scale = figure_after(said, "loss_scale:")) record.loss_scale = scale->value;
    if (const auto norm = figure_after(said, "grad_norm:")) record.grad_norm = norm->value;
    if (text_after(said, "overflow cond:").value_or("").starts_with("True"))
      record.flags |= kSkippedStep;
    for (const std::string_view key : {"train_throughput_per_npu:", "throughput:"}) {
      if (const auto flops = figure_after(said, key))
        record.other.emplace_back("TFLOP/s/NPU", flops->value);
    }
  }

  const std::size_t number_;
  std::map<std::string, Told> told_;  ///< by speaker
};

}  // namespace

constinit const TrainerFormat kMindformers{"mindformers", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
