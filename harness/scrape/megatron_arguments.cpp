// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_arguments.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "core/base/text.h"

namespace pippin {

namespace {

// Sources: arguments.py of Megatron-LM 2019-2024, of microsoft/Megatron-DeepSpeed, of BigScience's
// fork and of GPT-NeoX.

/// Read into Model and Layout.
constexpr std::string_view kPlaced[] = {"batch_size",
                                        "context_parallel_size",
                                        "data_parallel_size",
                                        "encoder_num_layers",
                                        "encoder_seq_length",
                                        "ffn_hidden_size",
                                        "gas",
                                        "global_batch_size",
                                        "gradient_accumulation_steps",
                                        "hidden_size",
                                        "make_vocab_size_divisible_by",
                                        "micro_batch_size",
                                        "model_parallel_size",
                                        "num_attention_heads",
                                        "num_layers",
                                        "num_query_groups",
                                        "padded_vocab_size",
                                        "pipe_parallel_size",
                                        "pipeline_model_parallel_size",
                                        "seq_length",
                                        "tensor_model_parallel_size",
                                        "train_batch_size",
                                        "train_micro_batch_size_per_gpu",
                                        "vocab_size",
                                        "world_size"};

/// Names, places, schedules, initial values, other tasks' options: nothing a step waits for.
constexpr std::string_view kIdle[] = {"adam_beta1",
                                      "adam_beta2",
                                      "adam_eps",
                                      "betas",
                                      "block_data_path",
                                      "class_num_classes",
                                      "data_sharding",
                                      "decoupled_lr",
                                      "decoupled_min_lr",
                                      "deepspeed_config",
                                      "distributed_timeout_minutes",
                                      "end_weight_decay",
                                      "eps",
                                      "exclude",
                                      "faiss_use_gpu",
                                      "finetune",
                                      "hostfile",
                                      "hysteresis",
                                      "img_dim",
                                      "img_h",
                                      "img_w",
                                      "include",
                                      "inference_batch_times_seqlen_threshold",
                                      "initial_loss_scale",
                                      "initial_scale_power",
                                      "iteration",
                                      "job_name",
                                      "launcher",
                                      "layernorm_epsilon",
                                      "load",
                                      "local_rank",
                                      "loss_scale_window",
                                      "lr",
                                      "mask_factor",
                                      "mask_prob",
                                      "mask_type",
                                      "merge_file",
                                      "min_loss_scale",
                                      "min_lr",
                                      "min_scale",
                                      "mmap_warmup",
                                      "node_rank",
                                      "norm_epsilon",
                                      "num_channels",
                                      "num_classes",
                                      "override_lr_scheduler",
                                      "override_opt_param_scheduler",
                                      "patch_dim",
                                      "query_in_block_prob",
                                      "rank",
                                      "report_topk_accuracies",
                                      "sample_rate",
                                      "save",
                                      "seed",
                                      "sgd_momentum",
                                      "short_seq_prob",
                                      "split",
                                      "start_weight_decay",
                                      "steps_per_print",
                                      "tokenizer_model",
                                      "tokenizer_type",
                                      "train_iters",
                                      "train_samples",
                                      "train_tokens",
                                      "use_checkpoint_args",
                                      "use_checkpoint_lr_scheduler",
                                      "use_checkpoint_opt_param_scheduler",
                                      "use_cpu_initialization",
                                      "use_one_sent_docs",
                                      "user_script",
                                      "vocab_extra_ids",
                                      "vocab_file",
                                      "warmup",
                                      "weight_decay",
                                      "weight_decay_incr_style"};

constexpr std::string_view kIdlePrefixes[] = {
    "adlr_",      "bert_",   "biencoder_", "consumed_",    "dino_",    "eval_",
    "exit_",      "ict_",    "indexer_",   "init_method",  "load_",    "log_",
    "lr_",        "master_", "mlflow_",    "no_load_",     "no_save_", "perform_initialization",
    "retriever_", "retro_",  "save_",      "tensorboard_", "vision_",  "wandb_"};

constexpr std::string_view kIdleSuffixes[] = {"_addr",     "_dir",  "_file",   "_id",
                                              "_interval", "_key",  "_name",   "_path",
                                              "_port",     "_seed", "_timeout"};

/// Of DeepSpeed's configuration.
constexpr std::string_view kIdleSections[] = {"comet", "csv_monitor", "scheduler", "tensorboard",
                                              "wandb"};

constexpr const char* kExperts[] = {"num_experts", "moe_num_experts"};

/// Logging that costs a pass over all gradients or parameters, or barriers, in every step.
constexpr std::string_view kBusyLogging[] = {"log_num_zeros_in_grad", "log_params_norm"};

static_assert(std::is_sorted(std::begin(kPlaced), std::end(kPlaced)) &&
              std::is_sorted(std::begin(kIdle), std::end(kIdle)) &&
              std::is_sorted(std::begin(kIdleSections), std::end(kIdleSections)) &&
              std::is_sorted(std::begin(kBusyLogging), std::end(kBusyLogging)));

bool among(std::string_view name, const auto& sorted_names) {
  return std::binary_search(std::begin(sorted_names), std::end(sorted_names), name);
}

/// Looks names up in a dump.
class Arguments {
 public:
  explicit Arguments(const NamedValues& values) : values_(values) {}

  /// The first of these that the dump holds as a whole number.
  Count count(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const Value* value = find_value(values_, name);
      if (value && value->number && std::abs(*value->number) < 1e15 &&
          *value->number == std::floor(*value->number))
        return static_cast<std::int64_t>(*value->number);
    }
    return std::nullopt;
  }
  std::string text(const char* name) const {
    const Value* value = find_value(values_, name);
    return value ? value->text : std::string();
  }
  bool on(const char* name) const { return text(name) == "True"; }
  bool has(const char* name) const { return find_value(values_, name) != nullptr; }

 private:
  const NamedValues& values_;
};

Count first_of(const Count& a, const Count& b) { return a ? a : b; }

/// Nothing unless every factor is known, or where the product has no meaning.
Count product(std::initializer_list<Count> factors) {
  double result = 1;
  for (const auto& factor : factors) {
    if (!factor || *factor <= 0) return std::nullopt;
    result *= static_cast<double>(*factor);
  }
  return result < 1e15 ? Count(static_cast<std::int64_t>(result)) : std::nullopt;
}

Count quotient(const Count& whole, const Count& part) {
  return whole && part && *part > 0 && *whole % *part == 0 ? Count(*whole / *part) : std::nullopt;
}

/// "8", or "[8]" in Megatron-DeepSpeed, where [1] is no mixture.
bool has_experts(const Arguments& arguments) {
  return std::any_of(std::begin(kExperts), std::end(kExperts), [&](const char* name) {
    const std::string text = arguments.text(name);
    const auto begin = text.find_first_not_of('['), end = text.find_last_not_of(']');
    if (begin == std::string::npos || end == std::string::npos) return false;
    return parse_number(std::string_view(text).substr(begin, end + 1 - begin)).value_or(0) > 1;
  });
}

/// Layers that are neither attention nor MLP: state spaces, linear attention. Source: Megatron-LM
/// of 2024 to 2026, whose words for it changed; DeepSeek's sparse attention is none of them.
bool has_other_layers(const Arguments& arguments) {
  const auto is_given = [&](const char* name) {
    const std::string text = arguments.text(name);
    return !text.empty() && text != "None" && parse_number(text) != 0.0;
  };
  const std::string attention = arguments.text("experimental_attention_variant");
  const std::string layers = arguments.text("spec");
  return arguments.on("is_hybrid_model") || is_given("hybrid_layer_pattern") ||
         is_given("hybrid_override_pattern") || is_given("hybrid_attention_ratio") ||
         is_given("hybrid_mlp_ratio") || is_given("linear_attention_type") ||
         attention.starts_with("gated_delta") || attention.starts_with("gdn") ||
         layers.find("mamba") != std::string::npos || layers.find("hybrid") != std::string::npos;
}

std::string style_of(const Arguments& arguments) {
  if (!arguments.has("num_layers")) return {};
  if (has_other_layers(arguments)) return "hybrid";
  if (has_experts(arguments)) return "moe";
  return arguments.on("swiglu") ? "llama" : "gpt2";
}

Model model_of(const MegatronHeader& header) {
  const Arguments arguments(header.arguments);
  Model model;
  model.style = style_of(arguments);
  model.layers = arguments.count({"num_layers", "encoder_num_layers"});
  model.hidden = arguments.count({"hidden_size"});
  model.heads = arguments.count({"num_attention_heads"});
  model.kv_heads = arguments.on("group_query_attention")
                       ? arguments.count({"num_query_groups"})
                       : arguments.count({"num_key_value_heads"});  // Megatron-DeepSpeed's
  model.ffn = arguments.count({"ffn_hidden_size"});
  model.seq = arguments.count({"seq_length", "encoder_seq_length"});
  model.vocab = first_of(header.vocab, arguments.count({"vocab_size"}));
  model.padded_vocab = first_of(header.padded_vocab, arguments.count({"padded_vocab_size"}));
  if (const std::string untied = arguments.text("untie_embeddings_and_output_weights");
      !untied.empty())
    model.tied = untied != "True";
  return model;
}

/// Until 2020 a dump without a pipeline, or with 0 stages in DeepSpeed's fork, means one stage.
Count stages_of(const Arguments& arguments, const Count& printed) {
  const Count stages = arguments.count({"pipeline_model_parallel_size", "pipe_parallel_size"});
  if (stages) return std::max<std::int64_t>(*stages, 1);
  if (printed) return printed;
  return arguments.has("model_parallel_size") ? Count(1) : std::nullopt;
}

Layout layout_of(const MegatronHeader& header) {
  const Arguments arguments(header.arguments);
  Layout layout;
  layout.gpus = first_of(arguments.count({"world_size"}), header.world);
  layout.tp =
      first_of(arguments.count({"tensor_model_parallel_size", "model_parallel_size"}), header.tp);
  layout.pp = stages_of(arguments, header.pp);
  layout.cp = first_of(arguments.count({"context_parallel_size"}), header.cp);
  const Count replica = product({layout.tp, layout.pp, layout.cp.value_or(1)});
  layout.dp = first_of(first_of(arguments.count({"data_parallel_size"}), header.dp),
                       quotient(layout.gpus, replica));
  layout.mbs = first_of(
      arguments.count({"micro_batch_size", "train_micro_batch_size_per_gpu", "batch_size"}),
      header.mbs);
  layout.gas = first_of(header.gas, arguments.count({"gas", "gradient_accumulation_steps"}));
  layout.gbs = arguments.count({"global_batch_size", "train_batch_size"});
  // The dump of 2020 has no accumulation but in DeepSpeed's pipeline, and no global batch.
  if (!layout.gas && arguments.has("batch_size")) layout.gas = 1;
  if (!layout.gbs) layout.gbs = product({layout.mbs, layout.dp, layout.gas});
  if (!layout.gbs) layout.gbs = header.gbs;
  // GPT-NeoX' dump has neither the world nor DP. Its batch is for the GPUs that were asked for.
  const Count asked = arguments.count({"global_num_gpus"});
  const Count ran = product({layout.mbs, layout.dp, layout.gas});
  if (asked && header.world && asked != header.world && ran) layout.gbs = ran;
  if (!layout.dp) layout.dp = quotient(layout.gbs, product({layout.mbs, layout.gas}));
  if (!layout.gpus) layout.gpus = product({replica, layout.dp});
  if (!layout.gas) layout.gas = quotient(layout.gbs, product({layout.mbs, layout.dp}));
  return layout;
}

/// "bf16", "fp16" or "fp32"; empty where the dump does not say it. GPT-NeoX has a word for it, and
/// before that {'enabled': True, 'type': 'bfloat16'} for the halves of both kinds.
std::string precision_of(const Arguments& arguments) {
  const auto is_enabled = [&](const char* name) {
    return arguments.on(name) || arguments.text(name).find("'enabled': True") != std::string::npos;
  };
  std::string word = arguments.text("precision");
  if (word == "bfloat16") return "bf16";
  if (word == "fp16" || word == "fp32") return word;
  if (is_enabled("bf16")) return "bf16";
  if (is_enabled("fp16"))
    return arguments.text("fp16").find("'bfloat16'") != std::string::npos ? "bf16" : "fp16";
  return arguments.has("fp16") ? "fp32" : "";
}

/// What a person would say of a run after its layout.
std::string spoken_axes(const Arguments& arguments) {
  std::string words;
  const auto stage = arguments.count({"zero_optimization.stage", "zero_stage"}).value_or(0);
  if (arguments.on("deepspeed")) words += "-ds";
  if (stage > 0 && (arguments.on("deepspeed") || !arguments.has("deepspeed")))
    words += "-zero" + std::to_string(stage);
  if (arguments.on("use_distributed_optimizer")) words += "-zero1";
  const std::string precision = precision_of(arguments);
  if (!precision.empty() && precision != "fp16") words += "-" + precision;
  if (arguments.on("sequence_parallel")) words += "-sp";
  const auto chunks = arguments.count({"virtual_pipeline_model_parallel_size"});
  if (chunks) words += "-vpp" + std::to_string(*chunks);
  return words;
}

std::string trainer_of(const MegatronHeader& header) {
  if (!header.probe.empty()) return header.probe;
  return Arguments(header.arguments).on("deepspeed") ? "megatron-deepspeed" : "megatron";
}

/// Whether one rank holds all parameters.
bool holds_all(const MegatronHeader& header, const Layout& layout) {
  const Count experts = Arguments(header.arguments).count({"expert_model_parallel_size"});
  return layout.tp == 1 && layout.pp == 1 && experts.value_or(1) == 1;
}

}  // namespace

Point point_of(const MegatronHeader& header) {
  Point point;
  point.trainer = trainer_of(header);
  point.model = model_of(header);
  point.layout = layout_of(header);
  point.name = point_name(point) + spoken_axes(Arguments(header.arguments));
  for (const auto& argument : header.arguments) {
    if (matters_to_speed(argument.first, argument.second)) point.axes.push_back(argument);
  }
  point.id = point_id(point);
  // Of a hybrid with experts nothing tells which of them a token meets.
  const bool is_open = point.model.style == "hybrid" && has_experts(Arguments(header.arguments));
  if (holds_all(header, point.layout) && !is_open) point.model.params = header.params;
  return point;
}

std::string recompute_of(const NamedValues& dump) {
  const Arguments arguments(dump);
  std::string granularity = arguments.text("recompute_granularity");
  if (granularity == "full" || granularity == "selective") return granularity;
  if (arguments.on("recompute_activations")) return "selective";
  if (arguments.on("checkpoint_activations")) return "full";
  const std::string method = arguments.text("activations_checkpoint_method");
  if (method == "uniform" || method == "block") return "full";
  const bool says = !granularity.empty() || !method.empty() ||
                    arguments.has("recompute_activations") ||
                    arguments.has("checkpoint_activations");
  return says ? "none" : "";
}

bool matters_to_speed(const std::string& full_name, const Value& value) {
  // Of DeepSpeed's configuration "section.name".
  const std::string_view full(full_name);
  const auto dot = full.rfind('.');
  const auto section = full.substr(0, dot == std::string_view::npos ? 0 : full.find('.'));
  const auto name = full.substr(dot + 1);
  if (among(section, kIdleSections)) return false;
  if (among(name, kBusyLogging)) return true;
  if (among(name, kPlaced) || among(name, kIdle)) return false;
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  if (std::any_of(std::begin(kIdlePrefixes), std::end(kIdlePrefixes), begins)) return false;
  if (std::any_of(std::begin(kIdleSuffixes), std::end(kIdleSuffixes), ends)) return false;
  return value.text.find('/') == std::string::npos;  // a path, whatever its name
}

bool are_of_two_ranks(const NamedValues& a, const NamedValues& b) {
  const auto is_of_one_rank = [](const std::string& name) {
    return name == "rank" || name == "local_rank" || name == "node_rank";
  };
  const Value *rank_a = find_value(a, "rank"), *rank_b = find_value(b, "rank");
  return rank_a && rank_b && *rank_a != *rank_b &&
         std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](auto& x, auto& y) {
           return x.first == y.first && (is_of_one_rank(x.first) || x.second == y.second);
         });
}

}  // namespace pippin
