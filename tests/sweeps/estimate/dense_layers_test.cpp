// SPDX-License-Identifier: Apache-2.0
// Layers without experts among those that have some, and experts that all tokens meet.
#include <numeric>
#include <string>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/expert_layers.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;

namespace {

std::string pattern(std::string_view frequency, std::int64_t layers) {
  const auto with = layers_with_experts(frequency, layers);
  if (!with) return "none";
  std::string text;
  for (const bool one : *with) text += one ? '1' : '0';
  return text;
}

/// DeepSeekMoE 16B: its first layer has no experts, the others 64 and two that all tokens meet.
const std::string kDeepSeekMoe =
    "--num-layers 28 --hidden-size 2048 --num-attention-heads 16 --ffn-hidden-size 10944 "
    "--seq-length 4096 --vocab-size 102400 --swiglu --normalization RMSNorm --disable-bias-linear "
    "--untie-embeddings-and-output-weights --position-embedding-type rope --num-experts 64 "
    "--moe-router-topk 6 --moe-ffn-hidden-size 1408 --moe-shared-expert-intermediate-size 2816 "
    "--moe-layer-freq ([0]*1+[1]*27) --moe-token-dispatcher-type alltoall --moe-grouped-gemm "
    "--micro-batch-size 1 --bf16 --use-distributed-optimizer --attention-dropout 0 "
    "--hidden-dropout 0 ";

Setup setup_of(const std::string& words, std::int64_t gpus = 64) {
  return test::setup_of_launch(words, gpus);
}

double calls(const Setup& setup, Topic topic, std::string_view function) {
  return test::calls_of(setup, 0, topic, function);
}

}  // namespace

TEST_CASE("which layers have experts is read as Megatron reads it") {
  CHECK(pattern("", 4) == "1111");
  CHECK(pattern("1", 4) == "1111");
  CHECK(pattern("3", 8) == "10010010");
  CHECK(pattern("[0, 1,1]", 3) == "011");
  CHECK(pattern("([0]*3+[1]*5)", 8) == "00011111");
  CHECK(pattern(" 2 * ( [0] + [1]*3 ) ", 8) == "01110111");
  CHECK(pattern("([0]+[1])*(1+1)*2", 8) == "01010101");
  CHECK(pattern("[1]*0+[0]*2", 2) == "00");
  for (const char* words :
       {"0", "-1", "two", "99999999999999999999", "[0,1", "[0,1]]", "([0]*3+[1]*5", "[0]*9",
        "[2]*8", "[-1]*8", "[0]*[1]", "[0]+8", "[1]**8", "8*", "[1]*100000*100000", "()", "[,]",
        "[0]*4 [1]*4", "1e3"}) {
    CAPTURE(words);
    CHECK(pattern(words, 8) == "none");
  }
  CHECK(pattern(std::string(1000, '(') + "[1]" + std::string(1000, ')'), 1) == "none");
}

TEST_CASE("layers with experts that come in equal steps are known by the first and the step") {
  const auto steps = [](const char* frequency, std::int64_t layers) {
    return steps_of(layers_with_experts(frequency, layers).value());
  };
  CHECK(steps("", 4)->first == 0);
  CHECK(steps("[0]*3+[1]*5", 8)->first == 3);
  CHECK(steps("[0]*3+[1]*5", 8)->every == 1);
  CHECK(steps("([0]+[1])*4", 8)->first == 1);
  CHECK(steps("([0]+[1])*4", 8)->every == 2);
  CHECK(steps("3", 8)->every == 3);
  CHECK(steps("[0]*7+[1]", 8)->first == 7);
  CHECK_FALSE(steps("[0]*8", 8));
  CHECK_FALSE(steps("[1]*4+[0]*4", 8));
  CHECK_FALSE(steps("[1]+[0]+[1]*2", 4));
}

TEST_CASE("a stage has as many of them as are among its layers, with virtual stages too") {
  Setup setup;
  setup.shape.layers = 32;
  setup.shape.experts = 8;
  setup.shape.first_mixture = 5;
  setup.pp = 4;
  const auto of = [&](std::int64_t stage) { return setup.mixtures_of_stage(stage); };
  CHECK((of(0) == 3 && of(1) == 8 && of(2) == 8 && of(3) == 8));
  setup.chunks = 4;  // stage 0 has layers 0, 1, 8, 9, 16, 17, 24, 25
  CHECK((of(0) == 6 && of(1) == 6 && of(2) == 7 && of(3) == 8));
  setup.chunks = 1;
  setup.first_layers = 6;
  setup.last_layers = 4;
  CHECK((of(0) == 1 && of(1) == 11 && of(2) == 11 && of(3) == 4));
  setup.first_layers = 7;  // what stands before it counts as one of the first chunk's
  setup.last_layers = 8;
  setup.shape.layers = 31;
  setup.chunks = 2;  // 0 to 2 and 15 to 18 are its own, 3 to 6 and 19 to 22 the next one's
  CHECK((of(0) == 4 && of(1) == 6 && of(2) == 8 && of(3) == 8));
  setup.shape.layers = 32;
  setup.chunks = 1;
  setup.first_layers = 6;
  setup.last_layers = 4;
  setup.shape.mixture_step = 2;  // 5, 7, …, 31
  CHECK((of(0) == 1 && of(1) == 5 && of(2) == 6 && of(3) == 2));
  setup.pp = 1;
  setup.first_layers = setup.last_layers = 0;
  CHECK(of(0) == 14);
}

TEST_CASE("parameters are those that models are published with, and that Megatron prints") {
  CHECK(model_parameters(setup_of(kDeepSeekMoe).shape) == 16'375'728'128);
  // Megatron-Core d98e8a6 says so of these arguments itself.
  const Setup printed = setup_of(
      "--num-layers 8 --hidden-size 2048 --num-attention-heads 16 --group-query-attention "
      "--num-query-groups 4 --ffn-hidden-size 5632 --seq-length 2048 --swiglu "
      "--normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights "
      "--position-embedding-type rope --micro-batch-size 2 --vocab-size 32000 --bf16 "
      "--num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 1408 "
      "--moe-token-dispatcher-type alltoall --moe-shared-expert-intermediate-size 2816",
      1);
  CHECK(model_parameters(printed.shape) == 907'184'128);
}

TEST_CASE("a gate of the shared experts is one weight for each number that it looks at") {
  const Setup plain = setup_of(kDeepSeekMoe);
  const Setup gated = setup_of(kDeepSeekMoe + "--moe-shared-expert-gate");
  CHECK(model_parameters(gated.shape) == model_parameters(plain.shape) + std::int64_t{27} * 2048);
}

TEST_CASE("a token meets the shared experts, and of the others its own") {
  const Shape shape = setup_of(kDeepSeekMoe).shape;
  const std::int64_t expert = std::int64_t{3} * 2048 * 1408;
  CHECK(active_parameters(shape) == model_parameters(shape) - std::int64_t{27} * (64 - 6) * expert);
  const double layers = 28.0 * 4 * 2048 * 2048 + 3.0 * 2048 * 10944;
  const double mixtures = 27.0 * 3 * 2048 * (6 * 1408 + 2816);
  CHECK(token_weights(shape) == layers + mixtures + 2048.0 * 102400);
}

TEST_CASE("EP spreads the experts of layers that have some, TP those that all tokens meet") {
  const Setup setup = setup_of(kDeepSeekMoe +
                               "--expert-model-parallel-size 8 --pipeline-model-parallel-size 2 "
                               "--tensor-model-parallel-size 2 --sequence-parallel "
                               "--expert-tensor-parallel-size 1");
  const std::int64_t expert = std::int64_t{3} * 2048 * 1408;
  const Parameters first = stage_parameters(setup, 0), last = stage_parameters(setup, 1);
  CHECK(first.experts == std::int64_t{13} * 8 * expert);
  CHECK(last.experts == std::int64_t{14} * 8 * expert);
  CHECK(last.split == 14 * (std::int64_t{4} * 2048 * 2048 + std::int64_t{3} * 2048 * 2816) / 2 +
                          std::int64_t{102400} * 2048 / 2);
  CHECK(last.replicated == 14 * (2 * 2048 + 64 * 2048) + 2048);
}

TEST_CASE("the largest stage is found where later ones have more experts") {
  Setup setup =
      setup_of(kDeepSeekMoe + "--pipeline-model-parallel-size 7 --global-batch-size 512 ", 56);
  setup.shape.first_mixture = 12;  // stages 0 to 2 have none
  const double peak = stage_memory(setup, largest_stage(setup)).peak;
  for (std::int64_t stage = 0; stage < setup.pp; ++stage) {
    CAPTURE(stage);
    CHECK(stage_memory(setup, stage).peak <= peak);
  }
  CHECK(largest_stage(setup) == 3);
  for (const std::int64_t pp : {2, 4}) {
    CAPTURE(pp);
    setup.pp = pp;
    setup.shape.first_mixture = 28 / pp * (pp - 1);  // the last stage alone has some
    CHECK(largest_stage(setup) == pp - 1);
  }
}

TEST_CASE("a stage keeps what its layers of both kinds keep") {
  Setup setup = setup_of(kDeepSeekMoe, 8);
  const double dense = layer_activations(setup, false).all();
  const double mixture = layer_activations(setup, true).all();
  CHECK(stage_memory(setup, 0).activations == Approx(dense + 27 * mixture));
  // Gate, up and their product, in 2 bytes each.
  CHECK(layer_activations(setup, true).shared == 3 * 2 * 4096.0 * 2816);
  CHECK(layer_activations(setup, false).mlp == 3 * 2 * 4096.0 * 10944);
  CHECK(layer_activations(setup, false).routed == 0);
  CHECK(layer_activations(setup, false).shared == 0);
}

TEST_CASE("dense layers send nothing to experts, and shared experts sum what TP splits") {
  const std::string layout =
      "--tensor-model-parallel-size 2 --sequence-parallel --expert-model-parallel-size 8 "
      "--expert-tensor-parallel-size 1 --global-batch-size 32";
  Setup setup = setup_of(kDeepSeekMoe + layout);
  CHECK(calls(setup, Topic::kExperts, "all_to_all") == 2 * 2 * 27);
  CHECK(calls(setup, Topic::kTensor, "reduce_scatter") == 2 * 2 * 28 + 2);
  setup.shape.shared_ffn = 0;
  CHECK(calls(setup, Topic::kTensor, "reduce_scatter") == 2 * (28 + 1) + 2);
}

TEST_CASE("an iteration takes what its layers of both kinds take") {
  Setup setup = setup_of(kDeepSeekMoe + "--global-batch-size 64", 8);
  const auto seconds = [&](std::int64_t first_mixture) {
    setup.shape.first_mixture = first_mixture;
    const StepTime time = step_time(setup, test::kH100, {});
    return time.products + time.attention + time.elements;
  };
  const double none = seconds(28), all = seconds(0), half = seconds(14);
  CHECK(half == Approx((none + all) / 2).epsilon(1e-9));
  // 6 x 1408 + 2816 for 10944 of width: the same work, in more and smaller products.
  CHECK(all > none);
  CHECK(all < 2 * none);
  setup.pp = 7;
  setup.dp = 8;
  setup.shape.first_mixture = 8;  // the first two stages have none
  const StepTime staged = step_time(setup, test::kH100, {});
  Setup mixtures = setup;
  mixtures.shape.first_mixture = 0;
  CHECK(staged.products ==
        Approx(step_time(mixtures, test::kH100, {}).products));  // the slowest stage's
  CHECK(staged.pipeline < step_time(mixtures, test::kH100, {}).pipeline);
}

TEST_CASE("what the frequency of experts and their shared width may not be is refused") {
  const auto read = [](const std::string& words) {
    return megatron_setup(arguments_of_words({kDeepSeekMoe + words}), 64, std::nullopt,
                          Generation::kHopper);
  };
  CHECK_THROWS_WITH(read("--moe-layer-freq [0]*3+[1]*58"),
                    "estimate: --moe-layer-freq is '[0]*3+[1]*58', and no list of 28 layers such "
                    "as ([0]*3+[1]*25)");
  CHECK_THROWS_WITH(read("--moe-shared-expert-intermediate-size 2818 "
                         "--tensor-model-parallel-size 4 --sequence-parallel"),
                    "estimate: TP does not divide the width of the shared experts (2818 by 4)");
  CHECK_THROWS_WITH(
      read("--moe-layer-freq [0]*28"),
      "estimate: --moe-layer-freq leaves no layer experts; leave out --num-experts, too");
  CHECK(read("--moe-layer-freq [1]*2+[0]+[1]*25").untimed.size() == 1);
}
