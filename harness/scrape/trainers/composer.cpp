// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/blocks.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kThroughput,
  kBatchTime,
  kSigns,
  kField = kSigns,
  kEpochHead,
  kBatchHead,
  kTokenHead,
  kSampleHead,
  kEvaluation,
  kGpusOfNode,
  kSettings,
};

// Source: mosaicml/composer, console_logger.py, speed_monitor.py, memory_monitor.py and trainer.py;
// mosaicml/llm-foundry, scripts/train, 2022-2025.
constexpr std::string_view kSaid[] = {
    "Train throughput/", "Train time/batch: ", " Train ",
    "[epoch=", "[batch=", "[token=", "[sample=", "[Eval batch=", "num_gpus_per_node: ",
    // other settings
    "num_nodes: ", "global_train_batch_size: ", "device_train_microbatch_size: ", "max_seq_len: ",
    "n_layers: ", "d_model: ", "n_heads: ", "n_params: ", "vocab_size: ", "window_size: ",
    "precision: ", "sharding_strategy: ", "activation_checkpointing: ", "attn_impl: "};

/// Of two figures that are rounded.
std::optional<double> whole_quotient(const std::optional<Figure>& over,
                                     const std::optional<Figure>& under) {
  if (!over || !under || !(over->value > 0) || !(under->value > 0)) return std::nullopt;
  const double quotient = over->value / under->value;
  const double share = over->quantum / over->value + under->quantum / under->value;
  return whole_within(quotient, quotient * share / 2);
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kGpusOfNode)) begin_launch(line.text, log);
    for (std::size_t i = kSettings; i < std::size(kSaid); ++i)
      if (line.has(i)) read_setting(line.text, kSaid[i]);
    if (line.has(kEvaluation)) return read_evaluation(line.text, log);
    for (const Text head : {kEpochHead, kBatchHead, kTokenHead, kSampleHead})
      if (line.has(head)) return read_head(line.text, head, log);
    if (line.has(kField)) read_field(line.text);
  }

  void flush(TrainerLog& log) override {
    blocks_.flush([&](const Block& block) { add(block, log); });
  }

 private:
  /// Of the configuration that is printed before training, as YAML.
  void read_setting(std::string_view line, std::string_view key) {
    const auto at = find_key(line, key);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    settings_[std::string(key.substr(0, key.size() - 2))] = trim(line.substr(at + key.size()));
  }

  void begin_launch(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kSaid[kGpusOfNode]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    flush(log);
    log.begin_launch(number_, line.substr(0, at));
    read_setting(line, kSaid[kGpusOfNode]);
    if (log.launch().row_count() == 0) last_ = {};
  }

  void read_evaluation(std::string_view line, TrainerLog& log) {
    const auto before = line.substr(0, line.find(kSaid[kEvaluation]));
    if (!is_prefix(before)) return;
    blocks_.end(before, [&](const Block& block) { add(block, log); });
    evaluated_ = true;
  }

  /// "[batch=366/48000]:" or "[epoch=1][batch=5/5]:".
  void read_head(std::string_view line, Text head, TrainerLog& log) {
    const auto at = line.find(kSaid[head]);
    const auto said = trim(line.substr(at));
    if (!said.ends_with("]:") || !is_prefix(line.substr(0, at))) return;
    Block& block =
        blocks_.begin(line.substr(0, at), said, [&](const Block& ended) { add(ended, log); });
    if (evaluated_) block.flags |= kAfterEvaluation;
    evaluated_ = false;
  }

  /// "	 Train throughput/samples_per_sec: 2.7330".
  void read_field(std::string_view line) {
    constexpr std::string_view kTrain = "Train ";
    const auto at = find_key(line, kTrain);
    const auto colon = line.find(": ", at);
    if (colon == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    blocks_.add(line.substr(0, at), line.substr(at + kTrain.size(), colon - at - kTrain.size()),
                line.substr(colon + 2));
  }

  Count setting(std::string_view name) const {
    const auto known = settings_.find(name);
    return known == settings_.end() ? std::nullopt : count_of(figure_at(known->second));
  }

  void put_settings(TrainerLaunch& launch) const {
    LaunchFacts& facts = launch.facts;
    for (const auto& [name, value] : settings_) facts.say(name, value);
    const struct {
      std::string_view name;
      Count& count;
    } counts[] = {
        {"global_train_batch_size", facts.layout.gbs},
        {"device_train_microbatch_size", facts.layout.mbs},
        {"max_seq_len", facts.model.seq},
        {"n_layers", facts.model.layers},
        {"d_model", facts.model.hidden},
        {"n_heads", facts.model.heads},
        {"n_params", facts.model.params},
        {"vocab_size", facts.model.vocab},
    };
    for (const auto& known : counts) {
      if (!known.count) known.count = setting(known.name);
    }
    const Count nodes = setting("num_nodes"), gpus = setting("num_gpus_per_node");
    if (nodes && gpus && !facts.layout.gpus) facts.layout.gpus = *nodes * *gpus;
    for (const std::string_view axis :
         {"precision", "sharding_strategy", "activation_checkpointing", "attn_impl"}) {
      const auto known = settings_.find(axis);
      if (known != settings_.end()) facts.set_axis(axis, known->second);
    }
  }

  struct Counted {
    Count batch, sample;
  };

  /// Samples of a batch: of those since the block before, else of all before.
  Count batch_size(const Block& block) const {
    const Counted now{block.count("time/batch"), block.count("time/sample")};
    if (!now.batch || !now.sample) return std::nullopt;
    const std::int64_t batches = *now.batch - last_.batch.value_or(0);
    const std::int64_t samples = *now.sample - last_.sample.value_or(0);
    if (batches <= 0 || samples <= 0 || samples % batches != 0) return std::nullopt;
    return samples / batches;
  }

  void add(const Block& block, TrainerLog& log) {
    TrainerLaunch& launch = log.launch();
    put_settings(launch);
    put_facts(block, launch);
    StepRecord record;
    record.step = step_of(block);
    record.gbs = batch_size(block);
    const auto samples = block.figure("throughput/samples_per_sec"),
               batches = block.figure("throughput/batches_per_sec");
    if (!block.count("time/sample"))
      launch.facts.derive(launch.facts.layout.gbs, "gbs", whole_quotient(samples, batches),
                          "samples_per_sec / batches_per_sec");
    last_ = {block.count("time/batch"), block.count("time/sample")};
    if (!launch.facts.layout.gbs) launch.facts.layout.gbs = record.gbs;
    if (last_.sample && record.gbs) record.consumed_samples = *last_.sample + *record.gbs;
    const bool by_samples =
        samples && samples->value > 0 && (record.gbs || launch.facts.layout.gbs);
    const auto& figure = by_samples ? samples : batches;
    if (record.step <= 0) return log.could_not_use(block.head, "it does not say which batch it is");
    if (!figure || !(figure->value > 0))
      return log.could_not_use(block.head, "it does not say a speed above 0");
    record.figure = *figure;
    record.pace = by_samples ? Pace::kSamplesPerSecond : Pace::kStepsPerSecond;
    put_span(record, launch);
    keep_fields(block, record);
    record.flags = block.flags;
    record.at = time_of(block.before);
    log.add(number_, record, block.before);
  }

  /// A mean of a window, which may reach over the lines before.
  void put_span(StepRecord& record, const TrainerLaunch& launch) const {
    record.span = Span::kWindow;
    const Count window = setting("window_size");
    const std::int64_t since = record.step - launch.rows(number_).last_step();
    if (!window || *window < 1 || since < *window) return;
    record.span = Span::kMean;
    record.interval = *window;
  }

  static std::int64_t step_of(const Block& block) {
    if (const Count before = block.count("time/batch")) return *before + 1;
    return block.head.starts_with("[batch=") ? count_after(block.head, "[batch=").value_or(0) : 0;
  }

  static void put_facts(const Block& block, TrainerLaunch& launch) {
    if (block.head.starts_with("[batch=") && block.head.find('/') != std::string::npos)
      launch.planned =
          count_of(figure_at(std::string_view(block.head).substr(block.head.find('/') + 1)));
    if (const Count micro = block.count("trainer/device_train_microbatch_size"))
      launch.facts.layout.mbs = micro;
    const Count tokens = block.count("time/token"), samples = block.count("time/sample");
    if (tokens && samples && *samples > 0)
      launch.facts.derive(launch.facts.model.seq, "seq",
                          static_cast<double>(*tokens) / static_cast<double>(*samples),
                          "time/token / time/sample", 0);
    read_memory(block, launch);
  }

  /// In 10^9 bytes with decimals since 0.13; in whole bytes before. What was called allocated_mem
  /// then is the sum of all that was ever allocated.
  /// Source: composer, callbacks/memory_monitor.py before and after #1940 (2023-02).
  static void read_memory(const Block& block, TrainerLaunch& launch) {
    constexpr double kMibPerByte = 1 / (1024.0 * 1024.0), kMibPerGb = 1e9 * kMibPerByte;
    RankMemory said;
    for (const auto& [name, most] : {std::pair("allocated_mem", &said.allocated_mib),
                                     std::pair("reserved_mem", &said.reserved_mib),
                                     std::pair("current_allocated_mem", &said.allocated_mib),
                                     std::pair("current_reserved_mem", &said.reserved_mib),
                                     std::pair("peak_allocated_mem", &said.max_allocated_mib),
                                     std::pair("peak_reserved_mem", &said.max_reserved_mib)}) {
      const auto figure = block.figure("memory/" + std::string(name));
      if (!figure) continue;
      const bool is_bytes = figure->quantum >= 1;
      const bool is_sum = is_bytes && name == std::string_view("allocated_mem");
      if (!is_sum) *most = figure->value * (is_bytes ? kMibPerByte : kMibPerGb);
    }
    const bool has_any = said.allocated_mib || said.reserved_mib || said.max_allocated_mib;
    if (has_any) raise(memory_of(launch, 0), said);
  }

  static void keep_fields(const Block& block, StepRecord& record) {
    keep_loss(record, block.text("loss/train/total"));
    record.grad_norm = value_of_figure(block.figure("l2_norm/grad/global"));
    for (const auto& [name, text] : block.fields) {
      if (name.starts_with("lr-")) record.learning_rate = value_of_figure(figure_at(text));
    }
    if (block.text("time/remaining_estimate_unit").value_or("hours").find("hours") !=
        std::string::npos)
      keep(record, "time/train (hours)", block.figure("time/train"));
    keep(record, "samples/s", block.figure("throughput/samples_per_sec"));
    keep(record, "samples/s/GPU", block.figure("throughput/device/samples_per_sec"));
    keep(record, "tokens/s", block.figure("throughput/tokens_per_sec"));
    keep(record, "tokens/s/GPU", block.figure("throughput/device/tokens_per_sec"));
    keep(record, "FLOP/s/GPU", block.figure("throughput/device/flops_per_sec"));
    keep(record, "MFU", block.figure("throughput/device/mfu"));
  }

  const std::size_t number_;
  Blocks blocks_;
  std::map<std::string, std::string, std::less<>> settings_;
  Counted last_;  ///< of the block before
  bool evaluated_ = false;
};

/// The tokens of a sample, where all rows have as many: of texts that differ in length they have
/// not. Where samples are counted, the counts have told.
std::optional<double> tokens_of_sample(const StepRows& rows) {
  constexpr double kUnsure = 0.01;  // of a whole number
  std::optional<double> tokens;
  for (const auto& row : rows.rows()) {
    const auto all = value_named(row.record, "tokens/s"),
               samples = value_named(row.record, "samples/s");
    if (!all || !samples || !(*samples > 0) || row.record.consumed_samples) return std::nullopt;
    const double whole = std::round(*all / *samples);
    if (std::abs(*all / *samples - whole) > kUnsure || tokens.value_or(whole) != whole)
      return std::nullopt;
    tokens = whole;
  }
  return tokens;
}

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  for (const auto& [all, one] :
       {std::pair("tokens/s", "tokens/s/GPU"), std::pair("samples/s", "samples/s/GPU")})
    facts.derive(facts.layout.gpus, "gpus", rows.median_quotient(all, one),
                 "throughput of all devices / of one");
  facts.derive(facts.model.seq, "seq", tokens_of_sample(rows), "tokens_per_sec / samples_per_sec");
}

}  // namespace

constinit const TrainerFormat kComposer{"composer", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
