// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/blocks.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kBatches,
  kLogger,
  kSigns,
  kTokens = kSigns,
  kHead,
  kThroughput,
  kTraining,
  kOptimizer,
  kMemory,
  kBegin,
  kParameters,
  kSaving,
  kSaved,
  kEvaluating,
  kTexts,
};

using Texts = std::array<std::string_view, kTexts>;

// Source: allenai/OLMo, olmo/train.py, torch_util.py and scripts/train.py, 2023-2025.
constexpr Texts kSaidByOlmo{
    "throughput/device/batches_per_second=",
    "olmo.train:",
    "throughput/device/tokens_per_second=",
    "[step=",
    "throughput/",
    "train/",
    "optim/",
    "System/Peak GPU Memory (MB)=",
    "Starting training...",
    "Total number of parameters: ",
    "Saving checkpoint...",
    "Checkpoint saved to ",
    "Running evaluation for '",
};

// Source: allenai/OLMo-core, train/callbacks (console_logger.py, speed_monitor.py,
// gpu_memory_monitor.py, evaluator_callback.py) and trainer.py, 2024-2026.
constexpr Texts kSaidByCore{
    "throughput/device/BPS=",
    "olmo_core.train.callbacks.console_logger:",
    "throughput/device/TPS=",
    "[step=",
    "throughput/",
    "train/",
    "optim/",
    "gpu_memory/GPU ",
    "Training for ",
    "Total number of parameters: ",
    "Saving checkpoint for step ",
    "Checkpoint for step ",
    " evals...",
};

constexpr CheckpointLine kSavesOfOlmo[] = {
    {.text = kSaving, .what = CheckpointWord::What::kBegins, .kind = CheckpointKind::kSave},
    {.text = kSaved,
     .what = CheckpointWord::What::kEnds,
     .kind = CheckpointKind::kSave,
     .path = " saved to "},
};
constexpr CheckpointLine kSavesOfCore[] = {
    {.text = kSaving,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .step = "for step ",
     .path = " to ",
     .beside = "' asynchronously"},
    {.text = kSaved,
     .what = CheckpointWord::What::kEnds,
     .kind = CheckpointKind::kSave,
     .step = "for step "},
};

/// How the older and the newer trainer differ.
struct Form {
  const Texts& said;
  Span span;  ///< of the rates
  std::string_view total_tokens;
  std::span<const CheckpointLine> checkpoints;
};
constexpr Form kOlmoForm{kSaidByOlmo, Span::kWindow, "throughput/total_tokens", kSavesOfOlmo};
constexpr Form kCoreForm{kSaidByCore, Span::kStep, "throughput/total tokens", kSavesOfCore};

template <const Form& form>
class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, form.said, form.checkpoints, log);
    if (line.has(kBegin)) begin_launch(line.text, log);
    if (line.has(kParameters))
      log.launch().facts.model.params = count_after(line.text, form.said[kParameters]);
    if (line.has(kHead)) read_head(line.text, log);
    for (const Text text : {kThroughput, kTraining, kOptimizer, kMemory})
      if (line.has(text)) return read_field(line.text, text);
    if (line.has(kSaving)) {
      pauses_ |= kAfterSave;
      saved_ = count_after(line.text, form.said[kSaving]);
    }
    if (line.has(kEvaluating)) pauses_ |= kAfterEvaluation;
  }

  void flush(TrainerLog& log) override {
    blocks_.flush([&](const Block& block) { add(block, log); });
    // It trained, but was told to print no speed: that is no launch that failed before its first
    // step.
    if (log.launch().row_count() == 0 && has_no_speed_) log.launch().begun_by.reset();
    has_no_speed_ = false;
  }

 private:
  /// "Starting training...", or "Training for 1,000 steps".
  void begin_launch(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, form.said[kBegin]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    flush(log);
    const Count params = log.launch().facts.model.params;
    log.begin_launch(number_, line.substr(0, at));
    log.launch().facts.model.params = params;  // said before
    last_tokens_.reset();
    if (const Count steps = count_after(line, form.said[kBegin])) log.launch().planned = steps;
  }

  /// "[step=2/739328]", "[step=10/1000,epoch=1,eta=2h]".
  void read_head(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, form.said[kHead]);
    if (at == std::string_view::npos || !trim(line).ends_with(']')) return;
    if (!is_prefix(line.substr(0, at))) return;
    Block& block = blocks_.begin(line.substr(0, at), trim(line.substr(at)),
                                 [&](const Block& ended) { add(ended, log); });
    // OLMo-core's lines come some steps late, and its time of a step has what is done after it.
    const Count step = count_after(line, form.said[kHead]);
    const bool is_early = saved_ && step && *step < *saved_;
    const unsigned now = is_early ? pauses_ & ~kAfterSave : pauses_;
    block.flags |= now;
    pauses_ &= ~now;
  }

  /// "    throughput/device/tokens_per_second=45,538".
  void read_field(std::string_view line, Text text) {
    const auto at = find_key(line, form.said[text]);
    const auto equals = line.find('=', at);
    if (equals == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    blocks_.add(line.substr(0, at), line.substr(at, equals - at), line.substr(equals + 1));
  }

  static std::string_view name(Text text) {
    return form.said[text].substr(0, form.said[text].size() - 1);
  }

  void add(const Block& block, TrainerLog& log) {
    if (block.fields.empty()) {  // of a step between two whose figures are printed
      pauses_ |= block.flags;
      return;
    }
    TrainerLaunch& launch = log.launch();
    read_memory(block, launch);
    const Count step = count_after(block.head, form.said[kHead]);
    const auto batches = block.figure(name(kBatches)), tokens = block.figure(name(kTokens));
    if (!step) return log.could_not_use(block.head, "it does not say which step it is");
    StepRecord record;
    record.step = *step;
    const auto slash = block.head.find('/');
    if (slash != std::string::npos)
      launch.planned = count_of(figure_at(std::string_view(block.head).substr(slash + 1)));
    keep_tokens(block, record);
    if (!batches || !(batches->value > 0)) {
      has_no_speed_ = has_no_speed_ || record.step > 1;
      return log.could_not_use(block.head, "it does not say a speed above 0");
    }
    record.figure = time_of_step(*batches, tokens, launch.facts);
    record.span = form.span;
    keep_fields(block, record);
    record.flags = block.flags;
    record.at = time_of(block.before);
    launch.startup_steps = 0;  // of a launch's first step it says no rate
    log.add(number_, record, block.before);
  }

  /// A step is a batch. Tokens a second have more digits than batches a second: where their
  /// quotient can be but one power of two, that is how many tokens a device has in a step.
  static Figure time_of_step(const Figure& batches, const std::optional<Figure>& tokens,
                             LaunchFacts& facts) {
    const double time = kMsPerSecond / batches.value;
    const double unsure = batches.quantum / batches.value;
    if (tokens && tokens->value > 0) {
      const double quotient = tokens->value / batches.value;
      const double power = std::exp2(std::round(std::log2(quotient)));
      if (unsure < kMostUnsure && std::abs(power - quotient) <= unsure * quotient) {
        facts.tokens_per_gpu_step = power;
        const double exact = power / tokens->value * kMsPerSecond;
        return {exact, exact * tokens->quantum / tokens->value, tokens->size};
      }
    }
    return {time, time * unsure, batches.size};
  }

  /// Those of all devices: how many a step has, since the block before.
  void keep_tokens(const Block& block, StepRecord& record) {
    const auto figure = block.figure(form.total_tokens);
    const Count total = count_of(figure);
    if (!total || block.text(form.total_tokens)->size() != figure->size) return;  // "1.234B"
    keep(record, "consumed tokens", figure);
    if (last_tokens_ && last_step_ < record.step)
      record.other.emplace_back("tokens per step",
                                static_cast<double>(*total - *last_tokens_) /
                                    static_cast<double>(record.step - last_step_));
    last_tokens_ = total;
    last_step_ = record.step;
  }

  static void keep_fields(const Block& block, StepRecord& record) {
    for (const std::string_view loss : {"train/CrossEntropyLoss", "train/CE loss"})
      if (!record.lm_loss) keep_loss(record, block.text(loss));
    for (const std::string_view norm : {"optim/total_grad_norm", "optim/total grad norm"})
      if (!record.grad_norm) record.grad_norm = value_of_figure(block.figure(norm));
    for (const std::string_view rate : {"optim/learning_rate_group0", "optim/LR (group 0)"})
      if (!record.learning_rate) record.learning_rate = value_of_figure(block.figure(rate));
    keep(record, "tokens/s/GPU", block.figure(name(kTokens)));
    keep(record, "steps/s", block.figure(name(kBatches)));
    keep(record, "MFU %", block.figure("throughput/device/MFU"));
    keep(record, "data loading (s)", block.figure("throughput/device/data loading (s)"));
  }

  /// OLMo's MB are 10^6 bytes, the most of all ranks.
  static void read_memory(const Block& block, TrainerLaunch& launch) {
    constexpr double kMibPerMb = 1e6 / (1024.0 * 1024.0);
    RankMemory said;
    if (const auto mb = block.figure("System/Peak GPU Memory (MB)"))
      said.max_allocated_mib = mb->value * kMibPerMb;
    if (const auto gib = block.figure("gpu_memory/GPU active mem (GiB)"))
      said.max_allocated_mib = gib->value * kMibPerGib;
    if (const auto gib = block.figure("gpu_memory/GPU reserved mem (GiB)"))
      said.max_reserved_mib = gib->value * kMibPerGib;
    if (said.max_allocated_mib || said.max_reserved_mib) raise(memory_of(launch, 0), said);
  }

  static constexpr double kMostUnsure = 0.01;

  const std::size_t number_;
  Blocks blocks_;
  Count last_tokens_;  ///< of the block before
  std::int64_t last_step_ = 0;
  bool has_no_speed_ = false;  ///< a step after the first
  unsigned pauses_ = 0;        ///< flags of the block to come
  Count saved_;                ///< the step after which that was, where it is said
};

constexpr std::string_view kGpusByTokens =
    "tokens per step · batches a second / tokens a second and device";

/// Where tokens of a device are no power of two, the rates tell the GPUs, as exactly as they are
/// written.
void derive_gpus(LaunchFacts& facts, const StepRows& rows) {
  const auto gpus = median_of(rows, [](const StepRecord& record) -> std::optional<double> {
    const auto tokens = value_named(record, "tokens per step"),
               rate = value_named(record, "tokens/s/GPU");
    if (!tokens || !rate || !(*rate > 0) || !(record.figure.value > 0)) return std::nullopt;
    return *tokens * kMsPerSecond / (record.figure.value * *rate);
  });
  const auto unsure = median_of(rows, [](const StepRecord& record) -> std::optional<double> {
    const auto rate = value_named(record, "tokens/s/GPU");
    if (!rate || !(*rate > 0) || !(record.figure.value > 0)) return std::nullopt;
    return record.figure.quantum / record.figure.value + 1 / *rate;
  });
  if (gpus && unsure)
    facts.derive(facts.layout.gpus, "gpus", whole_within(*gpus, *gpus * *unsure), kGpusByTokens);
}

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  const auto tokens = median_of(
      rows, [](const StepRecord& record) { return value_named(record, "tokens per step"); });
  facts.derive(facts.tokens_per_step, "tokens per step", tokens,
               "difference of total tokens of two steps", 0);
  if (facts.tokens_per_step && facts.tokens_per_gpu_step)
    facts.derive(facts.layout.gpus, "gpus",
                 static_cast<double>(*facts.tokens_per_step) / *facts.tokens_per_gpu_step,
                 kGpusByTokens, 0);
  derive_gpus(facts, rows);
}

}  // namespace

constinit const TrainerFormat kOlmo{"olmo", kSaidByOlmo, kSigns, reader_of<Reader<kOlmoForm>>,
                                    apply_laws};
constinit const TrainerFormat kOlmoCore{"olmo-core", kSaidByCore, kSigns,
                                        reader_of<Reader<kCoreForm>>, apply_laws};

}  // namespace pippin
