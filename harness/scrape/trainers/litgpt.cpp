// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kTime,
  kOptimizer,
  kSigns,
  kOldTime = kSigns,
  kTotal,
  kTrainable,
  kMemory,
  kDevices,
  kNodes,
  kProcesses,
  kGlobalBatch,
  kMicroBatch,
  kLength,
  kDone,
  kSaving,
  kTexts
};

// Source: litgpt, finetune/*.py, pretrain.py, 2023-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    "iter time: ",
    "ms (optimizer.step)",
    ", time: ",
    "Total parameters: ",
    "Number of trainable parameters: ",
    "Memory used: ",
    "'devices': ",
    "'num_nodes': ",
    "distributed processes registered. Starting with ",
    "global_batch_size",
    "micro_batch_size",
    "max_seq_length=",
    "Training time: ",
    "Saving checkpoint to ",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaving,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .path = "checkpoint to "},
};

constexpr const char* kNoStep = "it is the time of one of a step's micro-batches";

/// One micro-batch, as a line tells of it.
struct Iter {
  std::string_view before;
  std::int64_t number = 0, step = 0;
  Figure ms;
  bool ends_step = false;
  std::optional<std::string_view> loss;
};

/// "548.72 ms", "710.44ms" or "35.675 s".
std::optional<Figure> ms_at(std::string_view text) {
  const auto figure = figure_at(text);
  const auto unit = figure ? left_trim(text.substr(figure->size)) : std::string_view();
  if (unit.starts_with("ms")) return figure;
  const bool is_seconds = unit == "s" || unit.starts_with("s ");
  return is_seconds ? std::optional(scaled(*figure, kMsPerSecond)) : std::nullopt;
}

/// "Epoch 1 | iter 2 step 1 | loss train: 1.660, val: n/a | iter time: 548.72 ms (step) …",
/// "Ep 1 | iter 4 | step 1: loss train (curr): 1.585, … | iter time: 181.34 ms (opt.step)" or
/// "iter 4 step 2: loss 3.8844, iter time: 710.44ms (optimizer.step)"; forks print seconds.
std::optional<Iter> iter_in(std::string_view line) {
  auto at = find_key(line, "Epoch ");
  if (at == std::string_view::npos) at = find_key(line, "Ep ");
  if (at == std::string_view::npos) at = find_key(line, "iter ");
  if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return std::nullopt;
  const auto said = line.substr(at);
  const Count number = count_after(said, "iter "), step = count_after(said, "step ");
  auto time = text_after(said, "iter time:");
  if (!time) time = text_after(said, ", time:");
  const auto ms = time ? ms_at(*time) : std::nullopt;
  if (!number || !step || !ms) return std::nullopt;
  const auto unit = time->substr(ms->size);
  auto loss = text_after(said, "loss train:");
  if (!loss) loss = text_after(said, "loss train (curr):");
  if (!loss) loss = text_after(said, "loss ");
  return Iter{
      line.substr(0, at), *number, *step, *ms, unit.find("step)") != std::string_view::npos, loss};
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    read_facts(line, log.launch());
    if (!line.has(kTime) && !line.has(kOldTime)) return;
    const auto iter = iter_in(line.text);
    if (!iter) return;
    if (!(iter->ms.value > 0)) return log.could_not_use(line.text, "its time is not above 0");
    take(*iter, line.text, log);
  }

  void flush(TrainerLog& log) override {
    if (!has_step_ && !micro_batch_.empty())
      log.could_not_use(micro_batch_, kNoStep, micro_batches_);
    micro_batch_.clear();
    micro_batches_ = 0;
  }

 private:
  static void read_facts(const TrainerLine& line, TrainerLaunch& launch) {
    LaunchFacts& facts = launch.facts;
    const auto read = [&](Text text, std::string_view key) {
      return line.has(text) ? count_after(line.text, key) : std::nullopt;
    };
    const auto set = [&](Count& count, const Count& value) {
      if (value && *value > 0) count = value;
    };
    set(facts.model.params, read(kTotal, kSaid[kTotal]));
    if (const Count trainable = read(kTrainable, kSaid[kTrainable]);
        trainable && !find_value(facts.axes, "trainable_parameters"))
      facts.axes.emplace_back("trainable_parameters", value_of(static_cast<double>(*trainable)));
    set(facts.layout.gbs, read(kGlobalBatch, "global_batch_size="));
    set(facts.layout.mbs, read(kMicroBatch, "micro_batch_size="));
    set(facts.layout.mbs, read(kMicroBatch, "'micro_batch_size': "));
    set(facts.model.seq, read(kLength, kSaid[kLength]));
    set(facts.layout.gpus, read(kProcesses, kSaid[kProcesses]));
    if (const Count devices = read(kDevices, kSaid[kDevices]))
      facts.say("devices", static_cast<double>(*devices));
    if (const Count nodes = read(kNodes, kSaid[kNodes]))
      facts.say("num_nodes", static_cast<double>(*nodes));
    if (line.has(kMemory)) read_memory(line.text, launch);
    const auto done = line.has(kDone) ? line.text.find(kSaid[kDone]) : std::string_view::npos;
    if (done != std::string_view::npos && is_prefix(line.text.substr(0, done)))
      launch.ending.reached_last_iteration(line.text);
  }

  /// "Memory used: 20.19 GB", of 10^9 bytes, by the first rank.
  static void read_memory(std::string_view line, TrainerLaunch& launch) {
    constexpr double kBytesPerGb = 1e9, kBytesPerMib = 1048576;
    const auto at = line.find(kSaid[kMemory]);
    const auto gb = figure_after(line, kSaid[kMemory]);
    if (gb && gb->value > 0 && is_prefix(line.substr(0, at)))
      launch.memory[0].max_allocated_mib = gb->value * kBytesPerGb / kBytesPerMib;
  }

  struct Place {
    std::int64_t number = 0, step = 0;
  };

  /// The micro-batches of one speaker.
  struct Sum {
    std::optional<Place> last, last_end;
    double ms = 0, quantum = 0;
    bool is_whole = true;  ///< all since the last step's end were printed
  };

  /// A step's time is the sum of those of its micro-batches, if all were printed.
  void take(const Iter& iter, std::string_view line, TrainerLog& log) {
    Sum& sum = sums_[speaker_of(iter.before).name];
    const auto& last = sum.last;
    if (last && iter.number == last->number && iter.step == last->step) return;
    const bool follows = last ? iter.number == last->number + 1 : iter.number <= 1;
    if (!follows) sum.is_whole = false;
    sum.ms += iter.ms.value;
    sum.quantum += iter.ms.quantum;
    if (micro_batch_.empty()) micro_batch_ = line;
    ++micro_batches_;
    if (iter.ends_step) {
      has_step_ = true;
      end_step(iter, sum, line, log);
      sum = Sum();
      sum.last_end = Place{iter.number, iter.step};
    }
    sum.last = Place{iter.number, iter.step};
  }

  void end_step(const Iter& iter, const Sum& sum, std::string_view line, TrainerLog& log) {
    StepRecord record;
    if (sum.is_whole) {
      record.figure = {sum.ms, sum.quantum, 0};
    } else if (has_one_micro_batch(iter, sum.last_end)) {
      record.figure = iter.ms;
    } else {
      return log.could_not_use(line, kNoStep);
    }
    record.step = iter.step;
    record.at = time_of(iter.before);
    const auto loss = iter.loss ? figure_at(*iter.loss) : std::nullopt;
    if (loss) record.lm_loss = loss->value;
    record.bad_loss = iter.loss && !loss;
    record.other.emplace_back("last micro-batch (ms)", iter.ms.value);
    log.add(number_, record, iter.before);
  }

  /// Those of 2023 count micro-batches from 0.
  static bool has_one_micro_batch(const Iter& iter, const std::optional<Place>& last_end) {
    const std::int64_t begin = last_end ? last_end->number : 0;
    const std::int64_t steps = iter.step - (last_end ? last_end->step : 0);
    return iter.number - begin == steps || (!last_end && iter.number + 1 == steps);
  }

  const std::size_t number_;
  std::map<std::string, Sum> sums_;  ///< by speaker
  bool has_step_ = false;            ///< one has ended
  std::string micro_batch_;          ///< the first line of one
  std::int64_t micro_batches_ = 0;
};

void apply_laws(LaunchFacts& facts, const StepRows&) {
  const auto number = [&](const char* name) {
    const Value* value = find_value(facts.arguments, name);
    return value ? value->number : std::nullopt;
  };
  const auto devices = number("devices");
  if (devices)
    facts.derive(facts.layout.gpus, "gpus", *devices * number("num_nodes").value_or(1),
                 "devices · num_nodes", 0);
  facts.layout.dp = facts.layout.dp ? facts.layout.dp : facts.layout.gpus;
  facts.complete();
}

}  // namespace

constinit const TrainerFormat kLitgpt{"litgpt", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
