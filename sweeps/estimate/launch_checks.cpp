// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/launch_checks.h"

#include <string_view>

#include "core/base/error.h"

namespace pippin {

namespace {

void check_overlap(const MegatronGiven& given, const Setup& setup) {
  const std::string name = typed_argument("overlap_moe_expert_parallel_comm");
  const auto refuse = [&](bool is_so, std::string_view words) {
    if (is_so) bad_input("estimate: {} {}", name, words);
  };
  refuse(setup.ep == 1, "needs --expert-model-parallel-size");
  refuse(setup.gathers_tokens, "needs --moe-token-dispatcher-type alltoall or flex");
  refuse(setup.pp > 1 && setup.chunks == 1 && !setup.layers_before, "needs virtual stages");
  refuse(setup.recompute == Recompute::kFull, "excludes full recomputation");
  refuse(setup.recompute == Recompute::kSelective && setup.remade.experts,
         "excludes that experts are made again");
  refuse(given.overlaps_shared, "excludes --moe-shared-expert-overlap");
  refuse(setup.type == NumberType::kFp32, "needs --bf16 or --fp16");
  refuse(setup.shape.mtp_layers > 1, "takes one layer of MTP at most");
}

}  // namespace

void check_needs(const MegatronGiven& given, const Setup& setup) {
  const auto needs = [](bool is_there, bool has, std::string_view name, std::string_view other) {
    if (is_there && !has)
      bad_input("estimate: {} needs {}", typed_argument(name), typed_argument(other));
  };
  const bool has_optimizer = setup.zero > 0 || setup.fsdp;
  needs(given.precision_aware, has_optimizer, "use_precision_aware_optimizer",
        "use_distributed_optimizer");
  needs(setup.fp8_weights, has_optimizer, "fp8_param_gather", "use_distributed_optimizer");
  if (setup.framework == Framework::kMegatronCore && given.granularity == "full") {
    needs(true, !given.method.empty(), "recompute_granularity full", "recompute_method");
    needs(true, given.recompute_layers.has_value(), "recompute_granularity full",
          "recompute_num_layers");
  }
  if (setup.overlaps_experts) check_overlap(given, setup);
  if (setup.pipeline_before_data && setup.pp > 1 && setup.expert_replicas() != setup.dp)
    bad_input("estimate: with {} Megatron wants EP x expert TP to be TP x CP ({} and {})",
              typed_argument("use_tp_pp_dp_mapping"), setup.ep * setup.expert_tp,
              setup.tp * setup.cp);
  needs(given.defers_embedding, setup.pp > 1, "defer_embedding_wgrad_compute",
        "pipeline_model_parallel_size");
  if (given.defers_embedding && given.no_fused_gradients)
    bad_input("estimate: {} excludes {}", typed_argument("defer_embedding_wgrad_compute"),
              typed_argument("no_gradient_accumulation_fusion"));
  needs(setup.overlaps_tensor, setup.sequence_parallel, "tp_comm_overlap", "sequence_parallel");
  if (given.wide_gradients && setup.type == NumberType::kBf16 && setup.reduces_narrow)
    bad_input("estimate: {} excludes gradients in bf16",
              typed_argument("accumulate_allreduce_grads_in_fp32"));
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
