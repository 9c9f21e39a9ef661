// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kRate,
  kOldRate,
  kSigns,
  kMesh = kSigns,
  kOldMesh,
  kInitialized,
  kStarts,
  kParameters,
  kExperts,
  kDone,
  kSaving,
  kLastFull,
  kLastModel,
  kSaved,
  kLastSaved,
  kLoading,
  kLoaded,
  kTexts
};

// Source: torchtitan/train.py and components/metrics.py, 2024-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    "  tps: ",
    "  wps: ",  // of 2024
    "Building device mesh with parallelism: ",
    "-D device mesh with ",  // until 2025
    "Trainer is initialized with ",
    "Training starts at step ",
    " total parameters",
    " parameter count: dense ",
    "Training completed",
    "Saving the checkpoint",
    "Saving a full checkpoint",
    "Saving a model ",
    "Finished saving the checkpoint",
    "Last step checkpoint completed in ",
    "Loading the checkpoint",
    "Finished loading the checkpoint",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaving, .what = CheckpointWord::What::kBegins, .kind = CheckpointKind::kSave},
    {.text = kLastFull,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .step = " step, step "},
    {.text = kLastModel,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kSave,
     .step = " step, step "},
    {.text = kSaved,
     .what = CheckpointWord::What::kTook,
     .kind = CheckpointKind::kSave,
     .seconds = "in "},
    {.text = kLastSaved,
     .what = CheckpointWord::What::kTook,
     .kind = CheckpointKind::kSave,
     .seconds = " in "},
    {.text = kLoading,
     .what = CheckpointWord::What::kBegins,
     .kind = CheckpointKind::kLoad,
     .step = "at step ",
     .path = "from "},
    {.text = kLoaded,
     .what = CheckpointWord::What::kTook,
     .kind = CheckpointKind::kLoad,
     .seconds = " in "},
};

/// "['dp_replicate', 'dp_shard', 'tp'], [2, 4, 2]", or the names as a tuple: the product of the
/// sizes of all axes whose names begin so. 1: it has none, as axes of one rank are not named.
std::int64_t size_of_axes(std::string_view mesh, std::string_view name) {
  const auto sizes = mesh.rfind('[');
  if (sizes == std::string_view::npos) return 1;
  auto names = mesh.substr(0, sizes), left = mesh.substr(sizes + 1);
  std::int64_t product = 1;
  for (auto quote = names.find('\''); quote != std::string_view::npos; quote = names.find('\'')) {
    names.remove_prefix(quote + 1);
    const auto size = figure_at(left);
    const Count count = count_of(size);
    if (!count || *count < 1) return 1;
    if (names.starts_with(name)) product *= *count;
    left = left_trim(left.substr(size->size + (left.substr(size->size).starts_with(',') ? 1 : 0)));
    names.remove_prefix(std::min(names.find('\'') + 1, names.size()));
  }
  return product;
}

constexpr std::string_view kLocalBatch = "local batch size ", kRankTokens = " tokens per DP rank";

/// Whether a step of 2024 is torchtitan's: lingua calls its rate so, too, but tells no memory
/// before it. What stands behind may be cut.
bool has_own_words(std::string_view said) {
  return said.substr(0, said.find(kSaid[kOldRate])).find("memory: ") != std::string_view::npos ||
         said.find("  mfu: ") != std::string_view::npos;
}

/// The count before a text: "64 tokens per train step".
Count count_before(std::string_view line, std::string_view text) {
  const auto at = line.find(text);
  if (at == std::string_view::npos) return std::nullopt;
  const auto before = trim(line.substr(0, at));
  const auto begin = before.find_last_not_of("0123456789,");
  const auto digits = before.substr(begin == std::string_view::npos ? 0 : begin + 1);
  const auto figure = figure_at(digits);
  return figure && figure->size == digits.size() ? count_of(figure) : std::nullopt;
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    for (const Text text : {kMesh, kOldMesh})
      if (line.has(text)) see_mesh(line.text, text, log);
    const bool has_plan = line.has(kInitialized) || line.has(kStarts);
    if (has_plan || line.has(kParameters)) see_plan(line, log);
    if (has_plan) read_plan(line.text, log.launch());
    if (line.has(kExperts)) {
      has_experts_ = count_after(line.text, ", sparse ").value_or(0) > 0;
      active_params_ = has_experts_ ? count_after(line.text, ", active ") : std::nullopt;
    }
    if (line.has(kParameters)) {
      Model& model = log.launch().facts.model;
      if (const Count size = count_after(line.text, "size: ")) model.params = size;
      if (std::exchange(has_experts_, false)) {
        model.style = "moe";
        model.active_params = active_params_;
      }
    }
    if (line.has(kRate) || line.has(kOldRate)) read_step(line, log);
    if (line.has(kDone)) log.launch().ending.reached_last_iteration(line.text);
  }

 private:
  /// A mesh, as a line says it.
  struct Mesh {
    std::string before, text;
    bool is_old = false;
  };

  /// What a rank said last, or all of those without a label.
  struct Rank {
    std::optional<Mesh> mesh;  ///< until it is known whether a launch began with it
    std::int64_t last_step = 0;
  };

  Rank& rank_of(std::string_view before) {
    const Speaker speaker = speaker_of(before);
    return ranks_[speaker.is_rank ? speaker.name : std::string()];
  }

  /// A launch begins with it. Amid one, its validation builds the same once more: a new one says
  /// more of itself before its first step.
  void see_mesh(std::string_view line, Text text, TrainerLog& log) {
    const auto at = line.find(kSaid[text]);
    auto before = line.substr(0, at);
    if (text == kOldMesh) before = before.substr(0, before.rfind("Building "));
    if (!is_prefix(before)) return;
    Rank& rank = rank_of(before);
    rank.mesh = Mesh{std::string(before), std::string(line.substr(at + kSaid[text].size())),
                     text == kOldMesh};
    if (log.launch().row_count() == 0) begin_launch(rank, log);
  }

  /// A launch tells its plan and parameters behind its mesh, or begins with its plan where its log
  /// has none.
  void see_plan(const TrainerLine& line, TrainerLog& log) {
    const std::string_view text = line.has(kInitialized) ? kSaid[kInitialized]
                                  : line.has(kStarts)    ? kSaid[kStarts]
                                                         : "Model ";
    const auto before = line.text.substr(0, line.text.find(text));
    if (!is_prefix(before)) return;
    Rank& rank = rank_of(before);
    if (rank.mesh) return begin_launch(rank, log);
    const bool has_mesh = find_value(log.launch().facts.arguments, "parallelism") != nullptr;
    if (!has_mesh && !line.has(kParameters)) log.begin_launch(number_, before);
  }

  /// With another mesh one begins for all ranks, also where this one tells no steps.
  void begin_launch(Rank& rank, TrainerLog& log) {
    const bool is_another = !is_of_launch(*rank.mesh, log.launch().facts);
    log.begin_launch(number_, is_another ? std::string_view() : rank.mesh->before);
    put_mesh(*rank.mesh, log.launch().facts);
    rank.mesh.reset();
  }

  static bool is_of_launch(const Mesh& mesh, const LaunchFacts& facts) {
    const auto* known = find_value(facts.arguments, "parallelism");
    return !known || trim(mesh.text) == known->text;
  }

  static void put_mesh(const Mesh& mesh, LaunchFacts& facts) {
    if (mesh.is_old) {
      read_old_mesh(mesh.text, facts);
    } else {
      read_mesh(mesh.text, facts);
    }
    facts.say("parallelism", mesh.text);
  }

  /// "pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=2, ep=1".
  static void read_mesh(std::string_view mesh, LaunchFacts& facts) {
    Layout& layout = facts.layout;
    layout.pp = count_after(mesh, "pp=");
    layout.tp = count_after(mesh, "tp=");
    layout.cp = count_after(mesh, "cp=");
    const Count replicas = count_after(mesh, "dp_replicate="),
                shards = count_after(mesh, "dp_shard=");
    if (replicas && shards && *shards > 0) layout.dp = *replicas * *shards;
    for (const std::string_view name : {"dp_replicate", "dp_shard", "ep"}) {
      if (const Count size = count_after(mesh, std::string(name) + "="))
        put_axis(facts, name, *size);
    }
  }

  /// "['dp_shard', 'tp'], [4, 2]".
  static void read_old_mesh(std::string_view mesh, LaunchFacts& facts) {
    mesh = mesh.substr(0, mesh.rfind(']'));
    if (const auto end = mesh.find("], ["); end != std::string_view::npos)
      mesh = mesh.substr(0, mesh.find(']', end + 1));
    Layout& layout = facts.layout;
    layout.pp = size_of_axes(mesh, "pp'");
    layout.tp = size_of_axes(mesh, "tp'");
    layout.cp = size_of_axes(mesh, "cp'");
    layout.dp = size_of_axes(mesh, "dp");
    for (const std::string_view name : {"dp_replicate", "dp_shard"})
      put_axis(facts, name, size_of_axes(mesh, name));
  }

  static void put_axis(LaunchFacts& facts, std::string_view name, std::int64_t size) {
    if (find_value(facts.axes, std::string(name))) return;  // another rank's line
    facts.axes.emplace_back(std::string(name), value_of(static_cast<double>(size)));
  }

  /// "Trainer is initialized with 16384 tokens per DP rank, 65536 tokens per train step, …"
  /// or, until 2026, "… with local batch size 8, global batch size 64, …".
  static void read_plan(std::string_view line, TrainerLaunch& launch) {
    LaunchFacts& facts = launch.facts;
    if (const Count tokens = count_before(line, " tokens per train step"))
      facts.tokens_per_step = tokens;
    if (const Count steps = count_after(line, "total steps ")) launch.planned = steps;
    for (const std::string_view length : {"maximum context length ", "sequence length "})
      if (const Count seq = count_after(line, length)) facts.model.seq = seq;
    if (const Count gas = count_after(line, "gradient accumulation steps ")) facts.layout.gas = gas;
    if (const Count gbs = count_after(line, "global batch size ")) facts.layout.gbs = gbs;
    const Count local = count_after(line, kLocalBatch);
    if (local && facts.layout.pp == 1) facts.layout.mbs = local;  // a pipeline divides it
    if (local) facts.say(trim(kLocalBatch), static_cast<double>(*local));
    if (const Count tokens = count_before(line, kRankTokens))
      facts.say(trim(kRankTokens), static_cast<double>(*tokens));
  }

  /// "step: 14  loss:  3.24405  grad_norm:  0.8319  memory:  9.46GiB(64.99%)  tps: 7,282  …".
  void read_step(const TrainerLine& line, TrainerLog& log) {
    const auto at = find_key(line.text, "step:");
    if (at == std::string_view::npos || line.text.substr(0, at).ends_with("validate ")) return;
    const auto said = line.text.substr(at), before = line.text.substr(0, at);
    StepRecord record;
    const Count step = count_after(said, "step:");
    auto rate = figure_after(said, "tps:");
    if (!rate && has_own_words(said)) rate = figure_after(said, "wps:");
    if (!step || !rate || !is_prefix(before)) return;
    if (!(rate->value > 0)) return log.could_not_use(line.text, "its tps is not above 0");
    settle_mesh(*step, rank_of(before), log);
    record.step = *step;
    record.figure = *rate;
    record.pace = Pace::kTokensPerGpuSecond;
    record.span = Span::kMean;
    record.is_by_each_rank = true;
    read_loss(said, record);
    if (const auto norm = figure_after(said, "grad_norm:")) record.grad_norm = norm->value;
    const auto keep = [&](std::string_view name, std::string_view key) {
      if (const auto value = figure_after(said, key)) record.other.emplace_back(name, value->value);
    };
    record.other.emplace_back("tokens/s/GPU", rate->value);
    keep("TFLOP/s/GPU", "tflops:");
    keep("MFU %", "mfu:");
    keep("memory GiB", "memory:");
    // The most that was reserved since the line before.
    if (const auto reserved = figure_after(said, "memory:")) {
      RankMemory& memory = memory_of(log.launch(), rank_in(before).value_or(0));
      raise(memory.max_reserved_mib, reserved->value * kMibPerGib);
    }
    keep_moment(record, moment_of(before));
    log.add(number_, record, before);
  }

  /// A step follows a mesh that was built amid a launch: it goes on, or one began.
  void settle_mesh(std::int64_t step, Rank& rank, TrainerLog& log) {
    const std::int64_t last = std::exchange(rank.last_step, step);
    if (!rank.mesh) return;
    LaunchFacts& facts = log.launch().facts;
    if (step <= last || !is_of_launch(*rank.mesh, facts)) return begin_launch(rank, log);
    if (!find_value(facts.arguments, "parallelism")) put_mesh(*rank.mesh, facts);
    rank.mesh.reset();
  }

  static void read_loss(std::string_view said, StepRecord& record) {
    const auto loss = text_after(said, "loss:");
    if (!loss) return;
    if (const auto figure = figure_at(*loss)) {
      constexpr double kOfAnotherStage = -1;  // of a pipeline, whose last stage has the loss
      if (figure->value != kOfAnotherStage) record.lm_loss = figure->value;
    } else {
      record.bad_loss = true;
    }
  }

  const std::size_t number_;
  std::map<std::string, Rank> ranks_;
  bool has_experts_ = false;  ///< of the model whose size comes next, as below
  Count active_params_;
};

/// Tokens of a data-parallel rank in a step, as the header says.
std::optional<double> tokens_per_rank(const LaunchFacts& facts) {
  const auto said = [&](std::string_view name) {
    const Value* value = find_value(facts.arguments, std::string(trim(name)));
    return value ? value->number.value_or(0) : 0;
  };
  const double of_batch = said(kLocalBatch) * static_cast<double>(facts.model.seq.value_or(0));
  const double tokens = said(kRankTokens) > 0 ? said(kRankTokens) : of_batch;
  const double of_step = tokens * static_cast<double>(facts.layout.gas.value_or(1));
  return of_step > 0 ? std::optional(of_step) : std::nullopt;
}

/// How many GPUs share the tokens of a data-parallel rank by the clock, as rates are of a GPU.
struct GpusOfRank {
  double number = 0, unsure = 0;
};
std::optional<GpusOfRank> gpus_of_rank(double tokens, const StepRows& rows) {
  constexpr double kNear = 0.01;
  const auto by_clock = tokens_by_clock(rows);
  if (!by_clock) return std::nullopt;
  const Figure& rate = rows.rows().back().record.figure;
  const double gpus = tokens / by_clock->tokens;
  return GpusOfRank{
      gpus, gpus * (kNear + by_clock->quantum / by_clock->tokens + rate.quantum / rate.value / 2)};
}

/// Of a header without a mesh. `of_rank`: tokens of a data-parallel rank in a step.
void derive_layout(LaunchFacts& facts, double of_rank, const StepRows& rows) {
  Layout& layout = facts.layout;
  if (facts.tokens_per_step)
    facts.derive(layout.dp, "dp", static_cast<double>(*facts.tokens_per_step) / of_rank,
                 "tokens per step / tokens per DP rank and step", 0);
  facts.complete();
  if (facts.tokens_per_gpu_step) return;
  const auto by_clock = gpus_of_rank(of_rank, rows);
  if (!by_clock) return;
  const auto gpus = whole_within(by_clock->number, by_clock->unsure);
  const bool fits = std::floor(by_clock->number + by_clock->unsure) >=
                    std::ceil(by_clock->number - by_clock->unsure);
  if (!gpus && fits) derive_tokens_by_clock(facts, rows, "tps");  // which number is left open
  if (!gpus) return;
  facts.tokens_per_gpu_step = of_rank / *gpus;
  constexpr std::string_view kLaw =
      "tokens per DP rank and step / (tps · seconds between two lines)";
  if (layout.dp)
    facts.derive(layout.gpus, "gpus", *gpus * static_cast<double>(*layout.dp), kLaw, 0);
  if (*gpus != 1) return;
  facts.derive(layout.tp, "tp", 1, kLaw);
  facts.derive(layout.pp, "pp", 1, kLaw);
  facts.derive(layout.cp, "cp", 1, kLaw);
  if (const Value* local = find_value(facts.arguments, std::string(trim(kLocalBatch))))
    facts.derive(layout.mbs, "mbs", local->number, "local batch size, as pp is 1", 0);
}

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  const auto of_rank = tokens_per_rank(facts);
  if (of_rank && !facts.tokens_per_gpu_step) return derive_layout(facts, *of_rank, rows);
  derive_tokens_by_clock(facts, rows, "tps");
  if (facts.tokens_per_step && facts.tokens_per_gpu_step)
    facts.derive(facts.layout.gpus, "gpus",
                 static_cast<double>(*facts.tokens_per_step) / *facts.tokens_per_gpu_step,
                 "tokens per step / tokens per GPU and step", 0);
}

}  // namespace

constinit const TrainerFormat kTorchtitan{"torchtitan", kSaid, kSigns, reader_of<Reader>,
                                          apply_laws};

}  // namespace pippin
