// SPDX-License-Identifier: Apache-2.0
// What newer Megatron-LM has: its own FSDP, Muon, gradients of the output layer that wait, and ends
// of a pipeline that count as a layer; and what its tests measured of them.
#include <string>
#include <vector>

#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/search_layouts.h"
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
};

void check(const Measured& one) {
  CAPTURE(one.words, one.gpus);
  const Setup setup = setup_of(one.words, one.gpus, one.generation);
  const StageMemory memory = stage_memory(setup, setup.pp - 1);
  CHECK(memory.allocated() == Approx(one.allocated).epsilon(one.allocated_error));
  CHECK(memory.peak == Approx(one.peak).epsilon(one.peak_error));
}

}  // namespace

TEST_CASE("Megatron-LM's tests of its FSDP take what is said") {
  const std::string words = kDense + kFsdp +
                            "--tensor-model-parallel-size 2 "
                            "--data-parallel-sharding-strategy optim_grads_params "
                            "--no-gradient-accumulation-fusion ";
  check({words, 8, Generation::kHopper, 246999552, 1469652992, 0.006, 0.005});
  check({words, 8, Generation::kBlackwell, 246999552, 1494818816, 0.006, 0.005});
  check({words, 4, Generation::kBlackwell, 394290688, 1642060800, 0.003, 0.005});
  const std::string experts = kExperts + kFsdp +
                              "--tensor-model-parallel-size 2 --expert-model-parallel-size 2 "
                              "--sequence-parallel ";
  check({experts, 8, Generation::kHopper, 787369984, 2587000000, 0.01, 0.1});
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
  CHECK_THROWS_WITH(test::read_launch(kDense + "--defer-embedding-wgrad-compute", 8),
                    Contains("--defer-embedding-wgrad-compute needs "
                             "--pipeline-model-parallel-size"));
  CHECK_THROWS_WITH(test::read_launch(deferred + "--no-gradient-accumulation-fusion", 8),
                    Contains("excludes --no-gradient-accumulation-fusion"));
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
