// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"
#include "harness/scrape/upper_median.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kTuningLoss,
  kSigns,
  kPlanned = kSigns,
  kWarmup,
  kResumed,
  kTexts
};

// Source: verl, verl/trainer/ppo/ray_trainer.py and metric_utils.py, verl/workers/fsdp_workers.py,
// 2024-2026; verl/trainer/fsdp_sft_trainer.py, 2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    "timing_s/step:",       " - train/loss:",          "Total training steps: ",
    ", num_warmup_steps: ", "Setting global step to ",
};

constexpr std::string_view kBetween = " - ";

/// "161.08", and as numpy 2 prints it "np.float64(161.08)".
std::optional<Figure> value_at(std::string_view text) {
  constexpr std::string_view kNumpy = "np.float64(";
  if (text.starts_with(kNumpy)) text.remove_prefix(kNumpy.size());
  return figure_at(text);
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kPlanned)) {
      if (const Count steps = steps_said(line.text, kSaid[kPlanned])) log.launch().planned = steps;
    }
    // The workers say it of their learning rate: of 0 steps where that is a constant.
    if (line.has(kWarmup) && !log.launch().planned)
      log.launch().planned = steps_said(line.text, "Total steps: ");
    // Its first step is none of a log that begins in the midst.
    if (line.has(kResumed)) log.launch().begins = true;
    if (line.has(kTime)) {
      read_step(line.text, log);
    } else if (line.has(kTuningLoss)) {
      read_tuning(line.text, log);
    }
  }

 private:
  static Count steps_said(std::string_view line, std::string_view key) {
    const auto at = line.find(key);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return std::nullopt;
    const Count steps = count_after(line, key);
    return steps && *steps > 0 ? steps : std::nullopt;
  }

  /// "step:1 - global_seqlen/min:… - timing_s/step:161.08 - perf/throughput:413.39".
  void read_step(std::string_view line, TrainerLog& log) const {
    const auto at = find_key(line, "step:");
    const Count step = at == std::string_view::npos ? std::nullopt : count_after(line, "step:");
    const auto before = line.substr(0, at);
    if (!step) return refuse(line, log);
    if (!is_prefix(before)) return;
    StepRecord record;
    record.step = *step;
    for (auto rest = line.substr(at); !rest.empty();) {
      const auto end = rest.find(kBetween);
      // Others follow it: here its digits may go on in the next line.
      if (end == std::string_view::npos && rest.starts_with(kSaid[kTime])) return refuse(line, log);
      take(rest.substr(0, end), record);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kBetween.size());
    }
    if (!(record.figure.value > 0)) return refuse(line, log);
    record.at = time_of(before);
    read_memory(record, log.launch());
    log.add(number_, record, before);
    if (const auto seconds = value_named(record, "save_checkpoint (s)"); seconds && *seconds >= 0) {
      CheckpointWord word{.what = CheckpointWord::What::kTook, .who = speaker_of(before).name};
      word.step = step;
      word.seconds = seconds;
      log.launch().checkpoints.see(word, log.launch().row_count());
    }
  }

  /// Of supervised fine-tuning: "step:2 - train/loss:0.77 - train/lr(1e-3):0.0005 -
  /// train/time(s):7.2937788963". A console may have cut the last digits.
  void read_tuning(std::string_view line, TrainerLog& log) const {
    constexpr double kKnownEnough = 1e-3;  // s
    const auto at = find_key(line, "step:");
    const Count step = at == std::string_view::npos ? std::nullopt : count_after(line, "step:");
    if (!step || !is_prefix(line.substr(0, at))) return;
    const auto seconds = figure_after(line.substr(at), "train/time(s):");
    if (!seconds || !(seconds->value > 0))
      return log.could_not_use(line, "it does not say how long the step took");
    if (seconds->quantum > kKnownEnough) return log.could_not_use(line, "a console has wrapped it");
    StepRecord record;
    record.step = *step;
    record.figure = scaled(*seconds, kMsPerSecond);
    keep_loss(record, text_after(line.substr(at), "train/loss:"));
    record.at = time_of(line.substr(0, at));
    log.add(number_, record, line.substr(0, at));
  }

  /// Of the rank that has most; its GB are 2^30 bytes.
  static void read_memory(const StepRecord& record, TrainerLaunch& launch) {
    const auto allocated = value_named(record, "perf/max_memory_allocated_gb"),
               reserved = value_named(record, "perf/max_memory_reserved_gb");
    if (!allocated && !reserved) return;
    RankMemory& memory = memory_of(launch, 0);
    if (allocated) raise(memory.max_allocated_mib, *allocated * kMibPerGib);
    if (reserved) raise(memory.max_reserved_mib, *reserved * kMibPerGib);
  }

  static void refuse(std::string_view line, TrainerLog& log) {
    auto before = line.substr(0, line.find(kSaid[kTime]));
    before.remove_prefix(std::min(before.find_first_not_of(" -"), before.size()));
    if (is_prefix(before)) log.could_not_use(line, "a console has wrapped it");
  }

  static void take(std::string_view field, StepRecord& record) {
    constexpr std::string_view kTiming = "timing_s/", kPerf = "perf/";
    const auto colon = field.rfind(':');
    if (colon == std::string_view::npos) return;
    const auto name = field.substr(0, colon);
    const auto value = value_at(field.substr(colon + 1));
    if (!value) return;
    if (name == "timing_s/step") {
      record.figure = {value->value * kMsPerSecond, value->quantum * kMsPerSecond, 0};
    } else if (name.starts_with(kTiming)) {
      record.other.emplace_back(std::string(name.substr(kTiming.size())) + " (s)", value->value);
    } else if (name.starts_with(kPerf)) {
      record.other.emplace_back(std::string(name), value->value);
    } else if (name == "actor/grad_norm") {
      record.grad_norm = value->value;
    } else if (name == "actor/lr") {
      record.learning_rate = value->value;
    }
    if (name == "timing_s/testing") record.flags |= kAfterEvaluation;
    if (name == "timing_s/save_checkpoint") record.flags |= kAfterSave;
  }

  const std::size_t number_;
};

/// Its throughput is that of one GPU.
void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  std::vector<double> counts;
  counts.reserve(rows.size());
  for (const auto& row : rows.rows()) {
    const auto tokens = value_named(row.record, "perf/total_num_tokens"),
               rate = value_named(row.record, "perf/throughput"),
               seconds = value_named(row.record, "perf/time_per_step");
    if (tokens && rate && seconds && *rate > 0 && *seconds > 0)
      counts.push_back(*tokens / (*rate * *seconds));
  }
  if (counts.empty()) return;
  const double gpus = upper_median(std::move(counts));
  constexpr double kDigits = 1e-3;  // figures of three decimals at worst
  facts.derive(facts.layout.gpus, "gpus", whole_within(gpus, gpus * kDigits),
               "total_num_tokens / (throughput · time_per_step)");
}

}  // namespace

constinit const TrainerFormat kVerl{"verl", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
