// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/unknown_arguments.h"

#include <algorithm>
#include <iterator>

namespace pippin {

namespace {

/// What begins an argument of Megatron's that changes memory, and that no estimate knows.
constexpr std::string_view kUnknown[] = {"activation_func_fp8",
                                         "activation_offload",
                                         "attention_output_gate",
                                         "checkpoint_in_cpu",
                                         "cp_comm_type",
                                         "cpu_offload",
                                         "cpu_optimizer",
                                         "cuda_graph",
                                         "decoder_num",
                                         "decoder_seq",
                                         "deepspeed_config",
                                         "distribute_checkpointed",
                                         "distribute_saved_activations",
                                         "ds_sequence_parallel",
                                         "enable_cuda_graph",
                                         "enable_mhc",
                                         "eval_micro_batch",
                                         "experimental_attention",
                                         "expert_tensor_parallel_num_weight_shards",
                                         "export_kd",
                                         "extra_vocab_size",
                                         "external_cuda_graph",
                                         "fine_grained_activation",
                                         "first_k_dense",
                                         "fp16_lm_cross_entropy",
                                         "fp32_residual",
                                         "fp4",
                                         "fp8_dot_product",
                                         "fp8_e4m3",
                                         "fp8_hybrid",
                                         "fp8_multi_head",
                                         "fp8_output_proj",
                                         "fp8_quantizer",
                                         "freeze",
                                         "fsdp_double_buffer",
                                         "fsdp_manual_registration",
                                         "heterogeneous_layers",
                                         "hierarchical_context",
                                         "hybrid_",
                                         "img_h",
                                         "is_hybrid_model",
                                         "keep_fp8_transpose",
                                         "linear_attention",
                                         "lora",
                                         "mamba_",
                                         "megatron_fsdp_main_params",
                                         "megatron_fsdp_max_pool",
                                         "megatron_fsdp_version",
                                         "mla_down_proj_fusion",
                                         "mlp_chunks",
                                         "model_provider",
                                         "moe_expert_capacity",
                                         "moe_expert_rank_capacity",
                                         "moe_latent",
                                         "moe_pad_expert",
                                         "moe_paged_stash",
                                         "mtp_detach",
                                         "mtp_hsm",
                                         "mtp_hybrid",
                                         "multi_head_latent",
                                         "muon_scalar_optimizer",
                                         "n_shared_experts",
                                         "no_bias_swiglu_fusion",
                                         "no_fp8_wgrad",
                                         "no_use_layer_wise",
                                         "num_microbatches_with_partial",
                                         "offload",
                                         "outer_dp_sharding",
                                         "output_logit_dtype",
                                         "partition_activations",
                                         "patch_dim",
                                         "perform_rl",
                                         "standalone_embedding",
                                         "tensor_parallel_num_weight_shards",
                                         "use_checkpoint_args",
                                         "use_legacy_models",
                                         "use_torch_fsdp2",
                                         "yaml_cfg",
                                         "zero_"};

/// What some of them are where nothing is said, so that it changes nothing.
constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
    {"cp_comm_type", "p2p"},
    {"cuda_graph_impl", "none"},
    {"megatron_fsdp_main_params_dtype", "fp32"},
    {"megatron_fsdp_main_params_dtype", "torch.float32"},
    {"megatron_fsdp_version", "1"},
    {"model_provider", "gpt"},
    {"muon_scalar_optimizer", "adam"},
    {"outer_dp_sharding_strategy", "no_shard"},
    {"softmax_type", "vanilla"},
    {"output_logit_dtype", "bf16"},
    {"tensor_parallel_num_weight_shards", "1"},
    {"expert_tensor_parallel_num_weight_shards", "1"},
    {"ds_sequence_parallel_size", "1"}};

/// What changes the work of a token, or how it is done, in ways that no time knows.
constexpr std::string_view kUntimed[] = {"attention_output_gate",
                                         "checkpoint_in_cpu",
                                         "cp_comm_type",
                                         "cpu_offloading",
                                         "cpu_optimizer",
                                         "experimental_attention_variant",
                                         "expert_tensor_parallel_num_weight_shards",
                                         "fine_grained_activation_offloading",
                                         "fp4",
                                         "fp4_format",
                                         "fp8",
                                         "fp8_e4m3",
                                         "fp8_format",
                                         "fp8_hybrid",
                                         "heterogeneous_layers_config_path",
                                         "hierarchical_context_parallel_sizes",
                                         "hybrid_layer_pattern",
                                         "hybrid_override_pattern",
                                         "is_hybrid_model",
                                         "moe_latent_size",
                                         "offload_optimizer_states",
                                         "optimizer_cpu_offload",
                                         "retro_add_retriever",
                                         "softmax_type",
                                         "tensor_parallel_num_weight_shards",
                                         "use_checkpoint_args",
                                         "use_torch_fsdp2",
                                         "window_attn_skip_freq",
                                         "window_size",
                                         "yaml_cfg"};

/// Megatron's programs of other models than GPT.
constexpr std::string_view kOtherModels[] = {"bert", "biencoder", "hybrid", "ict",    "mamba",
                                             "mimo", "retro",     "t5",     "vision", "vlm"};
constexpr std::string_view kProgram = "pretrain_", kPython = ".py";

/// Off, or as it is where nothing is said.
bool is_usual(std::string_view name, std::string_view text) {
  for (const std::string_view off : {"", "False", "false", "None", "0", "0.0", "[]"})
    if (text == off) return true;
  return std::any_of(std::begin(kUsual), std::end(kUsual),
                     [&](const auto& one) { return one.first == name && one.second == text; });
}

}  // namespace

bool is_other_model(std::string_view program) {
  if (!program.starts_with(kProgram) || !program.ends_with(kPython)) return false;
  program.remove_prefix(kProgram.size());
  return std::any_of(std::begin(kOtherModels), std::end(kOtherModels),
                     [&](std::string_view model) { return program.starts_with(model); });
}

bool is_unknown_to_time(std::string_view name, const Value& value) {
  if (is_usual(name, value.text)) return false;
  if (is_other_model(name)) return true;
  return std::find(std::begin(kUntimed), std::end(kUntimed), name) != std::end(kUntimed);
}

bool is_window(std::string_view name) {
  return name == "window_size" || name == "window_attn_skip_freq";
}

bool is_of_context(std::string_view name) {
  return name == "cp_comm_type" || name == "hierarchical_context_parallel_sizes";
}

bool is_unknown_to_memory(std::string_view name, const Value& value) {
  if (is_usual(name, value.text)) return false;
  if (is_other_model(name) || name == "spec") return true;
  return std::any_of(std::begin(kUnknown), std::end(kUnknown),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace pippin
