#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t { kTime, kSigns, kData = kSigns, kModel, kStages, kTexts };

// Source: MindFormers, mindformers/core/callback/callback.py, 2023-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    ", per_step_time: ",
    "data_parallel",
    "model_parallel",
    "pipeline_stage",
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
    if (!line.terminated) return;
    read_layout(line, log.launch().facts.layout);
    if (line.has(kTime)) read_step(line.text, log);
  }

 private:
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
  void read_step(std::string_view line, TrainerLog& log) const {
    const auto brace = line.substr(0, line.find(kSaid[kTime])).rfind('{');
    if (brace == std::string_view::npos) return;
    const auto said = line.substr(brace), before = line.substr(0, brace);
    const auto step = progress_after(said, "step:[");
    const auto time = text_after(said, "per_step_time:");
    const auto ms = time ? figure_at(*time) : std::nullopt;
    if (!step || !ms || !is_prefix(before) || !time->substr(ms->size).starts_with("ms")) return;
    if (!(ms->value > 0)) return log.could_not_use(line, "its time is not above 0");
    StepRecord record;
    record.step = step->done;
    record.figure = *ms;
    std::int64_t last = step->total;
    if (const auto epoch = progress_after(said, "Epoch:[")) {  // its steps begin anew in each
      record.step += (epoch->done - 1) * step->total;
      last *= epoch->total;
    }
    log.launch().planned = last;
    read_values(said, record);
    record.at = time_of(before);
    log.add(number_, record, before);
  }

  static void read_values(std::string_view said, StepRecord& record) {
    auto loss = text_after(said, "loss:");
    if (loss && loss->starts_with('[')) loss->remove_prefix(1);  // "[10.633/10.641]", with the mean
    if (loss) {
      const auto value = figure_at(*loss);
      if (value) record.lm_loss = value->value;
      record.bad_loss = !value;
    }
    if (const auto rate = figure_after(said, "lr:")) record.learning_rate = rate->value;
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
};

}  // namespace

constinit const Trainer kMindformers{"mindformers", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
