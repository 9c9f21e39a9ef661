// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/launch_checks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/megatron_arguments.h"

namespace pippin {

namespace {

bool is_on(const NamedValues& arguments, const std::string& name) {
  const Value* value = find_value(arguments, name);
  return value && lower(value->text) != "false" && value->text != "None" && value->text != "0";
}

std::string text_of(const NamedValues& arguments, const std::string& name) {
  const Value* value = find_value(arguments, name);
  return value ? value->text : "";
}

}  // namespace

std::string_view why_not_started(const Setup& setup) {
  if (setup.overlaps_experts) {
    if (setup.ep == 1)
      return "--overlap-moe-expert-parallel-comm needs --expert-model-parallel-size";
    if (setup.gathers_tokens)
      return "--overlap-moe-expert-parallel-comm needs --moe-token-dispatcher-type alltoall or "
             "flex";
    if (setup.pp > 1 && setup.chunks == 1 && !setup.layers_before)
      return "--overlap-moe-expert-parallel-comm needs virtual stages";
    if (setup.recompute == Recompute::kFull)
      return "--overlap-moe-expert-parallel-comm excludes full recomputation";
    if (setup.recompute == Recompute::kSelective && setup.remade.experts)
      return "--overlap-moe-expert-parallel-comm excludes that experts are made again";
    if (setup.type == NumberType::kFp32)
      return "--overlap-moe-expert-parallel-comm needs --bf16 or --fp16";
    if (setup.shape.mtp_layers > 1)
      return "--overlap-moe-expert-parallel-comm takes one layer of MTP at most";
  }
  if (setup.pipeline_before_data && setup.pp > 1 && setup.expert_replicas() != setup.dp)
    return "with --use-tp-pp-dp-mapping Megatron wants EP x expert TP to be TP x CP";
  if (setup.defers_output && setup.pp == 1)
    return "--defer-embedding-wgrad-compute needs --pipeline-model-parallel-size";
  if (setup.overlaps_tensor && !setup.sequence_parallel)
    return setup.tp == 1 ? "--tp-comm-overlap needs TP, with which there is --sequence-parallel"
                         : "--tp-comm-overlap needs --sequence-parallel";
  return "";
}

void check_typed_launch(const NamedValues& arguments, const Setup& setup) {
  const auto refuse = [](bool is_so, std::string_view words) {
    if (is_so) bad_input("estimate: Megatron does not start: {}", words);
  };
  const auto has = [&](const std::string& name) { return is_on(arguments, name); };
  if (setup.framework != Framework::kMegatronCore) return;
  refuse(has("recompute_activations") && has("recompute_method"),
         "--recompute-activations is selective, which has no --recompute-method");
  refuse(setup.recompute == Recompute::kSelective && has("recompute_num_layers"),
         "selective recomputation has no --recompute-num-layers");
  refuse(setup.fp8 == Fp8::kNone && has("fp8_param_gather"),
         "--fp8-param-gather needs --fp8-format");
  const bool is_spread = setup.zero > 0 || setup.fsdp || has("use_torch_fsdp2") ||
                         text_of(arguments, "optimizer") == "dist_muon";
  refuse(has("overlap_param_gather") && !is_spread,
         "--overlap-param-gather needs --use-distributed-optimizer");
  refuse(has("overlap_param_gather") && !has("overlap_grad_reduce"),
         "--overlap-param-gather needs --overlap-grad-reduce");
  refuse(has("swiglu") && (has("squared_relu") || has("quick_geglu")),
         "--swiglu beside another activation");
  refuse(has("step_batch_size_schedule") && has("global_batch_size"),
         "--step-batch-size-schedule beside --global-batch-size");
  refuse(setup.chunks > 1 && setup.pp == 2 && has("no_overlap_p2p_communication"),
         "virtual stages on 2 stages exclude --no-overlap-p2p-communication");
  refuse(has("delay_wgrad_compute") && !has("overlap_moe_expert_parallel_comm"),
         "--delay-wgrad-compute needs --overlap-moe-expert-parallel-comm");
  if (setup.shape.experts == 0) return;
  const std::string score = text_of(arguments, "moe_router_score_function");
  refuse(setup.shape.experts_per_token == 1 && (score.empty() || score == "softmax") &&
             !has("moe_router_pre_softmax") &&
             text_of(arguments, "moe_router_load_balancing_type") != "sinkhorn",
         "--moe-router-topk 1 needs --moe-router-pre-softmax");
  refuse(has("moe_router_enable_expert_bias") && (score.empty() || score == "softmax"),
         "--moe-router-enable-expert-bias needs --moe-router-score-function sigmoid");
  refuse(setup.fp8 == Fp8::kNone && !has("fp4_format") &&
             (has("moe_router_padding_for_fp8") || has("moe_router_padding_for_quantization")),
         "padding of tokens for 8 bits needs --fp8-format");
  refuse(has("moe_router_group_topk") && !has("moe_router_num_groups"),
         "--moe-router-group-topk needs --moe-router-num-groups");
  const auto groups = parse_integer(text_of(arguments, "moe_router_num_groups"));
  refuse(groups && *groups > 0 && setup.shape.experts % *groups != 0,
         "--moe-router-num-groups does not divide the experts");
}

void check_needs(const MegatronGiven& given, const Setup& setup) {
  const auto needs = [](bool is_there, bool has, std::string_view name, std::string_view other) {
    if (is_there && !has)
      bad_input("estimate: {} needs {}", typed_argument(name), typed_argument(other));
  };
  const bool has_optimizer = setup.zero > 0 || setup.fsdp;
  needs(given.precision_aware, has_optimizer, "use_precision_aware_optimizer",
        "use_distributed_optimizer");
  needs(setup.fp8_weights, has_optimizer, "fp8_param_gather", "use_distributed_optimizer");
  const bool is_full = setup.framework == Framework::kMegatronCore && given.granularity == "full";
  needs(is_full, !given.method.empty(), "recompute_granularity full", "recompute_method");
  needs(is_full, given.recompute_layers.has_value(), "recompute_granularity full",
        "recompute_num_layers");
  if (setup.overlaps_experts && given.overlaps_shared)
    bad_input("estimate: {} excludes {}", typed_argument("overlap_moe_expert_parallel_comm"),
              typed_argument("moe_shared_expert_overlap"));
  if (const std::string_view why = why_not_started(setup); !why.empty())
    bad_input("estimate: {}", why);
  if (given.defers_embedding && given.no_fused_gradients)
    bad_input("estimate: {} excludes {}", typed_argument("defer_embedding_wgrad_compute"),
              typed_argument("no_gradient_accumulation_fusion"));
  if (given.wide_gradients && setup.type == NumberType::kBf16 && setup.reduces_narrow)
    bad_input("estimate: {} excludes gradients in bf16",
              typed_argument("accumulate_allreduce_grads_in_fp32"));
}

std::vector<std::string> strangers_among(const NamedValues& arguments, const MegatronSetup& read) {
  std::vector<std::string> strangers;
  for (const auto& [name, value] : arguments) {
    const std::string typed = typed_argument(name);
    const bool is_unused =
        std::find(read.unused.begin(), read.unused.end(), typed) != read.unused.end();
    if (is_unused && is_on(arguments, name) && !is_megatron_argument(name))
      strangers.push_back(typed);
  }
  return strangers;
}

void doubt_strangers(const NamedValues& arguments, MegatronSetup& read) {
  for (const std::string& name : strangers_among(arguments, read)) {
    std::erase(read.unused, name);
    read.unknown.push_back(name);
  }
}

void tell_untimed(const Setup& setup, std::vector<std::string>& assumed) {
  if (setup.overlaps_tensor)
    assumed.emplace_back("waiting for TP, though --tp-comm-overlap hides a part of it");
  if (setup.overlaps_experts)
    assumed.emplace_back(
        "waiting for EP, though --overlap-moe-expert-parallel-comm hides a part of it");
  if (setup.muon) assumed.emplace_back("time without Muon's own products");
  if (setup.loss_in_place)
    assumed.emplace_back(
        "gradients of logits in their place, as Transformer Engine had them until July 2026");
}

}  // namespace pippin
