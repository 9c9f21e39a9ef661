// SPDX-License-Identifier: Apache-2.0
// Products within layers in 8 bits, and what Megatron's own tests measured of them.
#include <string>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

const std::string kDense =
    "--num-layers 4 --hidden-size 1024 --num-attention-heads 16 --ffn-hidden-size 4096 "
    "--seq-length 2048 --vocab-size 32000 --swiglu --normalization RMSNorm --disable-bias-linear "
    "--untie-embeddings-and-output-weights --position-embedding-type rope --micro-batch-size 1 "
    "--global-batch-size 64 --use-distributed-optimizer --attention-dropout 0 --hidden-dropout 0 "
    "--transformer-impl transformer_engine --bf16 ";
const std::string kDeep =
    kDense +
    "--multi-latent-attention --q-lora-rank 512 --kv-lora-rank 256 --qk-head-dim 64 "
    "--qk-pos-emb-head-dim 32 --v-head-dim 64 --qk-layernorm --num-experts 8 --moe-router-topk 2 "
    "--moe-ffn-hidden-size 512 --moe-shared-expert-intermediate-size 768 --moe-grouped-gemm "
    "--moe-token-dispatcher-type alltoall --expert-model-parallel-size 4 ";
const std::string kFp8 = "--fp8-format hybrid ";

MegatronSetup read(const std::string& words, Generation generation = Generation::kHopper) {
  return test::read_launch(words, 8, generation);
}

Setup setup_of(const std::string& words, Generation generation = Generation::kHopper) {
  return test::setup_of_launch(words, 8, generation);
}

double weights_of(const std::string& words, Generation generation = Generation::kHopper) {
  const Setup setup = setup_of(words, generation);
  return state_memory(setup, stage_parameters(setup, 0)).weights;
}

}  // namespace

TEST_CASE("weights of layers' products have copies in 8 bits, or are kept in them alone") {
  const double h = 1024, each = 4 * h * h + 3 * h * 4096, products = 4 * each;
  const double before = weights_of(kDense);
  const auto more = [&](const std::string& words, Generation generation = Generation::kHopper) {
    return weights_of(kDense + kFp8 + words, generation) - before;
  };
  CHECK(more("") == 2 * products);
  CHECK(more("--fp8-param-gather") == 0);
  CHECK(more("--fp8-recipe tensorwise", Generation::kBlackwell) == products);
  CHECK(more("--fp8-recipe tensorwise --fp8-param-gather", Generation::kBlackwell) == -products);
  CHECK(more("--fp8-recipe mxfp8", Generation::kBlackwell) == Approx(2 * products * 33 / 32));
  CHECK(more("--fp8-recipe blockwise") == Approx(2 * products).epsilon(0.001));
  // Neither the router nor what is no layer.
  const double deep = 1024 * 512 + 512 * 16 * 96 + 1024 * 288 + 256 * 16 * 128 + 16 * 64 * 1024 +
                      3 * 1024 * 768 + 2 * 3 * 1024 * 512;
  CHECK(weights_of(kDeep + kFp8) - weights_of(kDeep) == 2 * 4 * deep);
}

TEST_CASE("inputs of products are kept in 8 bits, and what others keep as it was") {
  const double tokens = 2048, h = 1024, f = 4096;
  const auto layer = [](const std::string& words, bool has_experts = false) {
    return layer_activations(setup_of(words), has_experts);
  };
  const LayerActivations wide = layer(kDense), narrow = layer(kDense + kFp8);
  CHECK(wide.norm1 - narrow.norm1 == tokens * h);
  CHECK(wide.norm2 - narrow.norm2 == tokens * h);
  CHECK(wide.mlp - narrow.mlp == tokens * f);
  CHECK(wide.qkv == narrow.qkv);
  // What attention gives is kept by it, and by the next product.
  CHECK(narrow.context + narrow.copy == 3 * tokens * h);
  CHECK(layer(kDense + kFp8 + "--attention-backend unfused").copy == 0);
  CHECK(layer(kDense + kFp8 + "--fp8-recipe blockwise").mlp == tokens * f * (4 + 1 + 4.0 / 128));
  const LayerActivations deep = layer(kDeep, true), deep8 = layer(kDeep + kFp8, true);
  CHECK(deep8.norm1 == deep.norm1);  // two products have its output
  CHECK(deep8.norm2 == deep.norm2);  // the router has it
  CHECK(deep.latents - deep8.latents == tokens * (512 + 256));
  CHECK(deep.shared - deep8.shared == tokens * (768 - 1024));  // and its own input
  // Of the router's, where scales are not of earlier steps.
  const LayerActivations whole = layer(kDeep + kFp8 + "--fp8-recipe tensorwise", true);
  CHECK(deep.shared - whole.shared == tokens * 768);
  CHECK(deep.routed - deep8.routed == 2 * tokens * h);
  CHECK(deep.mlp - deep8.mlp == 2 * tokens * 512);
}

TEST_CASE("what is gathered in 8 bits is half as much to send, and the rest as much as before") {
  const std::string split =
      "--tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 2 ";
  const auto bytes = [&](const std::string& words, Topic topic, std::string_view function) {
    return test::bytes_of(setup_of(kDense + split + words), 0, topic, function);
  };
  const double gas = 32, whole = 2 * 2048 * 1024, layers = 2;
  CHECK(bytes("", Topic::kTensor, "all_gather") == gas * whole * (6 * layers + 1));
  CHECK(bytes(kFp8, Topic::kTensor, "all_gather") == gas * whole * (3 * layers + 1));
  CHECK(bytes(kFp8, Topic::kTensor, "reduce_scatter") ==
        bytes("", Topic::kTensor, "reduce_scatter"));
  const double before = bytes("", Topic::kDataGather, "all_gather");
  CHECK(bytes(kFp8, Topic::kDataGather, "all_gather") == before);
  const double products = 2.0 * (4 * 1024 * 1024 + 3 * 1024 * 4096) / 2;
  CHECK(before - bytes(kFp8 + "--fp8-param-gather", Topic::kDataGather, "all_gather") ==
        Approx(products));
}

TEST_CASE("a formula says the bytes of an activation in 8 bits, too") {
  const auto formula = [](const std::string& words, const std::string& name) {
    for (const ModelPart& part : parts_of_stage(setup_of(words), 0))
      if (part.name == name) return part.activation_formula;
    return std::string("none");
  };
  const std::string blocks = kFp8 + "--fp8-recipe blockwise ";
  CHECK(formula(kDense, "layer.norm1") == "4 s b h");
  CHECK(formula(kDense + kFp8, "layer.norm1") == "3 s b h");
  CHECK(formula(kDense, "layer.mlp.activation") == "6 s b f / t");
  CHECK(formula(kDense + kFp8, "layer.mlp.activation") == "5 s b f / t");
  CHECK(formula(kDense + kFp8, "layer.attention.out") == "1 s b h / t");
  CHECK(formula(kDense + blocks, "layer.mlp.activation") == "5.031 s b f / t");
  CHECK(formula(kDeep, "layer.attention.latents") == "4 s b (q + c)");
  CHECK(formula(kDeep + kFp8, "layer.attention.latents") == "3 s b (q + c)");
  CHECK(formula(kDeep + kFp8, "layer.mlp.tokens") == "1 k s b h");
  CHECK(formula(kDeep + kFp8, "layer.mlp.experts.activation") == "5 k s b f / t");
  CHECK(formula(kDeep + kFp8, "layer.mlp.shared.gathered") == "1 s b h");
}

TEST_CASE("what is made again in 8 bits leaves what was kept as it was") {
  const double tokens = 2048, h = 1024;
  const std::string words = kDeep + kFp8 +
                            "--fp8-recipe tensorwise --recompute-granularity selective "
                            "--recompute-modules ";
  const auto layer = [&](const std::string& modules) {
    return layer_activations(setup_of(words + modules), true);
  };
  CHECK(layer("layernorm").norm1 == 2 * tokens * h);
  CHECK(layer("layernorm").norm2 == 2 * tokens * h);
  CHECK(layer("moe_act").mlp == Approx(2 * tokens * 2 * 2 * 512));
  CHECK(layer("mla_up_proj").latents == 2 * tokens * (512 + 256));
  for (const char* modules : {"core_attn", "layernorm moe_act", "moe"}) {
    const Setup setup = setup_of(words + modules);
    double kept = 0;
    for (const ModelPart& part : parts_of_stage(setup, 0))
      if (part.name.starts_with("layer.")) kept += part.activations;
    CHECK(kept == Approx(layer_activations(setup, true).all()));
  }
}

TEST_CASE("where weights are kept in 8 bits the optimizer has no remainders of wider ones") {
  const std::string aware = "--use-precision-aware-optimizer --grad-reduce-in-bf16 ";
  const auto words = [&](const std::string& more) {
    return state_words(setup_of(kDense + aware + more));
  };
  CHECK_THAT(words(""), Contains("optimizer 10 / 8 ranks"));
  CHECK_THAT(words(kFp8), Contains("weights 2 (4 in layers, with two copies in 8 bits), gradients "
                                   "2, optimizer 10 / 8 ranks"));
  CHECK_THAT(words(kFp8 + "--fp8-param-gather"),
             Contains("weights 2 (2 in layers, two copies in 8 bits)") &&
                 Contains("optimizer 12 / 8 ranks"));
  // There Megatron keeps them, and copies gradients to them.
  CHECK_THAT(words(kFp8 + "--fp8-recipe blockwise"), Contains("optimizer 16 / 8 ranks"));
}

TEST_CASE("no time is said of 8 bits, and what Megatron does not take is refused") {
  CHECK(read(kDense + kFp8).untimed == std::vector<std::string>{"--fp8-format"});
  CHECK(read(kDense + kFp8 + "--fp8-amax-history-len 1024 --fp8-amax-compute-algo max")
            .unknown.empty());
  CHECK(read(kDense + kFp8 + "--first-last-layers-bf16").unknown ==
        std::vector<std::string>{"--first-last-layers-bf16"});
  CHECK(read(kDense + "--first-last-layers-bf16").unknown.empty());
  CHECK_THROWS_WITH(read(kDense + kFp8, Generation::kAmpere),
                    Contains("--fp8-format needs a GPU from Hopper on"));
  CHECK(usual_generation(arguments_of_words({kDense + kFp8})) == Generation::kHopper);
  CHECK(usual_generation(arguments_of_words({kDense})) == Generation::kAmpere);
  const auto refusal = [](const std::string& words, const std::string& why) {
    CAPTURE(words);
    CHECK_THROWS_WITH(read(words), Contains(why));
  };
  refusal(kDense + kFp8 + "--fp8-recipe mxfp8", "--fp8-recipe mxfp8 needs a GPU from Blackwell on");
  CHECK(usual_generation(arguments_of_words({kFp8 + "--fp8-recipe mxfp8"})) ==
        Generation::kBlackwell);
  const std::string again = "--recompute-granularity selective --recompute-modules moe_act";
  refusal(kDeep + kFp8 + again, "--fp8-recipe delayed excludes --recompute-modules layernorm");
  std::string alone = kDense;
  alone.replace(alone.find("--use-distributed-optimizer "), 28, "");
  refusal(alone + kFp8 + "--fp8-param-gather",
          "--fp8-param-gather needs --use-distributed-optimizer");
  refusal(kDense + "--tensor-model-parallel-size 2 --tp-comm-overlap",
          "--tp-comm-overlap needs --sequence-parallel");
  for (const char* more : {"--fp8-output-proj", "--no-fp8-wgrad", "--fp8-multi-head-attention"})
    CHECK(read(kDense + kFp8 + more).unknown.size() == 1);
  CHECK_THROWS_WITH(read(kDense + "--fp8-format e5m2"),
                    Contains("--fp8-format is one of e4m3, hybrid, not 'e5m2'"));
  CHECK_THROWS_WITH(
      read(kDense + kFp8 + "--fp8-recipe custom"),
      Contains("--fp8-recipe is one of delayed, tensorwise, blockwise, mxfp8, not 'custom'"));
  CHECK_THROWS_WITH(read(kDense + kFp8 + "--transformer-impl local"),
                    Contains("only Megatron-Core with Transformer Engine has --fp8-format"));
}

TEST_CASE("products that overlap with messages have workspaces of their own") {
  const auto buffers = [](const std::string& words) {
    return stage_memory(setup_of(kDense + words), 0).buffers;
  };
  const std::string split = "--tensor-model-parallel-size 2 --sequence-parallel ";
  CHECK(buffers(split + "--tp-comm-overlap") - buffers(split) == Approx(3 * 32 * 1024 * 1024));
  CHECK_THROWS_WITH(buffers("--tp-comm-overlap"),
                    Contains("--tp-comm-overlap needs TP, with which there is"));
  CHECK_THROWS_WITH(buffers("--tensor-model-parallel-size 2 --tp-comm-overlap"),
                    Contains("--tp-comm-overlap needs --sequence-parallel"));
  CHECK(read(kDense + split + "--tp-comm-overlap").assumed.back() ==
        "waiting for TP, though --tp-comm-overlap hides a part of it");
}

/// Source: Megatron-LM d98e8a64, tests/functional_tests/test_cases/gpt/
/// gpt3_weekly_mcore_tp4_cp2_current_scaling_native_fp8_tp_sp_cp_tp_overlap and …_tp2_pp2_…, last
/// rank.
TEST_CASE("memory in 8 bits is what Megatron's own tests measured") {
  const std::string gpt =
      "--num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --vocab-size "
      "50257 --max-position-embeddings 1024 --sequence-parallel --deterministic-mode "
      "--no-gradient-accumulation-fusion --use-distributed-optimizer --bf16 --normalization "
      "RMSNorm --transformer-impl transformer_engine --fp8-format hybrid --fp8-recipe tensorwise "
      "--fp8-param-gather ";
  const std::string parts = gpt +
                            "--micro-batch-size 2 --global-batch-size 128 "
                            "--tensor-model-parallel-size 4 --context-parallel-size 2 ";
  const std::string stages =
      gpt +
      "--micro-batch-size 2 --global-batch-size 128 --tensor-model-parallel-size 2 "
      "--pipeline-model-parallel-size 2 --tp-comm-overlap ";
  struct Measured {
    const std::string& words;
    Generation generation;
    double allocated, peak;
  };
  for (const Measured& one : {Measured{parts, Generation::kHopper, 300'733'952, 425'122'816},
                              Measured{parts, Generation::kBlackwell, 291'296'768, 432'909'312},
                              Measured{stages, Generation::kHopper, 476'258'816, 883'747'328},
                              Measured{stages, Generation::kBlackwell, 465'773'056, 876'407'296}}) {
    CAPTURE(one.words);
    const Setup setup = setup_of(one.words, one.generation);
    const StageMemory memory = stage_memory(setup, setup.pp - 1);
    CHECK(memory.allocated() == Approx(one.allocated).epsilon(0.003));
    CHECK(memory.peak == Approx(one.peak).epsilon(0.045));
  }
}
