// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/deepspeed_settings.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTimer,
  kPipeline,
  kConfig,
  kSigns,
  kSkipped = kSigns,
  kProfile,
  kSaving,
  kSaved,
  kSettings,
  kTexts = kSettings + 9
};

// Source: DeepSpeed, deepspeed/utils/timer.py, runtime/config.py, runtime/pipe/engine.py and
// profiling/flops_profiler/profiler.py, 2020-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    "SamplesPerSec=",
    "iter time (s): ",
    "DeepSpeedEngine configuration:",
    ", skipped=",
    "Profile Summary at step ",
    " is about to be saved!",
    " is ready now!",
    // See DeepspeedSettings.
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "world_size ..",
    "zero_optimization_stage",
    "fp16_enabled ",
    "bfloat16_enabled ",
    "ProcessCoord(",
    "dist_world_size=",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaving,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .step = "Checkpoint global_step",
     .begins = "Checkpoint "},
    {.text = kSaved,
     .what = CheckpointWord::What::kEnds,
     .kind = CheckpointKind::kSave,
     .step = "Checkpoint global_step",
     .begins = "Checkpoint "},
};

constexpr const char* kNoGas = "it counts micro-batches, and nothing says how many make up a step";
constexpr const char* kProfiled = "it is slower: the flops profiler measured it";

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    if (line.has(kConfig)) begin(line.text, log);
    if (line.found >> kSettings != 0) read_deepspeed_settings(line.text, log.launch().facts);
    if (line.has(kSkipped)) read_progress(line.text);
    if (line.has(kProfile)) profiled_ = count_after(line.text, kSaid[kProfile]);
    if (line.has(kTimer)) read_timer(line.text, log);
    if (line.has(kPipeline)) read_pipeline(line.text, log);
  }

 private:
  /// "[Rank 0] step=200, skipped=4, lr=[…]": both since the beginning. Stands before the line of
  /// the same step.
  struct Progress {
    std::int64_t step = 0, skipped = 0;
    bool all_skipped = false;  ///< the steps since the one before
    std::optional<double> learning_rate;
  };

  void begin(std::string_view line, TrainerLog& log) {
    const auto before = line.substr(0, line.find(kSaid[kConfig]));
    if (!is_prefix(before)) return;
    log.begin_launch(number_, before);
    const auto at = time_of(before);
    if (at && !log.launch().started_at) log.launch().started_at = static_cast<std::int64_t>(*at);
    progress_.reset();
    profiled_.reset();
  }

  void read_progress(std::string_view line) {
    const auto at = find_key(line, "step=");
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    const auto said = line.substr(at);
    const Count step = count_after(said, "step="), skipped = count_after(said, "skipped=");
    if (!step || !skipped) return;
    if (progress_ && progress_->step == *step) return;  // said twice
    Progress progress{*step, *skipped, false, {}};
    const Progress before = progress_.value_or(Progress{});
    progress.all_skipped = *step > before.step && *skipped - before.skipped == *step - before.step;
    if (const auto rate = figure_after(said, "lr=[")) progress.learning_rate = rate->value;
    progress_ = progress;
  }

  /// "epoch=0/micro_step=6/global_step=6, RunningAvgSamplesPerSec=…, CurrSamplesPerSec=…, …"; until
  /// 2022 "0/40, …", of micro-batches, and the first of them with "SamplesPerSec=" alone.
  void read_timer(std::string_view line, TrainerLog& log) {
    const auto single = figure_after(line, "CurrSamplesPerSec=");
    auto mean = figure_after(line, "RunningAvgSamplesPerSec=");
    if (mean && !single) return;  // it is cut: the two stand together
    if (!mean) mean = figure_after(line, "SamplesPerSec=");
    if (!single && !mean) return;
    const auto place = place_in(line, single.has_value(), log);
    if (!place || !is_prefix(place->before)) return;
    StepRecord record;
    record.step = place->step;
    record.figure = single ? *single : *mean;
    record.span = single ? Span::kStep : Span::kWindow;
    record.pace = Pace::kSamplesPerSecond;
    if (!(record.figure.value > 0)) return log.could_not_use(line, "its rate is not above 0");
    if (mean) record.other.emplace_back("running mean samples/s", mean->value);
    if (single) record.other.emplace_back("samples/s", single->value);
    read_memory(line, record, log.launch());
    add(record, line, place->before, log);
  }

  struct Place {
    std::string_view before;
    std::int64_t step = 0;
  };
  std::optional<Place> place_in(std::string_view line, bool is_single, TrainerLog& log) const {
    constexpr std::string_view kStep = "/global_step=";
    const auto epoch = find_key(line, "epoch="), step = line.find(kStep);
    if (epoch != std::string_view::npos && step != std::string_view::npos && epoch < step) {
      const Count number = count_of(figure_at(line.substr(step + kStep.size())));
      if (number) return Place{line.substr(0, epoch), *number};
    }
    const auto micro = micro_step_in(line);
    if (!micro) {
      log.could_not_use(line, "it does not say which step it is of");
      return std::nullopt;
    }
    Count gas = log.launch().facts.layout.gas;
    if (!gas && progress_ && progress_->step == micro->step) gas = 1;
    const bool is_known = gas && *gas > 0;
    if (is_known && (*gas == 1 || !is_single)) return Place{micro->before, micro->step / *gas};
    log.could_not_use(line, is_known ? "its figure is of one of several micro-batches" : kNoGas);
    return std::nullopt;
  }

  /// "0/2498, RunningAvgSamplesPerSec=3.06, …": of an epoch.
  static std::optional<Place> micro_step_in(std::string_view line) {
    const auto key = std::min(line.find("RunningAvgSamplesPerSec="), line.find(" SamplesPerSec="));
    auto before = trim(line.substr(0, std::min(key, line.size())));
    if (!before.ends_with(',')) return std::nullopt;
    before.remove_suffix(1);
    const auto slash = before.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto step = parse_integer(before.substr(slash + 1));
    before = before.substr(0, slash);
    const std::size_t size = before.size();
    while (!before.empty() && is_digit(before.back())) before.remove_suffix(1);
    if (!step || *step < 0 || before.size() == size) return std::nullopt;
    return Place{before, *step};
  }

  /// "steps: 2 loss: 12.8004 iter time (s): 145.206 samples/sec: 7.052".
  void read_pipeline(std::string_view line, TrainerLog& log) {
    auto at = find_key(line, "steps:");
    if (at == std::string_view::npos) at = find_key(line, "step:");
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at);
    const auto colon = said.find(':');
    const auto number = left_trim(said.substr(colon + 1));
    const auto seconds = figure_after(said, "iter time (s):");
    const Count step = count_of(figure_at(number));
    if (!step || !seconds) return;
    if (!(seconds->value > 0)) return log.could_not_use(line, "its iter time is not above 0");
    StepRecord record;
    record.step = *step;
    record.figure = {seconds->value * kMsPerSecond, seconds->quantum * kMsPerSecond, 0};
    record.span = Span::kMean;
    const auto loss = text_after(said, "loss:");
    const auto value = loss ? figure_at(*loss) : std::nullopt;
    if (value) record.lm_loss = value->value;
    record.bad_loss = loss && !value;
    if (const auto rate = figure_after(said, "samples/sec:")) {
      record.other.emplace_back("samples/s", rate->value);
      derive_batch(*rate, *seconds, log.launch().facts);
    }
    add(record, line, line.substr(0, at), log);
  }

  /// The rate is the batch by the time, both rounded: only where one whole number fits.
  static void derive_batch(const Figure& rate, const Figure& seconds, LaunchFacts& facts) {
    const double batch = rate.value * seconds.value;
    const double unsure = batch * (rate.quantum / rate.value + seconds.quantum / seconds.value) / 2;
    constexpr double kOneWhole = 0.4;
    if (rate.value > 0 && unsure < kOneWhole && std::abs(batch - std::round(batch)) <= unsure)
      facts.derive(facts.layout.gbs, "gbs", batch, "samples/sec · iter time");
  }

  void read_memory(std::string_view line, StepRecord& record, TrainerLaunch& launch) const {
    RankMemory& memory = launch.memory[0];  // of the first rank, which alone prints it
    const auto read = [&](std::string_view key, std::optional<double>& kept) {
      const auto gib = figure_after(line, key);
      if (gib) kept = std::max(kept.value_or(0), gib->value * kMibPerGib);
      return gib;
    };
    const auto allocated = read("MemAllocated=", memory.allocated_mib);
    const auto most = read("MaxMemAllocated=", memory.max_allocated_mib);
    if (allocated) record.other.emplace_back("memory allocated GiB", allocated->value);
    if (!allocated && !most) launch.memory.erase(0);
  }

  void add(StepRecord& record, std::string_view line, std::string_view before, TrainerLog& log) {
    if (profiled_ && (record.step == *profiled_ || record.step == *profiled_ + 1)) {
      profiled_.reset();
      return log.could_not_use(line, kProfiled);
    }
    if (progress_ && progress_->step == record.step) {
      if (progress_->all_skipped) record.flags |= kSkippedStep;
      record.learning_rate = progress_->learning_rate;
    }
    record.at = time_of(before);
    log.add(number_, record, before);
  }

  const std::size_t number_;
  std::optional<Progress> progress_;
  Count profiled_;
};

/// Without a split of the model the ranks with data of their own are all.
void apply_laws(LaunchFacts& facts, const StepRows&) {
  Layout& layout = facts.layout;
  if (layout.gpus || layout.tp || layout.pp || layout.cp || !layout.dp) return;
  facts.derive(layout.gpus, "gpus", static_cast<double>(*layout.dp), "world_size", 0);
}

}  // namespace

constinit const TrainerFormat kDeepspeed{"deepspeed",       kSaid,      kSigns,
                                         reader_of<Reader>, apply_laws, true};

}  // namespace pippin
