// SPDX-License-Identifier: Apache-2.0
// Launches of other trainers and other years, and what a launcher's own options mean.
#include "core/base/error.h"
#include "sweeps/estimate/launch_checks.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// GPT-3 6.7B.
const std::string kLaunch =
    "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
    "--micro-batch-size 4 --global-batch-size 512 ";

MegatronSetup read(const std::string& more) {
  return test::read_launch(kLaunch + more, 16, Generation::kAmpere);
}

Setup setup_of(const std::string& more) { return read(more).setup; }

std::string mistake_in(const std::string& more) {
  try {
    read(more);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("DeepSpeed parts a pipeline by layers, or by layers and embeddings") {
  using test::layers_of_stages;
  using Layers = std::vector<std::int64_t>;
  const std::string stages = "--deepspeed --fp16 --pipeline-model-parallel-size ";
  const std::string both = " --pp-partition-method type:transformer|embedding";
  // As in BLOOM's smaller models: 30 layers and two embeddings are 4 x 8.
  for (const char* zero : {"", " --zero-stage 0", " --zero-stage 1"}) {
    const std::string thirty = stages + "4 --num-layers 30" + zero;
    CHECK(layers_of_stages(setup_of(thirty + both)) == Layers{7, 8, 8, 7});
    CHECK(layers_of_stages(setup_of(thirty)) == Layers{8, 8, 7, 7});
  }
  CHECK(layers_of_stages(setup_of(stages + "4")) == Layers{8, 8, 8, 8});
  CHECK(layers_of_stages(setup_of(stages + "4" + both)) == Layers{8, 9, 8, 7});
  CHECK(layers_of_stages(setup_of("--fp16 --pipeline-model-parallel-size 4" + both)) ==
        Layers{8, 8, 8, 8});
  // Ends that have an embedding alone, as BLOOMZ was tuned.
  const Setup ends = setup_of(stages + "16 --num-layers 14" + both);
  CHECK(ends.layers_of_stage(0) == 0);
  CHECK(ends.layers_of_stage(1) == 1);
  CHECK(ends.layers_of_stage(15) == 0);
  for (std::int64_t stage = 0; stage < 16; ++stage) {
    CHECK(stage_memory(ends, stage).activations >= 0);
    CHECK(stage_memory(ends, stage).peak > stage_memory(ends, stage).weights);
  }
  CHECK(mistake_in(stages + "16 --num-layers 13" + both) ==
        "estimate: there are fewer layers and embeddings than stages (15 and 16)");
  CHECK(mistake_in(stages + "16 --num-layers 14") ==
        "estimate: there are fewer layers than stages (14 and 16)");
  CHECK(mistake_in(stages + "4 --pp-partition-method parameters") ==
        "estimate: how --pp-partition-method parameters parts the layers is not known");
}

TEST_CASE("what DeepSpeed's launches say beside the model is read as it is meant") {
  const std::string deepspeed = "--deepspeed --zero-stage 1 --fp16 ";
  CHECK(read(deepspeed + "--checkpoint-activations --deepspeed-activation-checkpointing")
            .unknown.empty());
  CHECK(read(deepspeed + "--partition-activations").unknown ==
        std::vector<std::string>{"--partition-activations"});
  CHECK(mistake_in(deepspeed + "--num-experts 128") ==
        "estimate: DeepSpeed's mixtures of experts are not known");
  CHECK(setup_of(deepspeed + "--num-experts 1").shape.experts == 0);  // its word for none
  const Setup plain = setup_of(deepspeed), normed = setup_of(deepspeed + "--embed-layernorm");
  CHECK(model_parameters(normed.shape) == model_parameters(plain.shape) + 2 * 4096);
  CHECK(stage_memory(normed, 0).activations > stage_memory(plain, 0).activations);
}

TEST_CASE("what came after Megatron-LM 2 is not taken for it") {
  CHECK(setup_of("--fp16").framework == Framework::kMegatron2);
  for (const char* newer : {"--recompute-activations", "--overlap-grad-reduce",
                            "--ckpt-format torch", "--distributed-timeout-minutes 60"})
    CHECK(setup_of("--fp16 " + std::string(newer)).framework == Framework::kMegatronCore);
}

TEST_CASE(
    "what Megatron-LM has no argument of may change memory, and a launcher's options do not") {
  const auto unknown = [](const std::string& launch) {
    const NamedValues arguments = arguments_of_words({launch});
    MegatronSetup read = megatron_setup(arguments, 16, 8, Generation::kAmpere);
    doubt_strangers(arguments, read);
    return read.unknown;
  };
  using Names = std::vector<std::string>;
  const std::string plain = "pretrain_gpt.py --bf16 " + kLaunch;
  CHECK(unknown(plain + "--log-interval 1 --barrier-with-L1-time --tensorboard-dir x").empty());
  CHECK(unknown("torchrun --nproc_per_node 8 --rdzv_endpoint n1 --local_ranks_filter 0 " + plain)
            .empty());
  CHECK(unknown("mpiexec --ppn 4 --cpu-bind numa " + plain).empty());
  CHECK(unknown("deepspeed --num_nodes 2 --num_gpus 8 " + plain).empty());
  CHECK(unknown(plain + "--kd --load-teacher /t --swap-attention") ==
        Names{"--kd", "--load-teacher", "--swap-attention"});
  CHECK(unknown(plain + "--glu-activation swiglu") == Names{"--glu-activation"});
  CHECK(unknown(plain + "--reuse-fp32-param False --kd 0").empty());
  CHECK(unknown(plain + "--spec local.py --kd") == Names{"--spec", "--kd"});
}

TEST_CASE("torchrun's words that leave it open how many there are do not matter beside --gpus") {
  CHECK(setup_of("--bf16 --nproc_per_node gpu --nnodes 1:4").dp == 16);
  CHECK(setup_of("--bf16 --nproc-per-node auto").dp == 16);
  CHECK_THAT(mistake_in("--bf16 --nproc-per-node many"), Contains("takes a whole number"));
  CHECK_THROWS_WITH(megatron_setup(arguments_of_words({kLaunch + "--bf16 --nproc_per_node gpu"}),
                                   {}, {}, Generation::kAmpere),
                    Contains("on how many GPUs?"));
}
