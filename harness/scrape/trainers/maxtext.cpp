// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <initializer_list>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kStep,
  kProfiled,
  kSigns,
  kDevices = kSigns,
  kParam,
  kParameters,
  kMemory,
  kCompiledMemory,
  kEstimatedMemory,
  kEvaluated,
  kOldEvaluated,
  kSaved,
  kOldSaved,
  kStartedSave,
  kTexts,
};

// Source: AI-Hypercomputer/maxtext, metric_logger.py, max_utils.py, checkpointing.py and train.py,
// 2023-2026; AI-Hypercomputer/maxdiffusion, train_utils.py.
constexpr std::array<std::string_view, kTexts> kSaid{
    "completed step: ",
    "completed profiler activation/deactivation step: ",
    "Num_devices: ",
    "Config param ",
    "number parameters: ",
    "Using (GB) ",
    "Total memory size: ",
    "Total estimated memory size: ",
    "Completed eval after train step ",
    "eval metrics after step: ",
    "Saved a checkpoint at step ",
    "saved a checkpoint at step ",
    "Started an asynchronous checkpoint save for step ",
};

// Steps are dispatched without waiting: the first compiles, and of the next three together the
// host's clock sees no more than two. Source: MaxText, docs/guides/understand_logs_and_metrics.md,
// 2025.
constexpr std::int64_t kStartupSteps = 4;

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kSaved,
     .what = CheckpointWord::What::kEnds,
     .kind = CheckpointKind::kSave,
     .step = " at step "},
    {.text = kOldSaved,
     .what = CheckpointWord::What::kEnds,
     .kind = CheckpointKind::kSave,
     .step = " at step "},
    {.text = kStartedSave,
     .what = CheckpointWord::What::kGoesOnBeside,
     .kind = CheckpointKind::kSave,
     .step = " for step "},
};

void read_param(LaunchFacts& facts, TrainerLaunch& launch, std::string_view said) {
  const auto colon = said.find(": ");
  if (colon == std::string_view::npos) return;
  const auto name = said.substr(0, colon), value = said.substr(colon + 2);
  facts.say(name, value);
  const Count count = count_of(figure_at(value));
  const struct {
    std::string_view name;
    Count& count;
  } counts[] = {
      {"max_target_length", facts.model.seq},
      {"num_decoder_layers", facts.model.layers},
      {"emb_dim", facts.model.hidden},
      {"num_query_heads", facts.model.heads},
      {"num_kv_heads", facts.model.kv_heads},
      {"mlp_dim", facts.model.ffn},
      {"vocab_size", facts.model.vocab},
      {"global_batch_size_to_train_on", facts.layout.gbs},
      {"gradient_accumulation_steps", facts.layout.gas},
  };
  for (const auto& known : counts) {
    if (known.name == name && count && *count > 0) known.count = count;
  }
  if (name == "model_name" && trim(value) != "default") facts.model.size = printable(trim(value));
  const bool is_steps = name == "steps" || name == "max_train_steps";
  if (is_steps && count && *count > 0) launch.planned = *count - 1;
  if (name == "remat_policy") facts.recompute = trim(value) == "full" ? "full" : "";
  for (const std::string_view axis :
       {"dtype", "weight_dtype", "quantization", "remat_policy", "attention", "scan_layers"}) {
    if (name == axis) facts.set_axis(axis, value);
  }
  if (name.ends_with("_parallelism") && count && *count != 1) facts.set_axis(name, value);
}

/// Of a mixture, how many of its parameters a token meets: its configuration comes before their
/// number.
void tell_experts(LaunchFacts& facts) {
  const auto said = [&](const char* name) -> Count {
    const Value* value = find_value(facts.arguments, name);
    const Count count = value ? count_of(figure_at(value->text)) : std::nullopt;
    return count && *count > 0 ? count : std::nullopt;
  };
  Model& model = facts.model;
  const auto all = static_cast<double>(said("num_experts").value_or(1));
  if (all == 1) return;
  model.style = "moe";
  // Models whose first layers are dense have experts of a width of their own.
  const Count dense_layers = said("first_num_dense_layers");
  const Count width = dense_layers ? said("moe_mlp_dim") : model.ffn;
  const Count of_token = said("num_experts_per_tok");
  const bool has_all =
      model.layers && model.hidden && width && of_token && model.params &&
      said("interleave_moe_layer_step").value_or(1) == 1;  // else which layers have experts is open
  if (!has_all) return;
  constexpr double kMatrices = 3;  // of an MLP with a gate
  const auto number = [](const Count& count) { return static_cast<double>(*count); };
  const double layers = number(model.layers) - static_cast<double>(dense_layers.value_or(0));
  const double passed_over =
      layers * (all - number(of_token)) * kMatrices * number(model.hidden) * number(width);
  if (passed_over > 0 && passed_over < number(model.params))
    model.active_params = nearest_whole_number(number(model.params) - passed_over);
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    if (line.has(kDevices) || line.has(kParam)) read_header(line, log);
    if (line.has(kParameters)) read_parameters(line, log);
    if (line.has(kMemory)) read_memory(line.text, log.launch());
    for (const Text text : {kCompiledMemory, kEstimatedMemory}) {
      if (const auto size = line.has(text) ? said_after(line.text, text) : std::nullopt)
        log.launch().facts.say("Total memory size", *size);
    }
    for (const Text text : {kEvaluated, kOldEvaluated})
      if (line.has(text)) see_pause(line.text, text, evaluated_);
    for (const Text text : {kSaved, kOldSaved, kStartedSave})
      if (line.has(text)) see_pause(line.text, text, saved_);
    if (line.has(kProfiled))
      log.could_not_use(line.text, "a step at an end of profiling, printed without its time");
    if (line.has(kStep)) read_step(line, log);
  }

 private:
  /// What stands behind a text, where it is said by a trainer.
  static std::optional<std::string_view> said_after(std::string_view line, Text text) {
    const auto at = find_key(line, kSaid[text]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return std::nullopt;
    return line.substr(at + kSaid[text].size());
  }

  void read_header(const TrainerLine& line, TrainerLog& log) {
    const Text text = line.has(kDevices) ? kDevices : kParam;
    const auto said = said_after(line.text, text);
    if (!said) return;
    log.begin_launch(number_, line.text.substr(0, line.text.find(kSaid[text])));
    if (log.launch().row_count() == 0) saved_ = evaluated_ = {};
    LaunchFacts& facts = log.launch().facts;
    if (text == kParam) return read_param(facts, log.launch(), *said);
    if (const Count devices = count_of(figure_at(*said))) facts.layout.gpus = devices;
    facts.say("Num_devices", *said);
  }

  /// "number parameters: 15.933 billion".
  static void read_parameters(const TrainerLine& line, TrainerLog& log) {
    const auto said = said_after(line.text, kParameters);
    const auto billions = said ? figure_at(*said) : std::nullopt;
    if (!billions || said->find(" billion") == std::string_view::npos) return;
    LaunchFacts& facts = log.launch().facts;
    facts.model.params = nearest_whole_number(billions->value * kBillion);
    facts.say("number parameters", *said);
    tell_experts(facts);
  }

  /// "Using (GB) 44.63 / 95.74 (46.615835%) on TPU_0(process=0,(0,0,0,0))": GB is 2^30 there.
  static void read_memory(std::string_view line, TrainerLaunch& launch) {
    const auto used = figure_after(line, kSaid[kMemory]);
    const auto on = line.find(") on ");
    if (!used || on == std::string_view::npos) return;  // of the host's memory
    const auto device = line.substr(on);
    const auto digit = device.find_first_of("0123456789");
    if (digit == std::string_view::npos) return;
    const Count rank = count_of(figure_at(device.substr(digit)));
    if (rank) raise(memory_of(launch, *rank).allocated_mib, used->value * kMibPerGib);
  }

  /// It is a part of the time of the step after the one that it names.
  static void see_pause(std::string_view line, Text text, Count& after) {
    const auto said = said_after(line, text);
    const Count step =
        said ? count_of(figure_at(said->substr(0, said->find_first_of(",. ")))) : std::nullopt;
    if (step) after = *step;
  }

  void read_step(const TrainerLine& line, TrainerLog& log) const {
    const auto at = find_key(line.text, kSaid[kStep]);
    if (at == std::string_view::npos) return;
    auto before = line.text.substr(0, at);
    const auto said = line.text.substr(at);
    constexpr std::string_view kRampUp = "[Rampup Batch Size Phase], ";
    if (before.ends_with(kRampUp))
      return log.could_not_use(line.text,
                               "its batch still grows, and it does not say how large it is");
    const Count step = count_after(said, kSaid[kStep]);
    const auto seconds = figure_after(said, "seconds: ");
    if (!step || !seconds) return;
    StepRecord record;
    record.step = *step;
    record.figure = scaled(*seconds, kMsPerSecond);
    if (*step < kStartupSteps) record.flags |= kFirst;
    if (saved_ == *step - 1) record.flags |= kAfterSave;
    if (evaluated_ == *step - 1) record.flags |= kAfterEvaluation;
    keep_loss(record, text_after(said, " loss: "));
    for (const std::string_view key : {"TFLOP/s/device: ", "TFLOP/s: "})
      keep(record, "TFLOP/s/GPU", figure_after(said, key));
    keep(record, "tokens/s/GPU", figure_after(said, "Tokens/s/device: "));
    keep(record, "samples/s/GPU", figure_after(said, "Samples/s/device: "));
    keep(record, "frames/s/GPU", figure_after(said, "Frames/s/device: "));
    for (const std::string_view name :
         {"total_weights", "lm_loss", "perplexity", "moe_lb_loss", "mtp_loss"})
      keep(record, name, figure_after(said, std::string(name) + ": "));
    record.at = time_of(before);
    log.launch().first_step = 0;
    log.launch().startup_steps = kStartupSteps;
    log.add(number_, record, before);
  }

  const std::size_t number_;
  Count saved_, evaluated_;  ///< the step after which that was
};

/// The product of the sizes of a kind of axes of the mesh, within slices and between them; nothing
/// where one is left to MaxText (-1), or none is said.
Count mesh_size(const LaunchFacts& facts, std::initializer_list<std::string_view> kinds) {
  double product = 1;
  bool is_said = false;
  for (const std::string_view kind : kinds) {
    for (const std::string_view network : {"ici_", "dcn_"}) {
      const auto* size =
          find_value(facts.arguments, std::string(network) + std::string(kind) + "_parallelism");
      if (!size) continue;
      const Count one = size->number ? whole_number(*size->number) : std::nullopt;
      if (!one || *one < 1) return std::nullopt;
      is_said = true;
      product *= static_cast<double>(*one);
    }
  }
  return is_said ? whole_number(product) : std::nullopt;
}

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  Layout& layout = facts.layout;
  if (!layout.tp) layout.tp = mesh_size(facts, {"tensor", "tensor_transpose", "tensor_sequence"});
  if (!layout.pp) layout.pp = mesh_size(facts, {"pipeline"});
  if (!layout.cp) layout.cp = mesh_size(facts, {"context", "sequence"});
  const auto* batch = find_value(facts.arguments, "per_device_batch_size");
  if (batch && batch->number && layout.gpus)
    facts.derive(layout.gbs, "gbs",
                 *batch->number * static_cast<double>(*layout.gpus * layout.gas.value_or(1)),
                 "per_device_batch_size · devices · gradient_accumulation_steps", 0);
  if (facts.tokens_per_gpu_step || layout.gbs) return;
  const auto tokens = median_of(rows, [](const StepRecord& record) -> std::optional<double> {
    const auto rate = value_named(record, "tokens/s/GPU");
    return rate ? std::optional(*rate * record.figure.value / kMsPerSecond) : std::nullopt;
  });
  if (!tokens) return;
  facts.tokens_per_gpu_step = near_power_of_two(*tokens);
  facts.derived.emplace_back("tokens per GPU and step",
                             value_of(std::string("Tokens/s/device · seconds")));
}

}  // namespace

constinit const TrainerFormat kMaxText{"maxtext", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
