#include <array>

#include "core/base/text.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kRate,
  kSigns,
  kMesh = kSigns,
  kInitialized,
  kParameters,
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
    "Building device mesh with parallelism: ",
    "tokens per train step",
    " total parameters",
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
    if (line.has(kMesh)) read_mesh(line.text, log);
    LaunchFacts& facts = log.launch().facts;
    if (line.has(kInitialized)) {
      if (const Count tokens = count_before(line.text, " tokens per train step"))
        facts.tokens_per_step = tokens;
      if (const Count steps = count_after(line.text, "total steps ")) log.launch().planned = steps;
      if (const Count seq = count_after(line.text, "maximum context length "))
        facts.model.seq = seq;
      if (const Count gas = count_after(line.text, "gradient accumulation steps "))
        facts.layout.gas = gas;
    }
    if (line.has(kParameters)) {
      const Count size = count_after(line.text, "size: ");
      if (size) facts.model.params = size;
    }
    if (line.has(kRate)) read_step(line, log);
    if (line.has(kDone)) log.launch().ending.reached_last_iteration(line.text);
  }

 private:
  /// "… parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=2, ep=1".
  void read_mesh(std::string_view line, TrainerLog& log) const {
    const auto at = line.find(kSaid[kMesh]);
    if (!is_prefix(line.substr(0, at))) return;
    log.begin_launch(number_, line.substr(0, at));
    LaunchFacts& facts = log.launch().facts;
    Layout& layout = facts.layout;
    const auto mesh = line.substr(at + kSaid[kMesh].size());
    layout.pp = count_after(mesh, "pp=");
    layout.tp = count_after(mesh, "tp=");
    layout.cp = count_after(mesh, "cp=");
    const Count replicas = count_after(mesh, "dp_replicate="),
                shards = count_after(mesh, "dp_shard=");
    if (replicas && shards && *shards > 0) layout.dp = *replicas * *shards;
    for (const std::string_view name : {"dp_replicate", "dp_shard", "ep"}) {
      const Count size = count_after(mesh, std::string(name) + "=");
      if (size) facts.axes.emplace_back(std::string(name), value_of(static_cast<double>(*size)));
    }
    facts.say("parallelism", mesh);
  }

  /// "step: 14  loss:  3.24405  grad_norm:  0.8319  memory:  9.46GiB(64.99%)  tps: 7,282  …".
  void read_step(const TrainerLine& line, TrainerLog& log) const {
    const auto at = find_key(line.text, "step:");
    if (at == std::string_view::npos || line.text.substr(0, at).ends_with("validate ")) return;
    const auto said = line.text.substr(at);
    StepRecord record;
    const Count step = count_after(said, "step:");
    const auto rate = figure_after(said, "tps:");
    if (!step || !rate || !line.terminated) return;
    if (!(rate->value > 0)) return log.could_not_use(line.text, "its tps is not above 0");
    record.step = *step;
    record.figure = *rate;
    record.pace = Pace::kTokensPerGpuSecond;
    record.span = Span::kMean;
    read_loss(said, record);
    if (const auto norm = figure_after(said, "grad_norm:")) record.grad_norm = norm->value;
    const auto keep = [&](std::string_view name, std::string_view key) {
      if (const auto value = figure_after(said, key)) record.other.emplace_back(name, value->value);
    };
    keep("tokens/s/GPU", "tps:");
    keep("TFLOP/s/GPU", "tflops:");
    keep("MFU %", "mfu:");
    keep("memory GiB", "memory:");
    const auto before = line.text.substr(0, at);
    constexpr double kMibPerGib = 1024;  // the most that was reserved since the line before
    if (const auto reserved = figure_after(said, "memory:")) {
      RankMemory& memory = memory_of(log.launch(), rank_in(before).value_or(0));
      raise(memory.max_reserved_mib, reserved->value * kMibPerGib);
    }
    record.at = time_of(before);
    log.add(number_, record, before);
  }

  static void read_loss(std::string_view said, StepRecord& record) {
    const auto loss = text_after(said, "loss:");
    if (!loss) return;
    if (const auto figure = figure_at(*loss)) {
      record.lm_loss = figure->value;
    } else {
      record.bad_loss = true;
    }
  }

  const std::size_t number_;
};

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  derive_tokens_by_clock(facts, rows, "tps");
}

}  // namespace

constinit const Trainer kTorchtitan{"torchtitan", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
