// SPDX-License-Identifier: Apache-2.0
// Pipelines whose layers are placed one by one.
#include "sweeps/estimate/stage_layout.h"

#include <string>

#include "core/base/error.h"
#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/step_time.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

using Layers = std::vector<std::int64_t>;

constexpr Machine kH100{989, 989, 3350, 450, 400, 132};

std::string launch(std::int64_t layers, std::int64_t pp, const std::string& more) {
  return "--num-layers " + std::to_string(layers) +
         " --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --vocab-size 32000 "
         "--position-embedding-type rope --untie-embeddings-and-output-weights "
         "--micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer "
         "--pipeline-model-parallel-size " +
         std::to_string(pp) + " " + more;
}

MegatronSetup read(const std::string& words) {
  return megatron_setup(arguments_of_words({words}), 16, std::nullopt, Generation::kHopper);
}

Setup setup_of(const std::string& words) {
  const MegatronSetup found = read(words);
  CHECK(found.unknown.empty());
  CHECK(found.untimed.empty());
  return found.setup;
}

const std::string kPlaced = "--pipeline-model-parallel-layout ";

}  // namespace

TEST_CASE("a layout is read as Megatron reads it") {
  CHECK(layers_of_layout("Et*3|t*4L", 2, 0) == Layers{3, 4});
  CHECK(layers_of_layout("Ettt|(tt|)*29,m|L", 2, 0) == std::nullopt);  // MTP apart from the loss
  CHECK(layers_of_layout("Et*2|(tt|)*5t|tmL", 4, 1) == Layers{2, 2, 2, 2, 2, 2, 1, 1});
  CHECK(layers_of_layout("Et|(tt|)*6mL", 2, 1) == Layers{1, 2, 2, 2, 2, 2, 2, 0});
  CHECK(layers_of_layout("\"Et*7|t*7mL\"", 2, 1) == Layers{7, 7});
  CHECK(layers_of_layout("E|t, t|(|t)*2L", 4, 0) == std::nullopt);  // five stages
  CHECK(layers_of_layout("E|tt|(t|)*1t*0L", 4, 0) == Layers{0, 2, 1, 0});
  CHECK(layers_of_layout("EtL", 1, 0) == Layers{1});
  for (const char* text : {"",
                           "t|L",
                           "Et|t",
                           "t|EtL",
                           "EtE|tL",
                           "Et|tLL",
                           "Etx|tL",
                           "Et*|tL",
                           "E(t|tL",
                           "Et)|tL",
                           "E()*2|tL",
                           "E(t)|tL",
                           "Et*-1|tL",
                           "Et*99999999999999999999|tL",
                           "Et*99999|t*99999L",
                           "E(t*999)*999|tL",
                           "Et|tmL",
                           "Et|mtL",
                           "Em|tL",
                           "*3|L",
                           "[['embedding'],['loss']]"}) {
    CAPTURE(text);
    CHECK_FALSE(layers_of_layout(text, 2, 0));
  }
  CHECK_FALSE(layers_of_layout("Et|mtL", 2, 1));
  CHECK_FALSE(layers_of_layout("Etm|tL", 2, 1));
}

TEST_CASE("a layout that places layers evenly is as none, and says its chunks") {
  const Setup plain = setup_of(launch(16, 4, "--num-virtual-stages-per-pipeline-rank 2"));
  const Setup placed = setup_of(launch(16, 4, kPlaced + "Et*2|(tt|)*6ttL"));
  CHECK(placed.chunks == 2);
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    CHECK(placed.layers_of_stage(stage) == 4);
    CHECK(stage_memory(placed, stage).peak == stage_memory(plain, stage).peak);
  }
  CHECK(step_time(placed, kH100, {}).all() == step_time(plain, kH100, {}).all());
}

TEST_CASE("each stage has the layers that are placed there, and those of experts with them") {
  const std::string experts =
      "--num-experts 4 --moe-router-topk 2 --moe-layer-freq ([0]*3+[1]*11) "
      "--moe-token-dispatcher-type alltoall ";
  const Setup setup = setup_of(launch(14, 4, experts + kPlaced + "Et*2|(tt|)*5t|tL"));
  const Layers layers{4, 4, 3, 3}, mixtures{2, 3, 3, 3};
  std::int64_t parameters = 0;
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    CAPTURE(stage);
    CHECK(setup.layers_of_stage(stage) == layers[static_cast<std::size_t>(stage)]);
    CHECK(setup.mixtures_of_stage(stage) == mixtures[static_cast<std::size_t>(stage)]);
    parameters += stage_parameters(setup, stage).all();
  }
  CHECK(parameters == model_parameters(setup.shape));
}

TEST_CASE("a stage that has most of the layers sets the pace, and needs most memory") {
  const Setup even = setup_of(launch(16, 4, "")),
              heavy = setup_of(launch(16, 4, kPlaced + "Et|t|t*12|ttL"));
  CHECK(largest_stage(heavy) == 2);
  CHECK(step_time(heavy, kH100, {}).all() > 2 * step_time(even, kH100, {}).all());
}

TEST_CASE("of chunks with unlike layers those count that have gone forward and not back") {
  const auto passes = [](std::int64_t layers, const std::string& text, std::int64_t stage) {
    const Setup setup = setup_of(launch(layers, 4, "--hidden-dropout 0 " + kPlaced + text));
    return stage_memory(setup, stage).activations / layer_activations(setup, false).all();
  };
  // On the last stage five passes of a chunk of four layers, and none of one that has none.
  CHECK(passes(28, "(Et*4|)*1(t*4|)*6L", 3) == Approx(20));
  CHECK(passes(16, "Et*8||||||t*8|L", 0) == Approx(64));
  CHECK(passes(16, "Et|t|t|t|t*3|t*3|t*3|t*3L", 0) == Approx(19));
  // As the rule has it where they are alike.
  CHECK(passes(16, "Et*2|(tt|)*6ttL", 0) == Approx(2 * 11));
}

TEST_CASE("a stage may have an embedding alone") {
  for (const char* more :
       {"", "--recompute-granularity full --recompute-method uniform ",
        "--recompute-granularity full --recompute-method block ", "--recompute-activations "}) {
    CAPTURE(more);
    const Setup setup = setup_of(launch(16, 2, more + kPlaced + "E|t*16L"));
    const StageMemory first = stage_memory(setup, 0);
    CHECK(first.activations == Approx(4096.0 * 2048).margin(4096.0 * 2048));  // of the embedding
    CHECK(first.peak < stage_memory(setup, 1).peak);
    CHECK(stage_parameters(setup, 0).all() == std::int64_t{32000} * 2048);
    CHECK(step_time(setup, kH100, {}).all() > 0);
  }
}

TEST_CASE("a layout that is not of the model, or not known, is said to be so") {
  CHECK_THROWS_WITH(
      read(launch(15, 2, kPlaced + "Et*8|t*8L")),
      Contains("--pipeline-model-parallel-layout places 16 layers, and the model has 15"));
  CHECK_THROWS_WITH(
      read(launch(16, 2, "--num-virtual-stages-per-pipeline-rank 2 " + kPlaced + "Et*8|t*8L")),
      Contains("says where all layers stand: leave out what says so otherwise"));
  CHECK_THROWS_WITH(read(launch(16, 2, "--deepspeed --zero-stage 1 " + kPlaced + "Et*8|t*8L")),
                    Contains("only Megatron-Core has --pipeline-model-parallel-layout"));
  const MegatronSetup other = read(launch(15, 2, kPlaced + "Et*8|t*7|L"));
  CHECK(other.unknown == std::vector<std::string>{"--pipeline-model-parallel-layout"});
  CHECK(other.untimed == other.unknown);
}
