// SPDX-License-Identifier: Apache-2.0
// What selective recomputation makes again, of Megatron's --recompute-modules.
#include <string>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

const std::string kAlike =
    "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --ffn-hidden-size 4096 "
    "--seq-length 2048 --vocab-size 32000 --swiglu --normalization RMSNorm --disable-bias-linear "
    "--untie-embeddings-and-output-weights --position-embedding-type rope --micro-batch-size 1 "
    "--global-batch-size 64 --bf16 --use-distributed-optimizer --attention-dropout 0 "
    "--hidden-dropout 0 --transformer-impl transformer_engine ";
/// Two kinds of layers, latent attention and an MLP that all tokens meet.
const std::string kMixed =
    kAlike +
    "--multi-latent-attention --q-lora-rank 512 --kv-lora-rank 256 --qk-head-dim 64 "
    "--qk-pos-emb-head-dim 32 --v-head-dim 64 --qk-layernorm --num-experts 8 --moe-router-topk 2 "
    "--moe-ffn-hidden-size 512 --moe-shared-expert-intermediate-size 768 --moe-grouped-gemm "
    "--moe-layer-freq ([0]*2+[1]*6) --moe-token-dispatcher-type alltoall "
    "--expert-model-parallel-size 4 ";

Setup setup_of(const std::string& words) { return test::setup_of_launch(words, 8); }

Setup with(const std::string& base, const std::string& modules) {
  return setup_of(base + "--recompute-granularity selective --recompute-modules " + modules);
}

LayerActivations layer_of(const std::string& base, const std::string& modules, bool has_experts) {
  const Setup setup = modules.empty() ? setup_of(base) : with(base, modules);
  return layer_activations(setup, has_experts);
}

/// What a layer keeps less.
double saved(const std::string& base, const std::string& modules, bool has_experts) {
  return layer_of(base, "", has_experts).all() - layer_of(base, modules, has_experts).all();
}

}  // namespace

TEST_CASE("a module that is made again is not kept") {
  const double tokens = 2048, h = 1024, heads = 16;
  const LayerActivations mixture = layer_of(kMixed, "", true);
  SECTION("norms that stand alone: latent attention's, and that before experts") {
    CHECK(saved(kMixed, "layernorm", false) == 2 * tokens * h);
    CHECK(saved(kMixed, "layernorm", true) == 2 * 2 * tokens * h);
    CHECK(saved(kAlike, "layernorm", false) == 0);
    CHECK(saved(kAlike + "--transformer-impl local ", "layernorm", false) == 2 * 2 * tokens * h);
  }
  SECTION("heads, and the norms' outputs of latents, which are kept") {
    const double queries_keys_values = 2 * tokens * heads * (96 + 96 + 64);
    CHECK(saved(kMixed, "mla_up_proj", false) == queries_keys_values + 2 * tokens * (512 + 256));
  }
  SECTION("a whole MLP, with the norm that is a part of its first product") {
    const double whole = 3 * 2 * tokens * 4096, norm = 2 * tokens * h;
    CHECK(saved(kAlike, "mlp", false) == whole + norm);
    CHECK(saved(kMixed, "mlp", false) == whole + norm);
    CHECK(saved(kMixed, "mlp", true) == 0);
  }
  SECTION("experts, in whole or in part") {
    CHECK(saved(kMixed, "moe", false) == 0);
    CHECK(saved(kMixed, "moe", true) == mixture.mlp + mixture.routed + mixture.shared);
    CHECK(saved(kMixed, "moe_act", true) == 2 * 2 * tokens * 512);
    CHECK(saved(kMixed, "shared_experts", true) == mixture.shared);
    CHECK(saved(kMixed, "moe moe_act shared_experts", true) == saved(kMixed, "moe", true));
    CHECK(saved(kMixed, "moe_act shared_experts", false) == 0);
  }
  SECTION("attention, unless others alone are named") {
    const std::string scores = kAlike + "--attention-backend unfused ";
    CHECK(layer_of(scores, "core_attn", false).scores == 0);
    CHECK(layer_of(scores, "mlp", false).scores == layer_of(scores, "", false).scores);
    CHECK(layer_activations(setup_of(scores + "--recompute-granularity selective"), false).scores ==
          0);
    CHECK(layer_activations(setup_of(scores + "--recompute-modules mlp"), false).all() ==
          layer_of(scores, "", false).all());
  }
}

TEST_CASE("attention that is made again keeps no copies of its own") {
  std::string flash = kMixed + "--attention-backend flash ";
  flash.replace(flash.find("--micro-batch-size 1"), 20, "--micro-batch-size 2");
  const LayerActivations before = layer_of(flash, "", false);
  CHECK(before.copy > 0);
  CHECK(layer_of(flash, "core_attn", false).copy == 0);
  CHECK(layer_of(flash, "mla_up_proj", false).qkv == before.qkv);
  CHECK(layer_of(flash, "mla_up_proj core_attn", false).qkv == 0);
}

TEST_CASE("what is made again of one layer is there while its backward pass runs") {
  const double tokens = 2048;
  const auto working = [](const Setup& setup) { return stage_memory(setup, 0).working; };
  std::string large = kAlike;
  large.replace(large.find("4096"), 4, "65536");  // more than the logits
  const double before = working(setup_of(large)), logits = tokens * 32000 * 6;
  CHECK(working(with(large, "mlp")) ==
        Approx(before - logits + 3 * 2 * tokens * 65536 + 2 * tokens * 1024));
  CHECK(stage_memory(with(large, "mlp"), 0).peak < stage_memory(setup_of(large), 0).peak);
}

TEST_CASE("the tree of a stage keeps what its layers do, also of those that are made again") {
  for (const char* modules : {"core_attn", "layernorm mlp", "mla_up_proj moe_act", "moe",
                              "[layernorm mla_up_proj mlp moe_act shared_experts]"}) {
    CAPTURE(modules);
    const Setup setup = with(kMixed, modules);
    double kept = 0;
    for (const ModelPart& part : parts_of_stage(setup, 0))
      if (part.name.starts_with("layer.")) kept += number(part.times) * part.activations;
    CHECK(kept == Approx(2 * layer_activations(setup, false).all() +
                         6 * layer_activations(setup, true).all()));
  }
}

TEST_CASE("what is made again takes time, and no more than the whole layer") {
  const auto time = [](const Setup& setup) { return step_time(setup, test::kH100, {}); };
  const StepTime none = time(setup_of(kMixed));
  const StepTime full = time(setup_of(
      kMixed + "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"));
  for (const char* one :
       {"core_attn", "layernorm", "mla_up_proj", "mlp", "moe_act", "shared_experts", "moe"}) {
    CAPTURE(one);
    const double more = time(with(kMixed, one)).all() - none.all();
    CHECK(more > 0);
    CHECK(more < full.all() - none.all());
  }
  const StepTime all = time(with(kMixed, "core_attn layernorm mla_up_proj mlp moe"));
  CHECK(all.all() < full.all());
  const double products = (all.products - none.products) / (full.products - none.products);
  CHECK(products > 0.6);
  CHECK(products < 1);
  CHECK(time(with(kMixed, "moe moe_act shared_experts")).all() == time(with(kMixed, "moe")).all());
  CHECK(time(with(kMixed, "moe")).experts == Approx(1.5 * none.experts));
  CHECK(time(with(kMixed, "mlp")).experts == none.experts);
}

TEST_CASE("what is made again is talked of again") {
  const double gas = 64.0 / 4, mixtures = 6, dense = 2;
  const std::string split =
      "--tensor-model-parallel-size 2 --sequence-parallel "
      "--expert-tensor-parallel-size 1 ";
  const auto more = [&](const std::string& modules, Topic topic, std::string_view function) {
    return test::calls_of(with(kMixed + split, modules), 0, topic, function) -
           test::calls_of(setup_of(kMixed + split), 0, topic, function);
  };
  CHECK(more("moe", Topic::kExperts, "all_to_all") == gas * mixtures * 2);
  CHECK(more("moe_act", Topic::kExperts, "all_to_all") == 0);
  CHECK(more("mlp", Topic::kTensor, "all_gather") == gas * dense);
  CHECK(more("mlp", Topic::kTensor, "reduce_scatter") == gas * dense);
  CHECK(more("shared_experts", Topic::kTensor, "all_gather") == gas * mixtures);
  CHECK(more("moe", Topic::kTensor, "reduce_scatter") == gas * mixtures);
  CHECK(more("mla_up_proj", Topic::kTensor, "all_gather") == gas * (dense + mixtures) * 2);
  CHECK(more("mla_up_proj", Topic::kTensor, "reduce_scatter") == 0);
  CHECK(more("layernorm", Topic::kTensor, "all_gather") == 0);
}

TEST_CASE("a method is of full recomputation alone") {
  for (const char* selective : {"--recompute-granularity selective", "--recompute-activations"}) {
    CHECK_THROWS_WITH(setup_of(kAlike + " " + selective + " --recompute-method uniform"),
                      Contains("--recompute-method is of full recomputation"));
  }
}

TEST_CASE("modules are read as they are typed and as they are dumped, and refused by name") {
  const auto read = [](const std::string& text) {
    const MegatronSetup found = megatron_setup({{"recompute_modules", value_of(text)},
                                                {"recompute_granularity", value_of("selective")},
                                                {"num_layers", value_of("2")},
                                                {"hidden_size", value_of("64")},
                                                {"num_attention_heads", value_of("4")},
                                                {"seq_length", value_of("64")},
                                                {"micro_batch_size", value_of("1")},
                                                {"use_mcore_models", value_of("True")},
                                                {"bf16", value_of("True")}},
                                               1, std::nullopt, Generation::kHopper);
    return found.setup.remade;
  };
  for (const char* text :
       {"mlp layernorm", "[mlp layernorm]", "['mlp', 'layernorm']", R"(["mlp","layernorm"])"}) {
    CAPTURE(text);
    CHECK(read(text).mlp);
    CHECK(read(text).norms);
    CHECK_FALSE(read(text).attention);
  }
  CHECK_THROWS_WITH(read("mlps"), Contains("--recompute-modules takes core_attn, moe_act, ") &&
                                      Contains("shared_experts, not 'mlps'"));
  CHECK_THROWS_WITH(read("mlp mhc"), Contains("what --recompute-modules mhc keeps is not known"));
  CHECK_THROWS_WITH(read("mla_up_proj"), Contains("needs --multi-latent-attention"));
  std::string apart = kMixed;
  apart.replace(apart.find("--moe-grouped-gemm "), 19, "");
  CHECK_THROWS_WITH(with(apart, "moe_act"), Contains("moe_act needs --moe-grouped-gemm"));
  CHECK_THROWS_WITH(with(kMixed + "--moe-shared-expert-overlap ", "shared_experts"),
                    Contains("shared_experts excludes --moe-shared-expert-overlap"));
  CHECK_THROWS_WITH(
      setup_of(
          kAlike.substr(0, kAlike.find("--transformer-impl")) +
          "--deepspeed --zero-stage 1 --recompute-granularity selective --recompute-modules mlp"),
      Contains("only Megatron-Core has --recompute-modules"));
}
