// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kSigns,
  kRunning = kSigns,
  kMemory,
  kStopped,
  kGpus,
  kBatch,
  kRunningWith,
  kOption,
  kParameters,
  kTexts
};

// Source: KellerJordan/modded-nanogpt, train_gpt2.py and train_gpt.py and the logs in records/,
// 2024-2026; openai/parameter-golf, train_gpt.py and the logs in records/, 2026; the last three:
// evintunador/gpt-lab, 2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    " train_time:",
    "Running PyTorch ",
    "peak memory allocated: ",
    "stopping_early: wallclock_cap ",
    " grad_accum_steps:",
    "train_batch_tokens:",
    "Running with ",
    "  --",
    " parameters",
};

constexpr CountName kOptions[] = {
    {"train_seq_len", [](LaunchFacts& facts) -> Count& { return facts.model.seq; }},
    {"num_layers", [](LaunchFacts& facts) -> Count& { return facts.model.layers; }},
    {"num_heads", [](LaunchFacts& facts) -> Count& { return facts.model.heads; }},
    {"model_dim", [](LaunchFacts& facts) -> Count& { return facts.model.hidden; }},
    {"grad_acc_steps", [](LaunchFacts& facts) -> Count& { return facts.layout.gas; }},
};

/// "  --grad_acc_steps = 8", one of the options that are not as the script has them.
void read_option(std::string_view line, LaunchFacts& facts) {
  const auto at = line.find(kSaid[kOption]);
  const auto equals = line.find(" = ", at);
  if (equals == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
  const auto begin = at + kSaid[kOption].size();
  const auto name = line.substr(begin, equals - begin);
  const auto value = count_of(whole_figure(trim(line.substr(equals + 3))));
  if (!value || *value < 1) return;
  if (Count* known = count_called(kOptions, name, facts)) *known = value;
}

/// "60147864 parameters".
void read_parameters(std::string_view line, LaunchFacts& facts) {
  if (!trim(line).ends_with(kSaid[kParameters])) return;
  const auto number = line.substr(0, line.find(kSaid[kParameters]));
  if (const Count params = count_of(whole_figure(number))) facts.model.params = params;
}

/// Steps after a validation that the host only asks for: it had waited for all before. In the logs
/// of 2025 and 2026 one to three show a part of a step's time.
constexpr std::int64_t kStepsAhead = 3;

/// How long the trainer says it has been training.
struct Total {
  std::int64_t step = 0;
  Figure ms;
};

struct Timer {
  std::optional<Total> last;
  Count validated;  ///< the last step that was
};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kRunning)) read_running(line.text, log);
    if (line.has(kRunningWith)) read_running_with(line.text, log);
    if (line.has(kOption)) read_option(line.text, log.launch().facts);
    if (line.has(kParameters)) read_parameters(line.text, log.launch().facts);
    if (line.has(kGpus)) read_gpus(line.text, log);
    if (line.has(kBatch)) read_batch(line.text, log.launch().facts);
    if (line.has(kTime)) read_step(line.text, log);
    if (line.has(kStopped)) read_stop(line.text, log.launch().ending);
    if (line.has(kMemory)) read_memory(line.text, log.launch());
  }

 private:
  /// "Running PyTorch 2.11.0+cu128 compiled for CUDA 12.8 on NVIDIA H100 80GB HBM3 with world_size
  /// 8". The source that stands before it has the same words, and braces.
  void read_running(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kSaid[kRunning]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    if (line.find('{') != std::string_view::npos) return;
    begin(line.substr(0, at), log);
    if (const Count gpus = count_after(line, "with world_size "))
      log.launch().facts.layout.gpus = gpus;
    log.launch().facts.say("running", line.substr(at));
  }

  /// "Running with 1 GPU".
  void read_running_with(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kSaid[kRunningWith]);
    const auto gpus = figure_after(line, kSaid[kRunningWith]);
    if (at == std::string_view::npos || !count_of(gpus) || !is_prefix(line.substr(0, at))) return;
    const auto rest = trim(line.substr(at + kSaid[kRunningWith].size() + gpus->size));
    if (rest != "GPU" && rest != "GPUs") return;
    begin(line.substr(0, at), log);
    log.launch().facts.layout.gpus = count_of(gpus);
  }

  void begin(std::string_view before, TrainerLog& log) {
    log.begin_launch(number_, before);
    timers_[speaker_of(before).name] = {};
  }

  /// "world_size:8 grad_accum_steps:1".
  void read_gpus(std::string_view line, TrainerLog& log) {
    constexpr std::string_view kWorld = "world_size:";
    const auto at = find_key(line, kWorld);
    const Count gpus = count_after(line, kWorld), parts = count_after(line, kSaid[kGpus]);
    if (!gpus || !parts || !is_prefix(line.substr(0, at))) return;
    begin(line.substr(0, at), log);
    Layout& layout = log.launch().facts.layout;
    layout.gpus = layout.dp = gpus;
    layout.gas = parts;
  }

  /// "train_batch_tokens:524288 train_seq_len:1024 iterations:20000", of all GPUs.
  static void read_batch(std::string_view line, LaunchFacts& facts) {
    const auto at = find_key(line, kSaid[kBatch]);
    const Count tokens = count_after(line, kSaid[kBatch]),
                length = count_after(line, "train_seq_len:");
    if (!tokens || !length || !is_prefix(line.substr(0, at))) return;
    facts.tokens_per_step = tokens;
    facts.model.seq = length;
  }

  /// "stopping_early: wallclock_cap train_time:600038ms step:13780/20000": its time was up, as
  /// planned.
  static void read_stop(std::string_view line, Ending& ending) {
    if (is_prefix(line.substr(0, line.find(kSaid[kStopped])))) ending.reached_last_iteration(line);
  }

  /// "peak memory allocated: 30220 MiB reserved: 38672 MiB".
  static void read_memory(std::string_view line, TrainerLaunch& launch) {
    const auto allocated = figure_after(line, kSaid[kMemory]);
    if (!allocated) return;
    RankMemory& memory = memory_of(launch, 0);
    raise(memory.max_allocated_mib, allocated->value);
    raise(memory.max_reserved_mib, value_of_figure(figure_after(line, "reserved: ")));
  }

  /// "train_time:79656ms", or in seconds, "22.870s".
  static std::optional<Figure> total_of(std::string_view said) {
    const auto text = text_after(said, kSaid[kTime]);
    const auto figure = text ? figure_at(*text) : std::nullopt;
    if (!figure) return std::nullopt;
    const auto unit = text->substr(figure->size);
    if (unit.starts_with("ms ")) return figure;
    return unit.starts_with("s ") ? std::optional(scaled(*figure, kMsPerSecond)) : std::nullopt;
  }

  /// "step:1390/1393 train_time:79656ms step_avg:57.31ms", also with "train_loss:3.2" or
  /// "val_loss:3.2" before the time.
  void read_step(std::string_view line, TrainerLog& log) {
    constexpr std::string_view kStep = "step:";
    const auto at = line.substr(0, line.find(kSaid[kTime])).rfind(kStep);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    const auto said = line.substr(at);
    const auto step = figure_at(said.substr(kStep.size()));
    const auto total = total_of(said);
    const auto average = said.find(" step_avg:");
    if (!count_of(step) || !total || average == std::string_view::npos) return;
    const auto steps = said.substr(kStep.size() + step->size);
    if (!steps.starts_with('/') || !count_of(figure_at(steps.substr(1)))) return;
    const bool validates = said.find(" val_loss:") != std::string_view::npos;
    log.launch().planned = count_of(figure_at(steps.substr(1)));
    see(said, {*count_of(step), *total}, validates, line.substr(0, at), log);
  }

  /// Of two totals the difference is the time of the steps between. The timer stops while the model
  /// is validated, and older scripts set it to 0 after their first steps.
  void see(std::string_view said, const Total& total, bool validates, std::string_view before,
           TrainerLog& log) {
    Timer& timer = timers_[speaker_of(before).name];
    if (timer.last && total.step < timer.last->step) timer = {};
    const Total from = timer.last.value_or(Total{0, {}});
    const bool is_known = timer.last || total.step == 1;
    // The same step: how long the host waited for all that it had asked for. What it then has is
    // where the next step begins.
    if (timer.last && total.step == from.step && !validates) return;
    timer.last = total;
    const bool is_after_validation =
        timer.validated && total.step - *timer.validated <= kStepsAhead;
    if (is_known && total.step > from.step)
      add(said, from, total, is_after_validation, before, log);
    if (validates) timer.validated = total.step;
  }

  void add(std::string_view said, const Total& from, const Total& total, bool is_after_validation,
           std::string_view before, TrainerLog& log) const {
    const bool was_reset = total.ms.value < from.ms.value;
    const std::int64_t steps = total.step - from.step;
    if (was_reset && steps != 1) return;
    const double time = total.ms.value - (was_reset ? 0 : from.ms.value);
    StepRecord record;
    record.step = total.step;
    record.figure =
        scaled({time, total.ms.quantum, total.ms.size}, 1.0 / static_cast<double>(steps));
    record.span = Span::kMean;
    record.interval = steps;
    if (steps == 1 && is_after_validation) record.flags |= kAfterEvaluation;
    keep_loss(record, text_after(said, "train_loss:"));
    keep(record, "val_loss", figure_after(said, "val_loss:"));
    keep(record, "train_time (ms)", total.ms);
    record.at = time_of(before);
    TrainerLaunch& launch = log.launch();
    const auto average = text_after(said, "step_avg:");
    if (average && average->starts_with("nan"))  // the trainer says that it does not count it
      launch.startup_steps = std::max(launch.startup_steps, record.step);
    log.add(number_, record, before);
  }

  const std::size_t number_;
  std::map<std::string, Timer> timers_;  ///< by speaker
};

}  // namespace

constinit const TrainerFormat kModdedNanoGpt{"modded-nanogpt", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
