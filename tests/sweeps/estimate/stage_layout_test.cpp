// SPDX-License-Identifier: Apache-2.0
// Pipelines whose layers are placed one by one.
#include "sweeps/estimate/stage_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
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
  const auto layers_of = [](const char* text, std::int64_t pp, std::int64_t mtp) {
    const auto layout = stage_layout(text, pp, mtp);
    REQUIRE(layout);
    CHECK(layout->mtp_ahead == 0);
    return layout->layers;
  };
  CHECK(layers_of("Et*3|t*4L", 2, 0) == Layers{3, 4});
  CHECK(layers_of("Et*2|(tt|)*5t|tmL", 4, 1) == Layers{2, 2, 2, 2, 2, 2, 1, 1});
  CHECK(layers_of("Et|(tt|)*6mL", 2, 1) == Layers{1, 2, 2, 2, 2, 2, 2, 0});
  CHECK(layers_of("\"Et*7|t*7mL\"", 2, 1) == Layers{7, 7});
  CHECK(layers_of("E|tt|(t|)*1t*0L", 4, 0) == Layers{0, 2, 1, 0});
  CHECK(layers_of("EtL", 1, 0) == Layers{1});
  CHECK(layers_of("E|tmL", 2, 1) == Layers{0, 1});
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
    CHECK_FALSE(stage_layout(text, 2, 0));
  }
  CHECK_FALSE(stage_layout("E|t, t|(|t)*2L", 4, 0));  // five stages
  CHECK(stages_in("E|t, t|(|t)*2L") == 5);
  CHECK_FALSE(stages_in("E|x|L"));
}

TEST_CASE("MTP may stand on a stage before the loss") {
  const auto recipe = stage_layout("Et*3|(tt|)*29m|L", 16, 1);
  REQUIRE(recipe);
  CHECK(recipe->mtp_ahead == 1);
  CHECK(recipe->layers.size() == 32);
  CHECK(recipe->layers[29] == 2);
  CHECK(recipe->layers[30] == 0);
  const auto with_layers = stage_layout("Et|t|tmm||L", 5, 2);
  REQUIRE(with_layers);
  CHECK(with_layers->mtp_ahead == 2);
  CHECK(with_layers->layers == Layers{1, 1, 1, 0, 0});
  // Before another layer, on two stages, on the first one, or in an earlier chunk.
  for (const char* text : {"Et|mt|t|L", "Etm|t|t|L", "Et|t|tm|tL", "Ettm|||L", "Ett|m||L|||"}) {
    CAPTURE(text);
    CHECK_FALSE(stage_layout(text, 4, 1));
  }
  CHECK_FALSE(stage_layout("Et|t|tm|mL", 4, 2));
  CHECK_FALSE(stage_layout("Ett|m|L", 1, 1));
  CHECK_FALSE(stage_layout("Ett|tm|||L", 2, 1));
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

TEST_CASE("MTP apart from the loss takes its weights along, and its streams go on to the loss") {
  const std::string mtp = "--mtp-num-layers 1 --sequence-parallel --tensor-model-parallel-size 2 ";
  const Setup apart = setup_of(launch(12, 4, mtp + kPlaced + "Et*2|(tt|)*5m|L"));
  const Setup at_loss = setup_of(launch(14, 4, mtp + kPlaced + "Et*2|(tt|)*6mL"));
  REQUIRE(apart.chunks == 2);
  CHECK(apart.mtp_stage() == 2);
  const std::int64_t hidden = 2048, words = 32000 / 2 * hidden, norm = 2 * hidden;
  const auto parameters_of = [](const Setup& setup, std::int64_t stage) {
    return stage_parameters(setup, stage).all();
  };
  const std::int64_t layer = layer_parameters(apart, false).all();
  const std::int64_t mtp_layer = layer + 3 * norm + 2 * hidden * (hidden / 2);
  CHECK(parameters_of(apart, 0) == words + 4 * layer);
  CHECK(parameters_of(apart, 1) == 4 * layer + norm);  // of the last layer's output
  CHECK(parameters_of(apart, 2) == 2 * layer + mtp_layer + words);
  CHECK(parameters_of(apart, 3) == 2 * layer + words);
  // The other one has its norm with the last layers, too.
  CHECK(parameters_of(at_loss, 2) == 4 * layer + norm);
  CHECK(parameters_of(at_loss, 3) == 2 * layer + mtp_layer + 2 * words);

  const auto said = [](const Setup& setup, std::int64_t stage, Topic topic) {
    std::vector<std::pair<double, double>> calls;
    for (const Talk& talk : talk_of_stage(setup, stage))
      if (talk.topic == topic) calls.emplace_back(talk.calls, talk.bytes);
    return calls;
  };
  using Calls = std::vector<std::pair<double, double>>;
  const double gas = static_cast<double>(apart.gas), part = 2.0 * 2048 * 2048 / 2;
  CHECK(said(apart, 0, Topic::kPipeline) == Calls{{3 * gas, part}});
  CHECK(said(apart, 1, Topic::kPipeline) == Calls{{4 * gas, part}});
  CHECK(said(apart, 2, Topic::kPipeline) == Calls{{3 * gas, part}, {gas, 2 * part}});
  CHECK(said(apart, 3, Topic::kPipeline) == Calls{{2 * gas, part}, {gas, 2 * part}});
  CHECK(said(at_loss, 3, Topic::kPipeline) == Calls{{3 * gas, part}});
  CHECK(said(apart, 3, Topic::kLoss) == said(at_loss, 3, Topic::kLoss));
  CHECK(said(apart, 2, Topic::kLoss).empty());
  CHECK(said(apart, 0, Topic::kEmbedding) == said(apart, 2, Topic::kEmbedding));
  CHECK(said(apart, 3, Topic::kEmbedding).empty());  // it is not tied to the output layer
  CHECK(said(at_loss, 3, Topic::kEmbedding).size() == 1);
}

TEST_CASE("a tied embedding is summed over the first stage, MTP's and the last one") {
  std::string words = launch(6, 4, "--mtp-num-layers 1 " + kPlaced + "Ett|tt|ttm|L");
  words.erase(words.find("--untie-embeddings-and-output-weights "),
              std::string("--untie-embeddings-and-output-weights ").size());
  const Setup setup = setup_of(words);
  for (const std::int64_t stage : {0, 1, 2, 3}) {
    const auto talk = talk_of_stage(setup, stage);
    const auto found = std::find_if(talk.begin(), talk.end(),
                                    [](const Talk& one) { return one.topic == Topic::kEmbedding; });
    CAPTURE(stage);
    REQUIRE((found == talk.end()) == (stage == 1));
    if (stage != 1) CHECK(found->ranks == 3);
  }
}

TEST_CASE("MTP apart from the loss keeps what its micro-batches in flight need") {
  const std::string mtp = "--hidden-dropout 0 --mtp-num-layers 1 ";
  const Setup apart = setup_of(launch(6, 4, mtp + kPlaced + "Ett|tt|ttm|L"));
  const double layer = layer_activations(apart, false).all();
  const double further = layer + mtp_stream_bytes(apart);
  CHECK(stage_memory(apart, 1).activations == Approx(3 * 2 * layer));
  CHECK(stage_memory(apart, 2).activations == Approx(2 * (2 * layer + further)));
  CHECK(stage_memory(apart, 3).activations == 0);
  const double stream = 2.0 * 2048 * 2048;
  CHECK(stage_memory(apart, 2).retained == Approx(2 * stream));
  CHECK(stage_memory(apart, 3).retained == Approx(2 * 2 * stream));
  // Of four micro-batches a step later than of the last chunk: none of its passes is in flight
  // then.
  const Setup chunks = setup_of(launch(12, 4, mtp + kPlaced + "Ett|tt|tt|tt|tt|tt|m|L"));
  CHECK(stage_memory(chunks, 2).activations == Approx(7 * 2 * layer));
  // Where the first chunk has less than MTP has, those of the last chunk are most.
  const Setup heavy = setup_of(launch(12, 4, mtp + kPlaced + "E|tttt|t|tt|ttt|tt|m|L"));
  CHECK(stage_memory(heavy, 2).activations == Approx(4 * layer + 3 * further));
}

TEST_CASE("MTP apart from the loss relieves the stage that sets the pace") {
  const auto seconds = [](const std::string& layout) {
    const std::string more = "--mtp-num-layers 1 --vocab-size 512000 " + kPlaced + layout;
    return step_time(setup_of(launch(14, 4, more)), kH100, {}).all();
  };
  CHECK(seconds("Et*5|t*5|t*4m|L") < seconds("Et*5|t*5|t*4|mL"));
  CHECK(seconds("Et*5|t*4|t*5m|L") > seconds("Et*5|t*5|t*4m|L"));  // a layer more beside MTP's
}

TEST_CASE("a stage may have an embedding alone") {
  for (const char* more :
       {"", "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1 ",
        "--recompute-granularity full --recompute-method block --recompute-num-layers 1 ",
        "--recompute-activations "}) {
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
  CHECK_THROWS_WITH(
      read(launch(15, 2, kPlaced + "Et*8|t*7|L")),
      "estimate: --pipeline-model-parallel-layout has 3 stages, which PP 2 does not divide");
  const MegatronSetup other = read(launch(15, 2, kPlaced + "tEt*7|t*7L"));
  CHECK(other.unknown == std::vector<std::string>{"--pipeline-model-parallel-layout"});
  CHECK(other.untimed == other.unknown);
}
