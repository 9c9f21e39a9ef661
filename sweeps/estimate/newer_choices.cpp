// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/newer_choices.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::pair<std::string_view, bool Remade::*> kModules[] = {
    {"core_attn", &Remade::attention},
    {"moe_act", &Remade::activation},
    {"layernorm", &Remade::norms},
    {"mla_up_proj", &Remade::heads},
    {"mlp", &Remade::mlp},
    {"moe", &Remade::experts},
    {"shared_experts", &Remade::shared}};

/// Of "mlp moe_act", "[mlp moe_act]" or "['mlp', 'moe_act']".
Remade read_modules(std::string_view text, std::string_view name) {
  constexpr std::string_view kBetween = " ,[]'\"";
  Remade remade;
  remade.attention = false;
  for (auto begin = text.find_first_not_of(kBetween); begin < text.size();
       begin = text.find_first_not_of(kBetween, begin)) {
    const auto end = std::min(text.find_first_of(kBetween, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const auto* const found = std::find_if(std::begin(kModules), std::end(kModules),
                                           [&](const auto& one) { return one.first == word; });
    for (const std::string_view unknown : {"gdn_norm_out", "gdp_in_proj", "gdp_qkv", "mhc"})
      if (word == unknown) bad_input("estimate: what {} {} keeps is not known", name, word);
    if (found == std::end(kModules)) {
      std::vector<std::string> known;
      for (const auto& [module, member] : kModules) known.emplace_back(module);
      bad_input("estimate: {} takes {}, not '{}'", name, join(known, ", "), printable(word));
    }
    remade.*found->second = true;
    begin = end;
  }
  return remade;
}

}  // namespace

void fill_in_remade(const MegatronGiven& given, Setup& setup) {
  if (setup.recompute != Recompute::kSelective) return;
  const std::string name = typed_argument("recompute_modules");
  if (!given.remade.empty()) setup.remade = read_modules(given.remade, name);
  if (given.remakes_experts) setup.remade.experts = true;
  const Remade& remade = setup.remade;
  if (setup.framework != Framework::kMegatronCore && remade != Remade())
    bad_input("estimate: only Megatron-Core has {}", name);
  if (remade.activation && !setup.grouped_experts)
    bad_input("estimate: {} moe_act needs {}", name, typed_argument("moe_grouped_gemm"));
  if (remade.heads && !setup.shape.is_latent())
    bad_input("estimate: {} mla_up_proj needs {}", name, typed_argument("multi_latent_attention"));
  if (remade.shared && setup.overlaps_shared)
    bad_input("estimate: {} shared_experts excludes {}", name,
              typed_argument("moe_shared_expert_overlap"));
}

namespace {

/// Of one number of that type, as it is typed or dumped: "bf16", "torch.bfloat16". 4 where it is
/// not given.
double typed_bytes(std::string text, std::string_view argument,
                   std::initializer_list<std::string_view> known) {
  constexpr std::pair<std::string_view, std::string_view> kDumped[] = {{"torch.float32", "fp32"},
                                                                       {"torch.float16", "fp16"},
                                                                       {"torch.bfloat16", "bf16"},
                                                                       {"torch.uint8", "fp8"}};
  for (const auto& [dumped, typed] : kDumped)
    if (text == dumped) text = typed;
  check_word(argument, text, known);
  if (text.empty() || text == "fp32") return 4;
  return text == "fp8" ? 1 : 2;
}

/// Requires one that Megatron knows.
Fp8 fp8_of_recipe(std::string_view recipe) {
  if (recipe == "tensorwise") return Fp8::kTensors;
  if (recipe == "blockwise") return Fp8::kBlocks;
  return recipe == "mxfp8" ? Fp8::kMx : Fp8::kDelayed;
}

}  // namespace

bool fill_in_fp8(const MegatronGiven& given, Setup& setup) {
  if (given.fp8_format.empty()) return true;
  if (!setup.transformer_engine)
    bad_input("estimate: only Megatron-Core with Transformer Engine has {}",
              typed_argument("fp8_format"));
  if (setup.generation == Generation::kVolta || setup.generation == Generation::kAmpere)
    bad_input("estimate: {} needs a GPU from Hopper on", typed_argument("fp8_format"));
  if (setup.type == NumberType::kFp32)
    bad_input("estimate: {} is for weights in 16 bits: add --bf16", typed_argument("fp8_format"));
  check_word("fp8_format", given.fp8_format, {"e4m3", "hybrid"});
  check_word("fp8_recipe", given.fp8_recipe, {"delayed", "tensorwise", "blockwise", "mxfp8"});
  setup.fp8 = fp8_of_recipe(given.fp8_recipe);
  setup.fp8_weights = given.fp8_weights;
  if (setup.fp8 == Fp8::kMx && setup.generation == Generation::kHopper)
    bad_input("estimate: {} mxfp8 needs a GPU from Blackwell on", typed_argument("fp8_recipe"));
  const bool remakes =
      setup.recompute == Recompute::kSelective && (setup.remade.norms || setup.remade.activation);
  if (setup.fp8 == Fp8::kDelayed && remakes)
    bad_input("estimate: {} delayed excludes {} layernorm and moe_act",
              typed_argument("fp8_recipe"), typed_argument("recompute_modules"));
  return !given.ends_in_bf16;
}

namespace {

/// Sets `setup.muon`. False where the optimizer is not known.
bool read_optimizer(const MegatronGiven& given, Setup& setup) {
  const std::string& name = given.optimizer;
  if (name.empty() || name == "adam" || name == "adamw") return true;
  setup.muon = name == "muon" || name == "dist_muon";
  if (!setup.muon) return false;
  if (setup.framework != Framework::kMegatronCore)
    bad_input("estimate: only Megatron-Core has {} {}", typed_argument("optimizer"), name);
  if (name == "dist_muon") setup.zero = 1;
  if (setup.type == NumberType::kFp16)
    bad_input("estimate: {} {} excludes --fp16", typed_argument("optimizer"), name);
  for (const auto& [is_there, other] : {std::pair(given.fsdp, "use_megatron_fsdp"),
                                        {given.precision_aware, "use_precision_aware_optimizer"}})
    if (is_there)
      bad_input("estimate: {} {} excludes {}", typed_argument("optimizer"), name,
                typed_argument(other));
  return true;
}

/// What stays on the GPU has all of its states in fp32. Megatron has taken all or nothing where no
/// share is given. Source: Megatron-LM, cpu_offloading/hybrid_optimizer.py.
std::string_view read_offload(const MegatronGiven& given, Setup& setup) {
  setup.precision_aware = true;
  if (given.offload_fraction.empty()) return "optimizer_cpu_offload";
  const auto share = parse_number(given.offload_fraction);
  if (!share || !(*share >= 0 && *share <= 1))
    bad_input("estimate: {} takes a share from 0 to 1, not '{}'",
              typed_argument("optimizer_offload_fraction"), printable(given.offload_fraction));
  setup.offloaded = *share;
  return {};
}

}  // namespace

std::string_view fill_in_optimizer(const MegatronGiven& given, Setup& setup) {
  if (!read_optimizer(given, setup)) return "optimizer";
  const bool narrow_sums = given.narrow_sums && setup.type == NumberType::kBf16;
  const double gradient = typed_bytes(given.gradient_type, "main_grads_dtype", {"fp32", "bf16"});
  const double weight = typed_bytes(given.wide_weight_type, "main_params_dtype", {"fp32", "fp16"});
  const double first =
      typed_bytes(given.first_moment_type, "exp_avg_dtype", {"fp32", "fp16", "bf16", "fp8"});
  const double second =
      typed_bytes(given.second_moment_type, "exp_avg_sq_dtype", {"fp32", "fp16", "bf16", "fp8"});
  constexpr double kWide = 4;
  if (narrow_sums) setup.reduces_narrow = true;
  if (!given.precision_aware) {
    if (gradient + weight + first + second < 4 * kWide)
      bad_input("estimate: without {} Megatron takes {}, {}, {} and {} fp32 alone",
                typed_argument("use_precision_aware_optimizer"), typed_argument("main_grads_dtype"),
                typed_argument("main_params_dtype"), typed_argument("exp_avg_dtype"),
                typed_argument("exp_avg_sq_dtype"));
    if (given.offloads_optimizer)
      bad_input("estimate: {} needs {}", typed_argument("optimizer_cpu_offload"),
                typed_argument("use_precision_aware_optimizer"));
    return {};
  }
  if (setup.framework != Framework::kMegatronCore)
    bad_input("estimate: only Megatron-Core has {}",
              typed_argument("use_precision_aware_optimizer"));
  if (gradient < kWide && setup.type == NumberType::kBf16) setup.reduces_narrow = true;
  if (given.offloads_optimizer) return read_offload(given, setup);
  if (setup.type == NumberType::kFp32) return {};
  setup.moment_bytes = first + second;
  setup.precision_aware = true;
  // With other recipes than this Megatron keeps wide weights itself, and copies gradients to them.
  const bool is_delayed = given.fp8_recipe.empty() || given.fp8_recipe == "delayed";
  setup.takes_narrow = is_delayed || weight < kWide;
  // Of bf16 it keeps the bits that the weight lacks.
  setup.keeps_remainders = setup.takes_narrow && weight == kWide &&
                           setup.type == NumberType::kBf16 && !setup.fp8_weights;
  setup.wide_weight_bytes = setup.keeps_remainders ? 2 : weight;
  return {};
}

void fill_in_schedule(const MegatronGiven& given, Setup& setup) {
  setup.defers_output = given.defers_embedding;
  setup.deferral_limit = given.deferral_limit.value_or(0);
  setup.pipeline_before_data = given.pipeline_before_data;
  setup.overlaps_experts = given.overlaps_experts && given.experts;
  setup.overlaps_gradients = given.overlaps_gradients;
  setup.overlaps_weights = given.overlaps_weights;
  check_word("cross_entropy_fusion_impl", given.loss_fusion, {"native", "te"});
  setup.fused_loss = given.fused_loss;
  setup.loss_in_place = given.fused_loss && given.loss_fusion == "te";
}

void fill_in_fsdp(const MegatronGiven& given, Setup& setup) {
  if (!given.fsdp) return;
  if (setup.framework != Framework::kMegatronCore)
    bad_input("estimate: only Megatron-Core has {}", typed_argument("use_megatron_fsdp"));
  setup.fsdp = setup.keeps_gathered = true;
  setup.fsdp_unit = given.fsdp_unit.value_or(0);
  // Of ZeRO's stages, from none on.
  constexpr std::string_view kStages[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
  check_word("data_parallel_sharding_strategy", given.sharding,
             {kStages[0], kStages[1], kStages[2], kStages[3]});
  const std::string_view stage = given.sharding.empty() ? kStages[3] : given.sharding;
  setup.zero = std::find(std::begin(kStages), std::end(kStages), stage) - std::begin(kStages);
  const std::string& type = given.sharded_gradient_type;
  check_word("megatron_fsdp_main_grads_dtype", type,
             {"auto", "fp32", "bf16", "fp16", "torch.float32", "torch.bfloat16", "torch.float16"});
  // Else they have the type of the weights, not the wide one of Megatron's DDP.
  if (!type.ends_with("32") && setup.type != NumberType::kFp32) setup.reduces_narrow = true;
}

}  // namespace pippin
