// SPDX-License-Identifier: Apache-2.0
// What newer Megatron-LM has: its own FSDP, Muon, gradients of the output layer that wait, and ends
// of a pipeline that count as a layer; and what its tests measured of them.
#include <string>
#include <tuple>
#include <vector>

#include "sweeps/estimate/groups.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

const std::string kSmall =
    "--hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 "
    "--vocab-size 50257 --micro-batch-size 4 --global-batch-size 32 --bf16 --use-mcore-models "
    "--transformer-impl transformer_engine --attention-softmax-in-fp32 --deterministic-mode ";
const std::string kDense = kSmall + "--num-layers 12 ";
const std::string kExperts =
    kDense +
    "--disable-bias-linear --num-experts 8 --moe-router-topk 2 --moe-grouped-gemm "
    "--no-gradient-accumulation-fusion --no-bias-gelu-fusion ";
const std::string kFsdp =
    "--use-distributed-optimizer --use-megatron-fsdp --megatron-fsdp-main-grads-dtype fp32 ";
const std::string kMuon =
    kExperts + "--moe-ffn-hidden-size 1024 --moe-router-dtype fp32 --optimizer muon ";

Setup setup_of(const std::string& words, std::int64_t gpus = 8,
               Generation generation = Generation::kHopper) {
  return test::setup_of_launch(words, gpus, generation);
}

/// Bytes of the last rank, as Megatron-LM's tests have measured them (d98e8a64,
/// tests/functional_tests/test_cases).
struct Measured {
  std::string words;
  std::int64_t gpus;
  Generation generation;
  double allocated, peak;
  double allocated_error, peak_error;  ///< at most, as shares
  bool is_older = false;               ///< of before FSDP kept what is no layer's
};

void check(const Measured& one) {
  CAPTURE(one.words, one.gpus);
  Setup setup = setup_of(one.words, one.gpus, one.generation);
  if (one.is_older) setup.keeps_gathered = false;
  const StageMemory memory = stage_memory(setup, setup.pp - 1);
  CHECK(memory.allocated() == Approx(one.allocated).epsilon(one.allocated_error));
  CHECK(memory.peak == Approx(one.peak).epsilon(one.peak_error));
}

}  // namespace

TEST_CASE("a formula says heads of a width of their own") {
  const Setup setup = test::setup_of_launch(
      "--num-layers 2 --hidden-size 2048 --num-attention-heads 32 --group-query-attention "
      "--num-query-groups 4 --kv-channels 128 --seq-length 512 --max-position-embeddings 512 "
      "--micro-batch-size 1 --global-batch-size 8 --bf16 --vocab-size 1024 --disable-bias-linear",
      8);
  std::string formulas;
  for (const ModelPart& part : parts_of_stage(setup, 0))
    if (part.name == "layer.attention.qkv" || part.name == "layer.attention.out")
      formulas += part.formula + " = " + std::to_string(part.parameters) + "; " +
                  part.activation_formula + "; ";
  CHECK(
      formulas ==
      "(a + 2 g) d h / t = 10485760; 2 (a + 2 g) d s b / t; a d h / t = 8388608; 2 s b a d / t; ");
}

TEST_CASE("Megatron-LM's tests of its FSDP take what is said") {
  const std::string words = kDense + kFsdp +
                            "--tensor-model-parallel-size 2 "
                            "--data-parallel-sharding-strategy optim_grads_params "
                            "--no-gradient-accumulation-fusion ";
  check({words, 8, Generation::kHopper, 246999552, 1469652992, 0.006, 0.005, true});
  check({words, 8, Generation::kBlackwell, 246999552, 1494818816, 0.006, 0.005, true});
  check({words, 4, Generation::kBlackwell, 394290688, 1642060800, 0.003, 0.005, true});
  const std::string experts = kExperts + kFsdp +
                              "--tensor-model-parallel-size 2 --expert-model-parallel-size 2 "
                              "--sequence-parallel ";
  check({experts, 8, Generation::kHopper, 787369984, 2587000000, 0.01, 0.1, true});
}

TEST_CASE("FSDP spreads what its strategy says, and of experts over those that hold the same") {
  const std::string model = kDense + kFsdp + "--data-parallel-sharding-strategy ";
  const double all = number(stage_parameters(setup_of(kDense), 0).all());
  const auto states = [](const std::string& words) {
    const Setup setup = setup_of(words);
    return state_memory(setup, stage_parameters(setup, 0));
  };
  const auto is = [&](const std::string& strategy, double weights, double gradients,
                      double optimizer) {
    CAPTURE(strategy);
    const StateMemory memory = states(model + strategy);
    CHECK(memory.weights == Approx(weights * all));
    CHECK(memory.gradients == Approx(gradients * all));
    CHECK(memory.optimizer == Approx(optimizer * all));
  };
  is("no_shard", 2, 4, 12);
  is("optim", 2, 4, 12.0 / 8);
  is("optim_grads", 2, 4.0 / 8, 12.0 / 8);
  is("optim_grads_params", 2.0 / 8, 4.0 / 8, 12.0 / 8);
  // Where nothing is said all is spread, and gradients are in 16 bits, of which there are copies.
  const StateMemory usual = states(kDense + "--use-megatron-fsdp");
  CHECK(usual.weights == Approx(all / 4));
  CHECK(usual.gradients == Approx(all / 4));
  CHECK(usual.optimizer == Approx(all * 2));
  const std::string spread = kExperts + kFsdp + "--expert-model-parallel-size 4 ";
  const Parameters own = stage_parameters(setup_of(spread), 0);
  const double experts = number(own.experts), rest = number(own.all()) - experts;
  CHECK(states(spread).weights == Approx(2 * (rest / 8 + experts / 2)));
  CHECK(states(spread).gradients == Approx(4 * (rest / 8 + experts / 2)));
  CHECK(states(spread).optimizer == Approx(12 * (rest / 8 + experts / 2)));
}

TEST_CASE("FSDP gathers layers ahead, and their gradients wait, up to so many numbers") {
  const std::string model =
      "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
      "--max-position-embeddings 2048 --vocab-size 32000 --micro-batch-size 1 --global-batch-size "
      "64 --bf16 --transformer-impl transformer_engine --recompute-granularity full "
      "--recompute-method uniform --recompute-num-layers 1 --use-distributed-optimizer ";
  const auto working = [&](const std::string& words) {
    return stage_memory(setup_of(model + words, 64), 0).working;
  };
  const double layer = number(layer_parameters(setup_of(model, 64), false).all());
  const double waiting = 1e9, ahead = 5e8;
  const double more = working(kFsdp) - working("");
  CHECK(more > 4 * waiting * 0.8 + 2 * (ahead + layer));
  CHECK(more < 4 * (waiting + 32000 * 4096 + layer) + 2 * (ahead + layer + 32000 * 4096 * 2));
  const double weights_whole = working(kFsdp + "--data-parallel-sharding-strategy optim_grads");
  CHECK(working(kFsdp) - weights_whole > 2 * ahead);
}

TEST_CASE("what is no layer's stays gathered between iterations, and units may be larger") {
  const std::string words = kDense + kFsdp;
  Setup now = setup_of(words), before = now;
  before.keeps_gathered = false;
  const StageMemory kept = stage_memory(now, 0), freed = stage_memory(before, 0);
  const double ends = 50304 * 512 + 1024 * 512 + 2 * 512;
  CHECK(kept.allocated() - freed.allocated() == Approx(2 * ends));
  CHECK(kept.peak == Approx(freed.peak));
  // Of what predicts a further token the layer is freed, and what stands before it is kept.
  const std::string further = words + "--mtp-num-layers 1 --position-embedding-type rope ";
  Setup keeping = setup_of(further), freeing = keeping;
  freeing.keeps_gathered = false;
  CHECK(stage_memory(keeping, 0).weights - stage_memory(freeing, 0).weights ==
        Approx(2 * (50304 * 512 + 2 * 512 + 2 * 512 * 512 + 6 * 512)));
  // A layer of 1.8 billion parameters: two of them are there, and two gradients.
  const std::string wide =
      "--num-layers 8 --hidden-size 12288 --num-attention-heads 96 --seq-length 2048 "
      "--max-position-embeddings 2048 --vocab-size 50257 --micro-batch-size 1 "
      "--global-batch-size 64 --bf16 --transformer-impl transformer_engine " +
      kFsdp;
  const auto working = [&](const std::string& more) {
    return stage_memory(setup_of(wide + more, 64), 0).working;
  };
  const double layer = number(layer_parameters(setup_of(wide, 64), false).all());
  CHECK(working("") > 2 * 2 * layer + 4 * layer);
  CHECK(working("--suggested-communication-unit-size 100000000") < working("") - 2 * 0.9 * layer);
  const std::string whole = words + "--data-parallel-sharding-strategy no_shard ";
  CHECK(setup_of(whole + "--use-precision-aware-optimizer").zero == 0);
}

TEST_CASE("experts' messages overlap alike, however the layers are placed, and where they may") {
  const std::string words =
      kExperts +
      "--num-layers 16 --global-batch-size 128 --expert-model-parallel-size 2 "
      "--moe-token-dispatcher-type alltoall "
      "--untie-embeddings-and-output-weights --pipeline-model-parallel-size 4 ";
  const std::string overlap = "--overlap-moe-expert-parallel-comm ";
  const auto peaks = [](const std::string& launch) {
    const Setup setup = setup_of(launch);
    std::vector<double> all;
    for (std::int64_t stage = 0; stage < setup.pp; ++stage)
      all.push_back(stage_memory(setup, stage).peak);
    return all;
  };
  const std::string even = "--num-virtual-stages-per-pipeline-rank 2 ";
  CHECK(peaks(words + overlap + even) ==
        peaks(words + overlap + "--pipeline-model-parallel-layout Ett|(tt|)*6ttL"));
  CHECK(peaks(words + overlap + even).front() > peaks(words + even).front());
  const auto refused = [&](const std::string& more, const std::string& why) {
    CHECK_THROWS_WITH(test::read_launch(words + overlap + more, 8), Contains(why));
  };
  refused("", "needs virtual stages");
  refused(even + "--expert-model-parallel-size 1", "needs --expert-model-parallel-size");
  refused(even + "--moe-token-dispatcher-type allgather", "needs --moe-token-dispatcher-type");
  refused(even + "--moe-layer-recompute", "excludes that experts are made again");
  refused(even + "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
          "excludes full recomputation");
}

TEST_CASE("virtual stages divide the layers of every stage") {
  const std::string words = kSmall +
                            "--num-layers 11 --pipeline-model-parallel-size 2 "
                            "--num-virtual-stages-per-pipeline-rank 2 "
                            "--decoder-first-pipeline-num-layers ";
  CHECK_THROWS_WITH(test::read_launch(words + "6", 8),
                    "estimate: virtual stages do not divide the layers of a stage (5 by 2)");
}

TEST_CASE("Megatron-LM's tests of Muon take what is said") {
  const std::string on8 = kMuon + "--expert-model-parallel-size 8 ",
                    on4 = kMuon + "--expert-model-parallel-size 4 ";
  const std::string spread = "--use-distributed-optimizer ";
  check({on8, 8, Generation::kHopper, 1096680192, 3625479168, 0.006, 0.03});
  check({on8, 8, Generation::kBlackwell, 1101650688, 3476472832, 0.002, 0.04});
  check({on4, 4, Generation::kBlackwell, 1263861760, 3873047552, 0.002, 0.04});
  check({on8 + spread, 8, Generation::kHopper, 742118656, 3278233088, 0.015, 0.04});
  check({on4 + spread, 4, Generation::kBlackwell, 946648064, 3567309824, 0.003, 0.04});
}

TEST_CASE("Muon keeps one moment of what layers multiply with, and Adam two of the rest") {
  const Setup adam = setup_of(kDense), muon = setup_of(kDense + "--optimizer muon ");
  const Parameters own = stage_parameters(adam, 0);
  const double saved = 4 * number(own.products);
  CHECK(state_memory(adam, own).optimizer - state_memory(muon, own).optimizer == Approx(saved));
  CHECK(checkpoint_bytes(adam) - checkpoint_bytes(muon) == Approx(saved / number(own.all())));
  CHECK_THAT(state_words(muon), Contains("optimizer 12 (8 in layers)"));
  CHECK(setup_of(kDense + "--optimizer dist_muon").zero == 1);
  const auto refused = [&](const std::string& more) {
    try {
      test::read_launch(kDense + "--optimizer muon " + more, 8);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("--use-distributed-optimizer --use-precision-aware-optimizer") ==
        "estimate: --optimizer muon excludes --use-precision-aware-optimizer");
  CHECK(refused("--use-megatron-fsdp") ==
        "estimate: --optimizer muon excludes --use-megatron-fsdp");
  for (const std::string other :
       {"--optimizer sgd", "--optimizer muon --muon-scalar-optimizer lion",
        "--optimizer muon --no-use-layer-wise-param-layout"}) {
    CAPTURE(other);
    CHECK(test::read_launch(kDense + other, 8).unknown.size() == 1);
  }
}

TEST_CASE("the output layer's gradient waits for as many micro-batches as are told") {
  const std::string words =
      kDense + "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 ";
  const std::string deferred = words + "--defer-embedding-wgrad-compute ";
  check({deferred + "--wgrad-deferral-limit 2", 8, Generation::kHopper, 545423872, 1894918656,
         0.002, 0.01});
  const auto peak = [](const std::string& launch) {
    const Setup setup = setup_of(launch);
    return stage_memory(setup, setup.pp - 1).peak;
  };
  // A micro-batch's logits in 16 bits, and what they were made of; of four one is being made.
  const double one = 2.0 * 4 * 1024 * (50432.0 / 2 + 512), before = peak(words);
  CHECK(peak(deferred + "--wgrad-deferral-limit 1") - before == Approx(one));
  CHECK(peak(deferred + "--wgrad-deferral-limit 9") - before == Approx(3 * one));
  CHECK(peak(deferred + "--wgrad-deferral-limit 0") - before == Approx(3 * one));
  CHECK(peak(deferred) - before == Approx(3 * one));
  const std::string further = "--mtp-num-layers 1 --position-embedding-type rope ";
  CHECK(peak(deferred + further) - peak(words + further) == Approx(6 * one));
  CHECK_THROWS_WITH(test::read_launch(kDense + "--defer-embedding-wgrad-compute", 8),
                    Contains("--defer-embedding-wgrad-compute needs "
                             "--pipeline-model-parallel-size"));
  CHECK_THROWS_WITH(test::read_launch(deferred + "--no-gradient-accumulation-fusion", 8),
                    Contains("excludes --no-gradient-accumulation-fusion"));
}

TEST_CASE("ranks of a pipeline are nearer than those of DP where they are told to be") {
  const std::string words =
      kDense +
      "--tensor-model-parallel-size 2 --context-parallel-size 2 --pipeline-model-parallel-size 2 "
      "--expert-tensor-parallel-size 4 --untie-embeddings-and-output-weights ";
  const Setup usual = setup_of(words, 16), mapped = setup_of(words + "--use-tp-pp-dp-mapping", 16);
  CHECK(groups_of(usual, Dimension::kPipeline).at(1) == Ranks{1, 9});
  CHECK(groups_of(mapped, Dimension::kPipeline).at(1) == Ranks{1, 5});
  CHECK(groups_of(mapped, Dimension::kContext) == groups_of(usual, Dimension::kContext));
  CHECK(groups_of(mapped, Dimension::kData).at(5) == Ranks{5, 13});
  CHECK(groups_of(mapped, Dimension::kReplicas) ==
        std::vector<Ranks>{{0, 2, 8, 10}, {1, 3, 9, 11}, {4, 6, 12, 14}, {5, 7, 13, 15}});
  for (const auto& [dimension, before, after] : {std::tuple{Dimension::kPipeline, 2, 1},
                                                 {Dimension::kData, 1, 2},
                                                 {Dimension::kReplicas, 1, 2},
                                                 {Dimension::kContext, 1, 1}}) {
    CHECK(nodes_of_group(usual, dimension) == before);
    CHECK(nodes_of_group(mapped, dimension) == after);
  }
  // Sums over DP leave the node, and stages' messages stay on it.
  const StepTime near = step_time(usual, test::kH100, Rates()),
                 far = step_time(mapped, test::kH100, Rates());
  CHECK(far.data > 2 * near.data);
  CHECK(far.pipeline < near.pipeline);
  CHECK(stage_memory(mapped, 1).peak == stage_memory(usual, 1).peak);
  const Setup experts = setup_of(kExperts +
                                     "--context-parallel-size 2 --pipeline-model-parallel-size 2 "
                                     "--expert-model-parallel-size 2 --use-tp-pp-dp-mapping",
                                 8);
  CHECK(groups_of(experts, Dimension::kExperts).at(1) == Ranks{2, 3});
  CHECK(groups_of(experts, Dimension::kExpertData).at(0) == Ranks{0, 4});
  const Setup one = setup_of(
      kDense +
          "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --use-tp-pp-dp-mapping",
      16);
  CHECK(groups_of(one, Dimension::kReplicas).at(1) == Ranks{1, 5, 9, 13});
  CHECK(nodes_of_group(one, Dimension::kReplicas) == 2);
  CHECK_THROWS_WITH(
      test::read_launch(kExperts +
                            "--pipeline-model-parallel-size 2 --expert-model-parallel-size 2 "
                            "--use-tp-pp-dp-mapping",
                        8),
      "estimate: with --use-tp-pp-dp-mapping Megatron wants EP x expert TP to be TP x CP");
}

TEST_CASE("of an optimizer on processors the GPU keeps the rest, in fp32") {
  const std::string words = kDense + "--use-distributed-optimizer --use-precision-aware-optimizer ";
  const auto optimizer = [](const std::string& launch) {
    const MegatronSetup read = test::read_launch(launch, 8);
    CHECK(read.unknown.empty());
    CHECK(read.untimed == std::vector<std::string>{"--optimizer-cpu-offload"});
    const Parameters own = stage_parameters(read.setup, 0);
    return state_memory(read.setup, own).optimizer * 8 / number(own.all());
  };
  const std::string offload = words + "--optimizer-cpu-offload --optimizer-offload-fraction ";
  CHECK(optimizer(offload + "1.0") == 0);
  CHECK(optimizer(offload + "0.25") == Approx(9));
  CHECK(optimizer(offload + "0.25 --grad-reduce-in-bf16") == Approx(12));
  CHECK(test::read_launch(words + "--optimizer-cpu-offload", 8).unknown ==
        std::vector<std::string>{"--optimizer-cpu-offload"});
  CHECK_THROWS_WITH(test::read_launch(offload + "40", 8),
                    Contains("--optimizer-offload-fraction takes a share from 0 to 1, not '40'"));
  std::string wide = offload + "1.0";
  wide.erase(wide.find("--bf16 "), 7);
  CHECK(optimizer(wide) == 0);
  CHECK_THROWS_WITH(test::read_launch(kDense + "--optimizer-cpu-offload", 8),
                    Contains("needs --use-precision-aware-optimizer"));
}

TEST_CASE("the older word for experts that are made again counts as the newer ones") {
  const Setup older = setup_of(kExperts + "--moe-layer-recompute");
  const Setup newer = setup_of(kExperts +
                               "--recompute-granularity selective "
                               "--recompute-modules core_attn moe");
  CHECK(older.recompute == Recompute::kSelective);
  CHECK(older.remade == newer.remade);
  CHECK(stage_memory(older, 0).peak == stage_memory(newer, 0).peak);
  CHECK_THROWS_WITH(
      test::read_launch(kExperts + "--moe-layer-recompute --recompute-granularity full "
                                   "--recompute-method uniform --recompute-num-layers 1",
                        8),
      Contains("--moe-layer-recompute excludes full recomputation"));
}

TEST_CASE("Transformer Engine's loss leaves the gradient of logits in their place") {
  const auto working = [](const std::string& words) {
    return stage_memory(setup_of(kDense + words), 0).working;
  };
  const double logits = 4.0 * 1024 * 50304;
  const double fused = working("--cross-entropy-loss-fusion ");
  CHECK(fused - working("") == Approx(4 * logits));
  CHECK(fused - working("--cross-entropy-loss-fusion --cross-entropy-fusion-impl te") ==
        Approx(8 * logits));
  CHECK(working("--cross-entropy-fusion-impl te") == working(""));
  CHECK_THROWS_WITH(test::read_launch(kDense + "--cross-entropy-fusion-impl liger", 8),
                    Contains("--cross-entropy-fusion-impl is one of native, te, not 'liger'"));
}

TEST_CASE("chunks that hold an embedding or the loss alone keep no layer's activations") {
  const std::string words =
      kSmall +
      "--num-layers 6 --pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2 "
      "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split "
      "--untie-embeddings-and-output-weights --no-gradient-accumulation-fusion "
      "--attention-backend unfused ";
  check({words, 8, Generation::kHopper, 638725632, 2841169408, 0.002, 0.003});
  check({words, 4, Generation::kBlackwell, 638725632, 2842088960, 0.002, 0.003});
}
