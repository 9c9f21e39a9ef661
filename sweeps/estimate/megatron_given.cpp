// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/megatron_given.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/setup.h"
#include "sweeps/estimate/unknown_arguments.h"

namespace pippin {

namespace {

template <typename Member>
struct Named {
  std::string_view name;
  Member MegatronGiven::*member;
};

constexpr Named<Count> kCounts[] = {
    {"num_layers", &MegatronGiven::layers},
    {"encoder_num_layers", &MegatronGiven::layers},
    {"hidden_size", &MegatronGiven::hidden},
    {"num_attention_heads", &MegatronGiven::heads},
    {"num_query_groups", &MegatronGiven::groups},
    {"kv_channels", &MegatronGiven::head_width},
    {"ffn_hidden_size", &MegatronGiven::ffn},
    {"seq_length", &MegatronGiven::seq},
    {"encoder_seq_length", &MegatronGiven::seq},
    {"max_position_embeddings", &MegatronGiven::positions},
    {"vocab_size", &MegatronGiven::vocab},
    {"padded_vocab_size", &MegatronGiven::padded_vocab},
    {"pad_vocab_size_to", &MegatronGiven::padded_vocab},  // Megatron-DeepSpeed's
    {"make_vocab_size_divisible_by", &MegatronGiven::divisor},
    {"tensor_model_parallel_size", &MegatronGiven::tp},
    {"pipeline_model_parallel_size", &MegatronGiven::pp},
    {"context_parallel_size", &MegatronGiven::cp},
    {"expert_model_parallel_size", &MegatronGiven::ep},
    {"data_parallel_size", &MegatronGiven::dp},
    {"micro_batch_size", &MegatronGiven::mbs},
    {"global_batch_size", &MegatronGiven::gbs},
    {"gradient_accumulation_steps", &MegatronGiven::gas},
    {"num_layers_per_virtual_pipeline_stage", &MegatronGiven::layers_a_chunk},
    {"num_virtual_stages_per_pipeline_rank", &MegatronGiven::chunks},
    {"num_experts", &MegatronGiven::experts},
    {"moe_router_topk", &MegatronGiven::top_k},
    {"world_size", &MegatronGiven::world},
    {"nproc_per_node", &MegatronGiven::ranks_a_node},
    {"nnodes", &MegatronGiven::nodes},
    {"zero_stage", &MegatronGiven::zero},
    {"num_distributed_optimizer_instances", &MegatronGiven::instances},
    {"moe_ffn_hidden_size", &MegatronGiven::expert_ffn},
    {"expert_tensor_parallel_size", &MegatronGiven::expert_tp},
    {"moe_shared_expert_intermediate_size", &MegatronGiven::shared_ffn},
    {"q_lora_rank", &MegatronGiven::query_latent},
    {"kv_lora_rank", &MegatronGiven::key_latent},
    {"qk_head_dim", &MegatronGiven::key_width},
    {"qk_pos_emb_head_dim", &MegatronGiven::shared_key},
    {"v_head_dim", &MegatronGiven::value_width},
    {"mtp_num_layers", &MegatronGiven::mtp_layers},
    {"recompute_num_layers", &MegatronGiven::recompute_layers},
    {"wgrad_deferral_limit", &MegatronGiven::deferral_limit},
    {"suggested_communication_unit_size", &MegatronGiven::fsdp_unit},
    {"decoder_first_pipeline_num_layers", &MegatronGiven::first_layers},
    {"decoder_last_pipeline_num_layers", &MegatronGiven::last_layers},
    {"microbatch_group_size_per_vp_stage", &MegatronGiven::chunk_group},
    {"num_key_value_heads", &MegatronGiven::kv_heads},
};

/// What is typed, or was in earlier years, and what Megatron calls it.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"microbatch_group_size_per_virtual_pipeline_stage", "microbatch_group_size_per_vp_stage"},
    {"activations_checkpoint_num_layers", "recompute_num_layers"},
    {"checkpoint_num_layers", "recompute_num_layers"},
    {"model_parallel_size", "tensor_model_parallel_size"},
    {"batch_size", "micro_batch_size"},
    {"fp8_format", "fp8"},
    {"fp8_param", "fp8_param_gather"},
    {"tokenizer_name_or_path", "tokenizer_model"},
    {"patch_tokenizer_type", "tokenizer_model"}};

constexpr Named<bool> kFlags[] = {
    {"swiglu", &MegatronGiven::swiglu},
    {"quick_geglu", &MegatronGiven::geglu},
    {"squared_relu", &MegatronGiven::squared_relu},
    {"qk_layernorm", &MegatronGiven::qk_norms},
    {"deterministic_mode", &MegatronGiven::deterministic},
    {"no_masked_softmax_fusion", &MegatronGiven::no_fused_softmax},
    {"no_gradient_accumulation_fusion", &MegatronGiven::no_fused_gradients},
    {"cross_entropy_loss_fusion", &MegatronGiven::fused_loss},
    {"moe_grouped_gemm", &MegatronGiven::grouped_experts},
    {"grad_reduce_in_bf16", &MegatronGiven::narrow_sums},
    {"fp8_param_gather", &MegatronGiven::fp8_weights},
    {"tp_comm_overlap", &MegatronGiven::overlaps_tensor},
    {"first_last_layers_bf16", &MegatronGiven::ends_in_bf16},
    {"use_precision_aware_optimizer", &MegatronGiven::precision_aware},
    {"moe_shared_expert_gate", &MegatronGiven::shared_gate},
    {"moe_shared_expert_overlap", &MegatronGiven::overlaps_shared},
    {"multi_latent_attention", &MegatronGiven::latent},
    {"mtp_use_repeated_layer", &MegatronGiven::mtp_shares},
    {"moe_use_shared_expert_gate", &MegatronGiven::shared_gate},
    {"bf16", &MegatronGiven::bf16},
    {"fp16", &MegatronGiven::fp16},
    {"use_flash_attn", &MegatronGiven::flash},
    {"use_flash_attn_v2", &MegatronGiven::flash},
    {"use_flash_attn_triton", &MegatronGiven::flash},
    {"use_flash_attn_builder", &MegatronGiven::flash},
    {"use_distributed_optimizer", &MegatronGiven::distributed_optimizer},
    {"accumulate_allreduce_grads_in_fp32", &MegatronGiven::wide_gradients},
    {"sequence_parallel", &MegatronGiven::sequence_parallel},
    {"group_query_attention", &MegatronGiven::grouped},
    {"disable_bias_linear", &MegatronGiven::no_biases},
    {"add_qkv_bias", &MegatronGiven::qkv_biases},
    {"untie_embeddings_and_output_weights", &MegatronGiven::untied},
    {"recompute_activations", &MegatronGiven::recompute_selective},
    {"checkpoint_activations", &MegatronGiven::recompute_full},
    {"use_rotary_position_embeddings", &MegatronGiven::rotary},
    {"no_position_embedding", &MegatronGiven::no_positions},
    {"embed_layernorm", &MegatronGiven::embedding_norm},  // BigScience's
    {"deepspeed", &MegatronGiven::deepspeed},
    {"use_mcore_models", &MegatronGiven::core},
    {"account_for_embedding_in_pipeline_split", &MegatronGiven::counts_embedding},
    {"account_for_loss_in_pipeline_split", &MegatronGiven::counts_loss},
    {"overlap_moe_expert_parallel_comm", &MegatronGiven::overlaps_experts},
    {"overlap_grad_reduce", &MegatronGiven::overlaps_gradients},
    {"overlap_param_gather", &MegatronGiven::overlaps_weights},
    {"moe_layer_recompute", &MegatronGiven::remakes_experts},
    {"use_tp_pp_dp_mapping", &MegatronGiven::pipeline_before_data},
    {"optimizer_cpu_offload", &MegatronGiven::offloads_optimizer},
    {"use_megatron_fsdp", &MegatronGiven::fsdp},
    {"use_custom_fsdp", &MegatronGiven::fsdp},
    {"defer_embedding_wgrad_compute", &MegatronGiven::defers_embedding},
};

constexpr Named<std::string> kWords[] = {
    {"recompute_granularity", &MegatronGiven::granularity},
    {"recompute_method", &MegatronGiven::method},
    {"activations_checkpoint_method", &MegatronGiven::older_method},
    {"step_batch_size_schedule", &MegatronGiven::batch_schedule},
    {"position_embedding_type", &MegatronGiven::positions_kind},
    {"normalization", &MegatronGiven::normalization},
    {"transformer_impl", &MegatronGiven::implementation},
    {"attention_backend", &MegatronGiven::backend},
    {"hidden_dropout", &MegatronGiven::hidden_dropout},
    {"attention_dropout", &MegatronGiven::attention_dropout},
    {"moe_token_dispatcher_type", &MegatronGiven::dispatcher},
    {"tokenizer_type", &MegatronGiven::tokenizer},
    {"tokenizer_model", &MegatronGiven::tokenizer_model},
    {"moe_layer_freq", &MegatronGiven::mixtures},
    {"pipeline_model_parallel_layout", &MegatronGiven::layout},
    {"recompute_modules", &MegatronGiven::remade},
    {"pp_partition_method", &MegatronGiven::partition},
    {"fp8", &MegatronGiven::fp8_format},
    {"fp8_recipe", &MegatronGiven::fp8_recipe},
    {"main_grads_dtype", &MegatronGiven::gradient_type},
    {"main_params_dtype", &MegatronGiven::wide_weight_type},
    {"exp_avg_dtype", &MegatronGiven::first_moment_type},
    {"exp_avg_sq_dtype", &MegatronGiven::second_moment_type},
    {"optimizer", &MegatronGiven::optimizer},
    {"cross_entropy_fusion_impl", &MegatronGiven::loss_fusion},
    {"optimizer_offload_fraction", &MegatronGiven::offload_fraction},
    {"data_parallel_sharding_strategy", &MegatronGiven::sharding},
    {"megatron_fsdp_main_grads_dtype", &MegatronGiven::sharded_gradient_type},
};

std::int64_t count_of(std::string_view name, const Value& value) {
  if (value.text == "True")
    bad_input("estimate: {} has no value; is a variable behind it empty?", typed_argument(name));
  const auto count = parse_integer(value.text);
  if (!count || *count < 1 || *count > kLargestCount)
    bad_input("estimate: {} takes a whole number from 1 to {}, not '{}'", typed_argument(name),
              kLargestCount, value.text);
  return *count;
}

/// What people type for an argument that Megatron calls otherwise, and refuses.
constexpr std::pair<std::string_view, std::string_view> kSlips[] = {
    {"tensor_parallel_size", "tensor_model_parallel_size"},
    {"pipeline_parallel_size", "pipeline_model_parallel_size"},
    {"expert_parallel_size", "expert_model_parallel_size"},
    {"virtual_pipeline_parallel_size", "num_virtual_stages_per_pipeline_rank"},
    {"tp", "tensor_model_parallel_size"},
    {"pp", "pipeline_model_parallel_size"},
    {"cp", "context_parallel_size"},
    {"ep", "expert_model_parallel_size"},
    {"mbs", "micro_batch_size"},
    {"gbs", "global_batch_size"},
    {"layers", "num_layers"},
    {"heads", "num_attention_heads"},
    {"seq_len", "seq_length"},
    {"sequence_length", "seq_length"},
    {"distributed_optimizer", "use_distributed_optimizer"},
    {"fsdp", "use_megatron_fsdp"}};

/// What came after Megatron-LM 2.x, among that which changes no estimate.
constexpr std::string_view kNewer[] = {"auto_detect_ckpt_format",     "ckpt_format",
                                       "ckpt_fully_parallel_save",    "dist_ckpt_format",
                                       "distributed_timeout_minutes", "use_dist_ckpt"};

template <typename Table>
auto entry_of(const Table& table, std::string_view name) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto& entry) { return entry.name == name; });
}

/// Whether a count's value says that there is none, or leaves it to torchrun, which counts itself.
bool says_no_count(std::string_view name, std::string_view text) {
  const bool may_be_0 =
      name == "num_experts" || name == "mtp_num_layers" || name == "wgrad_deferral_limit";
  const bool is_open = (name == "nproc_per_node" && (text == "gpu" || text == "auto")) ||
                       (name == "nnodes" && text.find(':') != std::string_view::npos);
  return is_open || (may_be_0 && text == "0");
}

/// False where the name is none of those that count.
bool take(const std::string& name, const Value& value, MegatronGiven& given) {
  if (const auto* one = entry_of(kCounts, name); one != std::end(kCounts)) {
    if (says_no_count(name, value.text))
      given.*one->member = std::nullopt;
    else if (name == "zero_stage" && value.text == "0")
      given.zero = 0;
    else if (value.text != "None")
      given.*one->member = count_of(name, value);
  } else if (const auto* flag = entry_of(kFlags, name); flag != std::end(kFlags)) {
    given.*flag->member = lower(value.text) != "false" && value.text != "0";
  } else if (const auto* word = entry_of(kWords, name); word != std::end(kWords)) {
    if (value.text != "None") given.*word->member = value.text;
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> names_that_count() {
  std::vector<std::string> names;
  for (const auto& one : kCounts) names.emplace_back(one.name);
  for (const auto& one : kFlags) names.emplace_back(one.name);
  for (const auto& one : kWords) names.emplace_back(one.name);
  return names;
}

/// Requires that neither is empty. Few letters of a long name are a slip of the hand; two of
/// Megatron's own differ by more.
bool is_misspelt(const std::string& name, const std::string& known) {
  constexpr std::size_t kMost = 2, kLettersFor1 = 6;
  const std::size_t most = std::min(kMost, name.size() / kLettersFor1);
  const auto [shorter, longer] = std::minmax({name.size(), known.size()});
  return longer - shorter <= most && name.front() == known.front() &&
         edit_distance(name, known) <= most;
}

}  // namespace

std::string typed_argument(std::string_view name) {
  std::string text(name);
  if (is_other_model(text)) return text;
  std::replace(text.begin(), text.end(), '_', '-');
  return "--" + text;
}

void check_word(std::string_view name, const std::string& text,
                std::initializer_list<std::string_view> known) {
  if (text.empty() || std::find(known.begin(), known.end(), text) != known.end()) return;
  bad_input("estimate: {} is one of {}, not '{}'", typed_argument(name), fmt::join(known, ", "),
            printable(text));
}

bool is_count(std::string_view name) { return entry_of(kCounts, name) != std::end(kCounts); }

bool is_flag(std::string_view name) { return entry_of(kFlags, name) != std::end(kFlags); }

bool is_estimated_by(std::string_view name) {
  return is_count(name) || is_flag(name) || entry_of(kWords, name) != std::end(kWords);
}

std::string TypedNames::take(std::string_view typed) {
  std::string name(typed);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const auto& [slip, meant] : kSlips)
    if (name == slip)
      bad_input("estimate: unknown argument '{}', did you mean '{}'?", typed_argument(name),
                typed_argument(meant));
  if (!is_estimated_by(name) || name == "nproc_per_node") return name;  // torchrun takes either
  if (typed.find('_') != std::string_view::npos)
    underscored_ = typed;
  else if (typed.find('-') != std::string_view::npos)
    has_dashes_ = true;
  if (has_dashes_ && !underscored_.empty())
    bad_input("estimate: unknown argument '--{0}', did you mean '{1}'?", underscored_,
              typed_argument(underscored_));
  return name;
}

std::string_view current_name(std::string_view name) {
  for (const auto& [other, current] : kOtherNames)
    if (name == other) return current;
  return name;
}

std::string_view only_of_list(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']') || text.find(',') != std::string_view::npos)
    return text;
  std::string_view inner = trim(text.substr(1, text.size() - 2));
  for (const char quote : {'\'', '"'})
    if (inner.size() > 1 && inner.starts_with(quote) && inner.ends_with(quote))
      inner = inner.substr(1, inner.size() - 2);
  return inner.empty() ? text : inner;
}

MegatronGiven megatron_given(const NamedValues& arguments, std::vector<std::string>& unused) {
  MegatronGiven given;
  static const std::vector<std::string> known = names_that_count();
  for (const auto& [name, value] : arguments) {
    if (take(std::string(current_name(name)), value, given)) continue;
    for (const auto& one : known) {
      if (is_misspelt(name, one))
        bad_input("estimate: unknown argument '{}', did you mean '{}'?", typed_argument(name),
                  typed_argument(one));
    }
    if (std::find(std::begin(kNewer), std::end(kNewer), name) != std::end(kNewer))
      given.newer = true;
    unused.push_back(typed_argument(name));
  }
  return given;
}

}  // namespace pippin
