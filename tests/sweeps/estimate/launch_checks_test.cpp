// SPDX-License-Identifier: Apache-2.0
// Arguments that exclude each other, as Megatron-LM d98e8a64 has them.
#include "sweeps/estimate/launch_checks.h"

#include <string>

#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/memory.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

constexpr const char* kDense =
    "--num-layers 8 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --bf16 "
    "--max-position-embeddings 512 --micro-batch-size 1 --transformer-impl transformer_engine "
    "--vocab-size 8192 ";
constexpr const char* kExperts =
    "--num-experts 8 --moe-router-topk 2 --moe-token-dispatcher-type alltoall "
    "--expert-model-parallel-size 8 ";

void check(const std::string& more) {
  const NamedValues arguments = arguments_of_words({kDense + more});
  check_typed_launch(arguments,
                     megatron_setup(arguments, 8, std::nullopt, usual_generation(arguments)).setup);
}

}  // namespace

TEST_CASE("what Megatron refuses of a launch is said before it is handed over") {
  const std::string experts = kExperts;
  for (const auto& [more, why] : std::initializer_list<std::pair<std::string, const char*>>{
           {"--recompute-activations --recompute-granularity full --recompute-method uniform "
            "--recompute-num-layers 1",
            "--recompute-activations is selective"},
           {"--recompute-granularity selective --recompute-num-layers 1",
            "selective recomputation has no --recompute-num-layers"},
           {"--use-distributed-optimizer --fp8-param-gather", "--fp8-param-gather needs"},
           {"--overlap-param-gather --overlap-grad-reduce", "needs --use-distributed-optimizer"},
           {"--overlap-param-gather --use-distributed-optimizer", "needs --overlap-grad-reduce"},
           {"--swiglu --squared-relu", "--swiglu beside another activation"},
           {"--step-batch-size-schedule 0:8 --global-batch-size 8",
            "--step-batch-size-schedule beside"},
           {"--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2 "
            "--global-batch-size 64 --no-overlap-p2p-communication",
            "virtual stages on 2 stages exclude"},
           {"--delay-wgrad-compute", "--delay-wgrad-compute needs"},
           {experts + "--moe-router-topk 1", "needs --moe-router-pre-softmax"},
           {experts + "--moe-router-enable-expert-bias", "needs --moe-router-score-function"},
           {experts + "--moe-router-padding-for-fp8", "needs --fp8-format"},
           {experts + "--moe-router-group-topk 2", "needs --moe-router-num-groups"},
           {experts + "--moe-router-group-topk 2 --moe-router-num-groups 3", "does not divide"}}) {
    CAPTURE(more);
    CHECK_THROWS_WITH(check(more), Contains("Megatron does not start: ") && Contains(why));
  }
}

TEST_CASE("what it takes is not refused") {
  const std::string experts = kExperts;
  for (const std::string& more : {
           std::string(""),
           std::string("--recompute-activations"),
           std::string("--recompute-granularity full --recompute-method block "
                       "--recompute-num-layers 2"),
           std::string("--use-distributed-optimizer --fp8-format hybrid --fp8-param-gather"),
           std::string("--use-distributed-optimizer --overlap-param-gather --overlap-grad-reduce"),
           std::string("--swiglu --squared-relu false"),
           std::string("--pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2 "
                       "--global-batch-size 64 --no-overlap-p2p-communication"),
           experts + "--moe-router-topk 1 --moe-router-pre-softmax",
           experts + "--moe-router-topk 1 --moe-router-load-balancing-type sinkhorn",
           experts + "--moe-router-enable-expert-bias --moe-router-score-function sigmoid",
           experts + "--moe-router-group-topk 2 --moe-router-num-groups 4",
       }) {
    CAPTURE(more);
    CHECK_NOTHROW(check(more));
  }
}

TEST_CASE("a layout with choices that need others does not start") {
  Setup setup = test::read_launch(kDense + std::string(kExperts), 8).setup;
  CHECK(why_not_started(setup).empty());
  setup.overlaps_experts = true;
  CHECK(why_not_started(setup).empty());
  setup.ep = 1;
  CHECK(why_not_started(setup) ==
        "--overlap-moe-expert-parallel-comm needs --expert-model-parallel-size");
  setup = test::read_launch(kDense, 8).setup;
  setup.defers_output = true;
  CHECK_FALSE(why_not_started(setup).empty());
  setup.pp = 2;
  CHECK(why_not_started(setup).empty());
}

/// Source: bigscience/train/tr11-176B-ml/tr11-176B-ml.slurm: 70 layers on 12 stages, both
/// embeddings counted as layers; "bf16 must use z0! it implements its own zero stage 1 equivalent".
TEST_CASE("BLOOM's own launch is judged, and fits the GPUs that it ran on") {
  const MegatronSetup bloom = test::read_launch(
      "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 12 --num-layers 70 "
      "--hidden-size 14336 --num-attention-heads 112 --seq-length 2048 "
      "--max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 2048 --bf16 "
      "--position-embedding-type alibi --vocab-size 250680 --embed-layernorm "
      "--checkpoint-activations --pp-partition-method type:transformer|embedding "
      "--deepspeed --zero-stage 0 --deepspeed-activation-checkpointing",
      384, Generation::kAmpere);
  const Setup& setup = bloom.setup;
  CHECK(setup.layers_of_stage(0) == 5);
  CHECK(setup.layers_of_stage(1) == 6);
  CHECK(setup.layers_of_stage(11) == 5);
  CHECK(setup.zero == 1);
  const double peak = stage_memory(setup, largest_stage(setup)).peak / (1 << 30);
  CHECK(peak < 80);
  CHECK(peak > 40);
}
