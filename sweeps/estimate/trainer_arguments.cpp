// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/trainer_arguments.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/unknown_arguments.h"

namespace pippin {

namespace {

constexpr std::string_view kProbe = "training";

std::string text_in(const NamedValues& values, const std::string& name) {
  const Value* value = find_value(values, name);
  return value ? value->text : "";
}

bool is_off(std::string_view text) {
  return text.empty() || text == "None" || text == "False" || text == "0" || text == "0.0" ||
         text == "[]";
}

bool is_on(const NamedValues& values, const std::string& name) {
  return !is_off(text_in(values, name));
}

/// What is on in a run of which no memory account is known; the first of those that are.
std::string_view unknown_of_memory(const NamedValues& dump) {
  constexpr std::string_view kUnknown[] = {"cpu_offload",
                                           "cpu_offloading",
                                           "cpu_optimizer",
                                           "optimizer_cpu_offload",
                                           "offload_optimizer_states",
                                           "fp8_dot_product_attention",
                                           "fp8_multi_head_attention",
                                           "fp4",
                                           "fp4_format",
                                           "mla_down_proj_fusion",
                                           "mtp_num_layers",
                                           "use_torch_fsdp2",
                                           "use_custom_fsdp",
                                           "use_megatron_fsdp",
                                           "pipeline_model_parallel_layout",
                                           "partition_activations",
                                           "is_hybrid_model",
                                           "hybrid_override_pattern",
                                           "spec",
                                           "fp16_lm_cross_entropy",
                                           "fp32_residual_connection",
                                           "moe_layer_recompute",
                                           "enable_cuda_graph",
                                           "external_cuda_graph"};
  const auto* found = std::find_if(std::begin(kUnknown), std::end(kUnknown),
                                   [&](const auto name) { return is_on(dump, std::string(name)); });
  return found == std::end(kUnknown) ? "" : *found;
}

/// A dump's text as one types it: "AttnBackend.flash" is flash, "PositionEmbeddingType.alibi"
/// alibi, "['p2p']" p2p, 1.0 is 1.
std::string plain_text(std::string_view name, const std::string& text) {
  if (is_count(name)) {
    const auto number = parse_number(text);
    return number && *number == std::floor(*number) ? number_text(*number) : text;
  }
  if (text.starts_with('[') && text.find(',') == std::string::npos)
    return std::string(only_of_list(text));
  const bool is_word = text.starts_with("AttnBackend.") || text.starts_with("PositionEmbedding");
  return is_word ? text.substr(text.find('.') + 1) : text;
}

/// What changes time, too, in a way that is not known.
std::string_view unknown_of_time(const NamedValues& dump) {
  const std::string parts = text_in(dump, "context_parallel_size");
  const bool has_ring = !parts.empty() && parts != "1";
  const auto found = std::find_if(dump.begin(), dump.end(), [&](const auto& one) {
    const bool is_mixtures = one.first.starts_with("moe_");  // printed of all models
    if ((is_mixtures && !is_on(dump, "num_experts")) || (is_of_context(one.first) && !has_ring))
      return false;
    return is_unknown_to_time(one.first, value_of(plain_text(one.first, one.second.text)));
  });
  return found == dump.end() ? std::string_view() : std::string_view(found->first);
}

/// What is turned off under the name of what is usually on.
constexpr std::pair<const char*, const char*> kTurnedOff[] = {
    {"masked_softmax_fusion", "no_masked_softmax_fusion"},
    {"add_bias_linear", "disable_bias_linear"},
    {"add_position_embedding", "no_position_embedding"}};

/// The arguments of a launch that would print such a dump.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(const NamedValues& dump) {
    for (const auto& [name, value] : dump) {
      const bool is_word = name.find("dropout") != std::string::npos;
      const bool one_expert = name == "num_experts" && (value.text == "[1]" || value.text == "1");
      const bool may_be_0 = is_word || name == "zero_stage";
      if (is_estimated_by(name) && !one_expert && (may_be_0 || !is_off(value.text)))
        add(name, plain_text(name, value.text));
    }
    for (const auto& [name, off] : kTurnedOff)
      if (text_in(dump, name) == "False") add(off, "True");
    for (const auto& [former, value] : dump) {
      const std::string name(current_name(former));
      if (name != former && !is_off(value.text)) add(name, plain_text(name, value.text));
    }
    const std::string type = text_in(dump, "params_dtype");
    if (type == "torch.float16") add("fp16", "True");
    if (type == "torch.bfloat16") add("bf16", "True");
  }

  bool has(const std::string& name) const { return find_value(all_, name) != nullptr; }
  /// What is there already stays.
  void add(const std::string& name, const std::string& text) {
    if (!has(name)) all_.emplace_back(name, value_of(text));
  }
  void add(const std::string& name, const Count& count) {
    if (count) add(name, std::to_string(*count));
  }
  /// Of each layer, where nothing says how many at once.
  void add_full_recomputation() {
    add("recompute_granularity", std::string("full"));
    add("recompute_method", std::string("uniform"));
    add("recompute_num_layers", std::string("1"));
  }
  void remove(const std::string& name) {
    std::erase_if(all_, [&](const auto& one) { return one.first == name; });
  }
  const NamedValues& all() const { return all_; }

 private:
  NamedValues all_;
};

void add_shape(const Model& model, Arguments& arguments) {
  arguments.add("num_layers", model.layers);
  arguments.add("hidden_size", model.hidden);
  arguments.add("num_attention_heads", model.heads);
  arguments.add("ffn_hidden_size", model.ffn);
  arguments.add("seq_length", model.seq);
  arguments.add("padded_vocab_size", model.padded_vocab);
  arguments.add("vocab_size", model.vocab);
}

/// Our `training` has no flag that says it.
void add_groups(const Model& model, Arguments& arguments) {
  if (!model.kv_heads || !model.heads || *model.kv_heads == *model.heads) return;
  arguments.add("num_query_groups", model.kv_heads);
  arguments.add("group_query_attention", "True");
}

void add_layout(const Layout& layout, Arguments& arguments) {
  arguments.add("tensor_model_parallel_size", layout.tp);
  arguments.add("pipeline_model_parallel_size", layout.pp);
  // An older Megatron has no such argument, and would be taken for a newer one.
  if (layout.cp.value_or(1) > 1) arguments.add("context_parallel_size", layout.cp);
  arguments.add("data_parallel_size", layout.dp);
  arguments.add("micro_batch_size", layout.mbs);
  arguments.add("global_batch_size", layout.gbs);
}

/// What an excerpt of a dump leaves out.
void add_point(const Point& point, Arguments& arguments) {
  add_shape(point.model, arguments);
  add_groups(point.model, arguments);
  add_layout(point.layout, arguments);
}

/// What our `training` has under names of its own.
void add_probe(const NamedValues& dump, const Point& point, Arguments& arguments) {
  const std::string style = text_in(dump, "model_style");
  if (style == "llama" || point.model.style == "llama") {
    for (const char* flag : {"swiglu", "untie_embeddings_and_output_weights",
                             "use_rotary_position_embeddings", "disable_bias_linear"})
      arguments.add(flag, "True");
    arguments.add("normalization", "RMSNorm");
  }
  if (!dump.empty()) return;
  const std::string precision = text_in(point.axes, "precision");
  if (precision == "fp16" || precision == "bf16") arguments.add(precision, "True");
  if (is_on(point.axes, "zero")) arguments.add("zero_stage", text_in(point.axes, "zero"));
  if (is_on(point.axes, "sequence_parallel")) arguments.add("sequence_parallel", "True");
  const std::string recompute = text_in(point.axes, "recompute");
  if (recompute == "full")
    arguments.add_full_recomputation();
  else if (!recompute.empty() && recompute != "none")
    arguments.add("recompute_granularity", recompute);
}

bool is_probe(const NamedValues& dump, const Point& point) {
  return text_in(dump, "probe") == kProbe || point.trainer == kProbe;
}

/// Megatron-LM of 2020 to 2022 dumps the implementation of DDP, later ones that of layers; before
/// all models were Megatron-Core's, they say whether they are.
void tell_generation(const NamedValues& dump, const Arguments& arguments, ArgumentsSetup& said) {
  Setup& setup = *said.setup;
  if (text_in(dump, "deepspeed") == "True") return;
  const bool later = find_value(dump, "transformer_impl") != nullptr;
  const bool older =
      text_in(dump, "use_mcore_models") == "False" || is_on(dump, "use_legacy_models");
  if (!later && !find_value(dump, "DDP_impl")) {
    said.setup.reset();
    said.why_not = "its dump does not say which Megatron it is of";
    return;
  }
  if (later && !older) return;
  setup.framework =
      later || arguments.has("use_flash_attn") ? Framework::kMegatron2023 : Framework::kMegatron2;
  setup.transformer_engine = false;
  setup.attention = arguments.has("use_flash_attn") ? Attention::kFlash : Attention::kScores;
}

void tell_probe(Setup& setup) {
  setup.framework = Framework::kProbe;
  setup.transformer_engine = false;
  setup.hidden_dropout = setup.attention_dropout = false;
  setup.attention = Attention::kScores;
}

/// Requires that `arguments` has all that the point says.
ArgumentsSetup setup_of(const Arguments& arguments, const Point& point, const Count& gpus_per_node,
                        Generation generation) {
  ArgumentsSetup said;
  // A default of Megatron's would be a guess.
  if (!arguments.has("vocab_size") && !arguments.has("padded_vocab_size")) {
    said.why_not = "the size of its vocabulary is not known";
    return said;
  }
  try {
    const MegatronSetup read =
        megatron_setup(arguments.all(), point.layout.gpus, gpus_per_node, generation);
    said.setup = read.setup;
    if (!read.unknown.empty())
      said.why_no_memory = fmt::format("what {} takes is not known", read.unknown.front());
    const std::string mixtures = typed_argument("moe_layer_freq");
    if (std::find(read.unknown.begin(), read.unknown.end(), mixtures) != read.unknown.end())
      said.why_no_time = said.why_no_memory =
          fmt::format("layers with experts as {} has them are not known", mixtures);
  } catch (const Error& error) {
    said.why_not = reason_of(error);
  }
  return said;
}

void tell_unknown_time(std::string_view argument, ArgumentsSetup& said) {
  if (!argument.empty())
    said.why_no_time = fmt::format("how fast it is with {} is not known", typed_argument(argument));
  if (said.setup->type == NumberType::kFp32)
    said.why_no_time = "it trains in fp32, and rates are of 16 bits";
}

void tell_unknown_memory(std::string_view argument, ArgumentsSetup& said) {
  if (!argument.empty())
    said.why_no_memory = fmt::format("what {} takes is not known", typed_argument(argument));
}

}  // namespace

ArgumentsSetup setup_of_dump(const NamedValues& dump, const Point& point,
                             const std::string& recompute, const Count& gpus_per_node,
                             Generation generation) {
  Arguments arguments(dump);
  add_point(point, arguments);
  const bool probe = is_probe(dump, point);
  if (probe) add_probe(dump, point, arguments);
  if (recompute == "full") arguments.add_full_recomputation();
  ArgumentsSetup said = setup_of(arguments, point, gpus_per_node, generation);
  if (!said.setup) return said;
  probe ? tell_probe(*said.setup) : tell_generation(dump, arguments, said);
  if (!said.setup) return said;
  tell_unknown_memory(unknown_of_memory(dump), said);
  const bool on_processor = text_in(dump, "device") == "cpu";
  if (probe && on_processor && said.setup->type != NumberType::kFp32)
    said.why_no_memory = "what a processor takes besides for 16 bits is not known";
  tell_unknown_time(unknown_of_time(dump), said);
  return said;
}

ArgumentsSetup setup_of_command(const NamedValues& arguments, const Point& point,
                                const Count& gpus_per_node, Generation generation) {
  Arguments all;
  for (const auto& [name, value] : arguments) all.add(name, value.text);
  add_point(point, all);
  // A width that is not typed is the trainer's own, and not what a plan takes for it.
  if (!find_value(arguments, "ffn_hidden_size")) all.remove("ffn_hidden_size");
  ArgumentsSetup said = setup_of(all, point, gpus_per_node, generation);
  if (!said.setup) return said;
  const bool says_stage = find_value(arguments, "zero_stage") != nullptr;
  const auto unknown = std::find_if(arguments.begin(), arguments.end(), [&](const auto& one) {
    const bool is_known =
        is_estimated_by(current_name(one.first)) || (one.first == "deepspeed_config" && says_stage);
    return !is_known && is_unknown_to_memory(one.first, one.second);
  });
  if (unknown != arguments.end()) tell_unknown_memory(unknown->first, said);
  tell_unknown_time(unknown_of_time(arguments), said);
  return said;
}

}  // namespace pippin
