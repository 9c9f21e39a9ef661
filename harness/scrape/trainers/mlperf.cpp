// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/mlperf_event.h"
#include "harness/scrape/trainers/nemo_settings.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kEvent,
  kSigns,
  kTiming = kSigns,
  kTensorSize,
  kPipelineSize,
  kContextSize,
  kLayers,
  kHidden,
  kHeads,
  kKvHeads,
  kLength,
  kTexts
};

// Source: mlcommons/logging, mllog; results and NVIDIA's callbacks in mlcommons/
// training_results_v3.0 to v5.1, 2023-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    ":::MLLOG ",
    " train_step_timing ",
    // of NeMo's model, as v5.1 prints it
    "tensor_model_parallel_size=",
    "pipeline_model_parallel_size=",
    "context_parallel_size=",
    " num_layers=",
    "hidden_size=",
    "num_attention_heads=",
    "num_query_groups=",
    " seq_length=",
};

using Event = MlPerfEvent;

/// What is trained between two evaluations, by a benchmark that says in tokens where it is.
struct TokenBlock {
  std::int64_t from = 0;
  double begins_ms = 0;
  std::optional<double> ends_ms;
  bool is_announced = false;  ///< by an event of its own
};

// The parallelisms and the micro-batch: source: AMD's callbacks, training_results_v5.1.
constexpr CountName kCounts[] = {
    {"global_batch_size", [](LaunchFacts& facts) -> Count& { return facts.layout.gbs; }},
    {"gradient_accumulation_steps", [](LaunchFacts& facts) -> Count& { return facts.layout.gas; }},
    {"micro_batch_size", [](LaunchFacts& facts) -> Count& { return facts.layout.mbs; }},
    {"tensor_parallelism", [](LaunchFacts& facts) -> Count& { return facts.layout.tp; }},
    {"pipeline_parallelism", [](LaunchFacts& facts) -> Count& { return facts.layout.pp; }},
    {"context_parallelism", [](LaunchFacts& facts) -> Count& { return facts.layout.cp; }},
    {"max_sequence_length", [](LaunchFacts& facts) -> Count& { return facts.model.seq; }},
};

constexpr std::int64_t kMost = 1'000'000'000;  // so that a product is a number
constexpr std::string_view kBroken = "its block is no whole number of batches";
constexpr std::string_view kStepLoss = "reduced_train_loss";

/// In seconds.
std::optional<double> step_time_of(const Event& event) {
  const auto time = event.number("train_step_time");
  return time ? time : event.number("train_step_timing");  // until 2024
}

/// Whether an event tells of one step; of a block it tells without a loss. Source: NVIDIA's
/// custom_callbacks.py, training_results_v5.0 and v5.1.
bool is_of_step(const Event& event) {
  return event.key == "tracked_stats" && step_time_of(event) && event.has(kStepLoss);
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kEvent)) read_event(line.text, log);
    if (line.has(kTiming)) read_timing(line.text, log);
    if (line.is_whole && line.found >> kTensorSize != 0)
      read_nemo_setting(line.text, log.launch().facts);
  }

 private:
  void read_event(std::string_view line, TrainerLog& log) {
    const auto at = line.find(kSaid[kEvent]);
    const auto before = line.substr(0, at);
    if (!is_prefix(before)) return;
    const auto event = mlperf_event_of(line.substr(at + kSaid[kEvent].size()));
    if (!event) return log.could_not_use(line, "its event is torn");
    if (event->key == "init_start" || event->key == "run_start") begin_launch(*event, before, log);
    const std::string speaker = speaker_of(before).name;
    if (event->key == "block_start") has_start_ = true;
    if (event->key == "block_stop" && !has_start_) {
      is_cut_ = true;
      log.could_not_use(line, "the start of its block is not there");
    }
    if (counts_tokens_) {
      read_tokens(*event, speaker, line, log);
    } else {
      read_samples(*event, speaker, line, log);
    }
    if (event->key == "tracked_stats" && !is_of_step(*event)) tracked_ = event->parts;
    if (event->key == "run_stop") end_run(*event, line, log);
    read_fact(*event, log.launch().facts);
    if (event->key == "submission_benchmark") counts_tokens_ = event->said == "gpt3";
  }

  void read_samples(const Event& event, const std::string& speaker, std::string_view line,
                    TrainerLog& log) {
    end_unsaid(event, speaker, line, log);
    if (event.key == "block_start") {
      blocks_[speaker] = event;
      last_step_.reset();
    }
    if (event.key == "block_stop") end_block(event, speaker, line, log);
    if (event.key.starts_with("eval_") && event.samples) evaluated_at_ = event.samples;
    if (is_of_step(event)) read_step(event, event.samples ? event.samples : event.step, line, log);
  }

  /// Until 2023 one block had all of a run, with its evaluations, and "epoch_count" was that of its
  /// beginning: only an evaluation says how much was trained before it.
  void read_tokens(const Event& event, const std::string& speaker, std::string_view line,
                   TrainerLog& log) {
    const Count seq = log.launch().facts.model.seq;
    const auto samples_of = [&](const Count& tokens) {
      return tokens && seq.value_or(0) > 0 && *tokens % *seq == 0 ? Count(*tokens / *seq)
                                                                  : std::nullopt;
    };
    if (is_of_step(event)) return read_step(event, samples_of(event.step), line, log);
    if (event.key == "eval_start") evaluated_at_ = samples_of(event.tokens);
    const auto begun = token_blocks_.find(speaker);
    const bool is_begun = begun != token_blocks_.end();
    if (event.key == "block_stop" && is_begun) begun->second.ends_ms = event.time_ms;
    if (event.key == "eval_start" && is_begun) {
      end_tokens(begun->second, event, line, log);
      token_blocks_.erase(begun);
    }
    if (event.key != "block_start" && event.key != "eval_stop" && event.key != "run_stop") return;
    if (is_begun && begun->second.is_announced && begun->second.ends_ms && event.key != "eval_stop")
      log.could_not_use(line, "no evaluation tells how many tokens the block before it took");
    token_blocks_.erase(speaker);
    if (const Count from = event.tokens; from && event.key != "run_stop")
      token_blocks_[speaker] = {*from, event.time_ms, std::nullopt, event.key == "block_start"};
  }

  void end_tokens(const TokenBlock& block, const Event& evaluation, std::string_view line,
                  TrainerLog& log) {
    if (last_step_) return;  // the lines of its steps say more
    const LaunchFacts& facts = log.launch().facts;
    const Count to = evaluation.tokens, gbs = facts.layout.gbs, seq = facts.model.seq;
    if (!to) return log.could_not_use(line, "its block does not say its tokens");
    if (!gbs || !seq)
      return log.could_not_use(line, "its block has tokens, but it says no batch size and length");
    if (*gbs > kMost || *seq > kMost || block.from % *seq != 0 || *to % *seq != 0)
      return log.could_not_use(line, kBroken);
    add_block({block.from / *seq, *to / *seq, block.begins_ms,
               block.ends_ms.value_or(evaluation.time_ms)},
              line, log);
  }

  /// Runs that are counted in epochs have no block of steps.
  void end_run(const Event& stop, std::string_view line, TrainerLog& log) const {
    if (log.launch().row_count() == 0 && !is_cut_)
      log.could_not_use(line, "no block of its run says how many samples it took");
    if (stop.status == "success") log.launch().ending.reached_last_iteration(line);
  }

  void begin_launch(const Event& event, std::string_view before, TrainerLog& log) {
    log.begin_launch(number_, before);
    TrainerLaunch& launch = log.launch();
    if (launch.row_count() == 0) {
      blocks_.clear();
      token_blocks_.clear();
      unsaid_.clear();
      last_timing_.reset();
      last_step_.reset();
      evaluated_at_.reset();
      tracked_.clear();
      has_start_ = is_cut_ = false;
    }
    if (!launch.started_at)
      launch.started_at = static_cast<std::int64_t>(event.time_ms / kMsPerSecond);
  }

  /// What an event says at a point in time of the whole launch.
  static void read_fact(const Event& event, LaunchFacts& facts) {
    if (event.said.empty() || event.key.starts_with("eval_accuracy") || event.key == "run_stop")
      return;
    facts.say(event.key, event.said);
    if (event.key == "submission_benchmark") facts.set_axis("benchmark", event.said);
    const Count count = event.count;
    if (!count || *count < 1) return;
    if (Count* known = count_called(kCounts, event.key, facts)) *known = count;
    if (event.key == "expert_parallelism") facts.set_axis(event.key, event.said);
  }

  struct Block {
    std::int64_t from, to;  ///< samples
    double begins_ms, ends_ms;
  };

  /// A block of steps between two evaluations, counted in samples. Other benchmarks count epochs.
  void end_block(const Event& stop, const std::string& speaker, std::string_view line,
                 TrainerLog& log) {
    const auto begun = blocks_.find(speaker);
    if (begun == blocks_.end()) return;  // of another rank, whose speaker is not named
    const Event start = begun->second;
    blocks_.erase(begun);
    if (last_timing_ || last_step_) return;  // the lines of its steps say more
    const Count from = start.samples, to = stop.samples, gbs = log.launch().facts.layout.gbs;
    if (!from || !to) return log.could_not_use(line, "its block does not say its samples");
    if (!gbs) return log.could_not_use(line, "its block has samples, but it says no batch size");
    const Count first = start.step, last = stop.step;
    Block block{*from, *to, start.time_ms, stop.time_ms};
    if (first && last) {
      // v5.1 counts the steps of the run, and the samples of the block.
      if (*gbs > kMost || std::max(std::abs(*first), *last) > kMost ||
          (*last - *first) * *gbs != *to)
        return log.could_not_use(line, kBroken);
      block.from = *first * *gbs;
      block.to = *last * *gbs;
    } else if (*from == *to) {
      unsaid_.insert_or_assign(speaker, block);
      return;
    }
    add_block(block, line, log);
  }

  /// v5.0 says where a block begins at both its ends: what comes next says how far it went.
  void end_unsaid(const Event& event, const std::string& speaker, std::string_view line,
                  TrainerLog& log) {
    const auto waiting = unsaid_.find(speaker);
    const bool tells =
        event.key == "eval_start" || event.key == "block_start" || event.key == "run_stop";
    if (waiting == unsaid_.end() || !tells) return;
    Block block = waiting->second;
    const Count to = event.samples;
    if (!to && event.key == "eval_start") return;
    unsaid_.erase(waiting);
    if (!to || *to <= block.from)
      return log.could_not_use(line, "nothing tells how many samples the block before it took");
    block.to = *to;
    add_block(block, line, log);
  }

  /// Requires a batch size.
  void add_block(const Block& block, std::string_view line, TrainerLog& log) {
    const std::int64_t gbs = *log.launch().facts.layout.gbs;
    const bool is_whole = block.to > block.from && block.to % gbs == 0 && block.from % gbs == 0;
    if (!is_whole || !(block.ends_ms > block.begins_ms)) return log.could_not_use(line, kBroken);
    StepRecord record;
    record.step = block.to / gbs;
    record.span = Span::kMean;
    record.interval = (block.to - block.from) / gbs;
    record.figure =
        scaled({block.ends_ms - block.begins_ms, 1, 0}, 1.0 / static_cast<double>(record.interval));
    record.gbs = gbs;
    record.consumed_samples = block.to;
    keep_tracked(record);
    record.at = block.ends_ms / kMsPerSecond;
    log.add(number_, record, line.substr(0, line.find(kSaid[kEvent])));
  }

  /// One step, which is told by the samples until its end: v5.0 calls them its step.
  void read_step(const Event& event, const Count& samples, std::string_view line, TrainerLog& log) {
    const Count said = event.samples, counted = event.step;
    LaunchFacts& facts = log.launch().facts;
    // v5.1 says both, and counts steps from 0.
    if (said && counted && *counted >= 0 && *counted < kMost && *said % (*counted + 1) == 0)
      facts.derive(facts.layout.gbs, "gbs",
                   static_cast<double>(*said) / static_cast<double>(*counted + 1),
                   "samples / steps", 0);
    const Count gbs = facts.layout.gbs;
    if (!samples || !gbs)
      return log.could_not_use(line, "its step needs its samples and a batch size");
    if (*samples < *gbs || *samples % *gbs != 0)
      return log.could_not_use(line, "its step is no whole number of batches");
    StepRecord record;
    const double time_ms = step_time_of(event).value_or(0) * kMsPerSecond;
    // No step is longer than the time since one before it, but for what a print takes.
    constexpr double kLonger = 1.1, kPrint_ms = 50;
    if (last_step_ && time_ms > (event.time_ms - *last_step_) * kLonger + kPrint_ms)
      return log.could_not_use(line, "its step is longer than the time since the one before");
    last_step_ = event.time_ms;
    record.step = *samples / *gbs;
    record.figure = {time_ms, std::ldexp(time_ms, -23), 0};  // of a float of 32 bits
    record.gbs = gbs;
    record.consumed_samples = samples;
    record.lm_loss = event.number(kStepLoss);
    if (evaluated_at_ && *samples - *gbs == *evaluated_at_) record.flags |= kAfterEvaluation;
    record.at = event.time_ms / kMsPerSecond;
    log.add(number_, record, line.substr(0, line.find(kSaid[kEvent])));
  }

  void keep_tracked(StepRecord& record) {
    for (const auto& [name, number] : tracked_)
      if (number) record.other.emplace_back("tracked " + name, *number);
    tracked_.clear();
  }

  /// "Step 19 train_step_timing 1.9324331283569336 timestamp: 1713522620986.0247", in seconds and
  /// ms.
  void read_timing(std::string_view line, TrainerLog& log) {
    constexpr std::string_view kStep = "Step ", kStamp = " timestamp: ";
    const auto at = find_key(line, kStep);
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at);
    const auto step = figure_at(said.substr(kStep.size()));
    const auto seconds = figure_after(said, kSaid[kTiming]), stamp = figure_after(said, kStamp);
    if (!count_of(step) || !seconds || !stamp || !(seconds->value > 0)) return;
    if (!said.substr(kStep.size() + step->size).starts_with(kSaid[kTiming])) return;
    StepRecord record;
    record.step = *count_of(step);
    record.figure = scaled(*seconds, kMsPerSecond);
    // Its authors' own scripts do not trust the first and take the second.
    if (last_timing_)
      record.other.emplace_back("since the line before (ms)", stamp->value - *last_timing_);
    last_timing_ = stamp->value;
    record.at = stamp->value / kMsPerSecond;
    log.add(number_, record, line.substr(0, at));
  }

  const std::size_t number_;
  std::map<std::string, Event> blocks_;  ///< that are begun, by speaker
  std::map<std::string, Block> unsaid_;  ///< that have ended, but do not say at what sample
  std::map<std::string, TokenBlock> token_blocks_;
  bool counts_tokens_ = false;
  bool has_start_ = false, is_cut_ = false;  ///< a block of the launch; its first one
  std::optional<double> last_timing_;        ///< when a step's line was printed
  std::optional<double> last_step_;          ///< when a step's event was, of the block at hand
  Count evaluated_at_;                       ///< samples
  decltype(Event::parts) tracked_;           ///< of the block at hand
};

/// The rules of MLPerf: a batch is what all replicas accumulate.
void apply_laws(LaunchFacts& facts, const StepRows& /*rows*/) {
  Layout& layout = facts.layout;
  facts.complete();
  if (!layout.gbs || !layout.mbs || !layout.gas) return;
  const auto number = [](const Count& count) { return static_cast<double>(*count); };
  facts.derive(layout.dp, "dp", number(layout.gbs) / (number(layout.mbs) * number(layout.gas)),
               "GBS / (MBS · GAS)", 0);
  facts.complete();
}

}  // namespace

constinit const TrainerFormat kMlPerf{"mlperf", kSaid, kSigns, reader_of<Reader>, apply_laws, true};

}  // namespace pippin
