// SPDX-License-Identifier: Apache-2.0
// Experts, context parallelism, and where groups of ranks lie: what is sent, and what time it
// takes.
#include <algorithm>

#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr Machine kH100{989, 989, 3350, 450, 400, 132};

/// Mixtral 8x7B's shape on two nodes: 8 experts, of which a token meets 2.
Setup mixtral(std::int64_t experts = 8) {
  Setup setup;
  Shape& m = setup.shape;
  m.layers = 32;
  m.hidden = 4096;
  m.heads = 32;
  m.kv_heads = 8;
  m.head_width = 128;
  m.ffn = 14336;
  m.seq = m.positions = 4096;
  m.vocab = 32000;
  m.activation = Activation::kSwiglu;
  m.biases = m.norm_biases = m.learned_positions = m.tied = false;
  m.experts = experts;
  m.experts_per_token = experts > 0 ? 2 : 0;
  m.expert_ffn = experts > 0 ? 14336 : 0;
  setup.dp = 16;
  setup.ep = experts > 0 ? 8 : 1;
  setup.gas = 8;
  setup.zero = 1;
  setup.grouped_experts = true;
  return setup;
}

const Talk* find(const std::vector<Talk>& all, Topic topic) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Talk& one) { return one.topic == topic; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE(
    "a token's experts get it once each way, and those who share an expert sum its gradient") {
  const Setup setup = mixtral();
  const auto talk = talk_of_stage(setup, 0);
  const Talk* tokens = find(talk, Topic::kExperts);
  REQUIRE(tokens);
  CHECK(tokens->bytes == 4096.0 * 4096 * 2 * 2);  // tokens, hidden size, experts, bytes
  CHECK(tokens->calls == 4.0 * 8 * 32);
  CHECK(tokens->ranks == 8);
  const Talk* experts = find(talk, Topic::kExpertReduce);
  REQUIRE(experts);
  CHECK(experts->ranks == 2);
  CHECK(experts->bytes == 4 * 32.0 * 3 * 14336 * 4096);  // one expert a rank
  CHECK(find(talk, Topic::kDataReduce)->ranks == 16);
  CHECK(nodes_of_group(setup, Dimension::kExperts) == 1);
  CHECK(nodes_of_group(setup, Dimension::kExpertData) == 2);
  CHECK_FALSE(find(talk_of_stage(mixtral(0), 0), Topic::kExpertReduce));
  Setup one_node = mixtral();
  one_node.dp = 8;
  CHECK_FALSE(find(talk_of_stage(one_node, 0), Topic::kExpertReduce));  // nobody else has them
}

TEST_CASE("products take as much longer as experts that a token meets") {
  const auto products = [](const Setup& setup) { return step_time(setup, kH100, {}).products; };
  Setup setup = mixtral();
  const double two = products(setup);
  setup.shape.experts_per_token = 4;
  const double four = products(setup);
  setup.shape.experts_per_token = 6;
  CHECK(products(setup) - four == Approx(four - two).epsilon(0.02));
  CHECK(two > 1.5 * products(mixtral(0)));
  setup = mixtral();
  setup.shape.expert_ffn /= 2;
  CHECK(products(setup) < 0.7 * two);
}

TEST_CASE("the optimizer steps over what a rank holds, experts among it") {
  const auto optimizer = [](const Setup& setup) { return step_time(setup, kH100, {}).optimizer; };
  CHECK(optimizer(mixtral()) > 4 * optimizer(mixtral(0)));
}

TEST_CASE("tokens on their way to experts take the links' time, and the adapters' between nodes") {
  const auto experts = [](const Setup& setup) { return step_time(setup, kH100, {}).experts; };
  Setup setup = mixtral();
  const double bytes = 4096.0 * 4096 * 2 * 2, ways = 4.0 * 8 * 32, call = 30e-6;
  CHECK(experts(setup) == Approx(ways * (7 / 8.0 * bytes / (450e9 * 0.75) + call)));
  setup.shape.experts = setup.ep = 16;  // half of them on the other node, at an eighth of 400 GB/s
  CHECK(experts(setup) == Approx(ways * (8 / 16.0 * bytes / (400e9 * 0.70 / 8) + call)));
  setup.recompute = Recompute::kFull;
  CHECK(experts(setup) == Approx(1.5 * ways * (8 / 16.0 * bytes / (400e9 * 0.70 / 8) + call)));
  CHECK(step_time(setup, kH100, {}).all() > experts(setup));
  CHECK(experts(mixtral(0)) == 0);
  setup = mixtral();
  setup.ep = 1;
  CHECK(experts(setup) == 0);
}

TEST_CASE("an EP group that a node's end cuts waits for the rank that has most of it elsewhere") {
  const auto experts = [](const Setup& setup) { return step_time(setup, kH100, {}).experts; };
  Setup setup = mixtral();
  setup.shape.experts = setup.ep = 6;
  setup.dp = 24;
  const double bytes = 4096.0 * 4096 * 2 * 2, ways = 4.0 * 8 * 32, call = 30e-6;
  const double far = bytes / 6 / (400e9 * 0.70 / 8);
  CHECK(experts(setup) == Approx(ways * (4 * far + call)));  // two on a node, four on the next
  setup.shape.experts = setup.ep = 12;                       // eight on a node, four on the next
  CHECK(experts(setup) == Approx(ways * (8 * far / 2 + call)));
  setup.dp = setup.shape.experts = setup.ep = 6;  // all there are, on one node
  CHECK(experts(setup) < ways * far);
}

TEST_CASE("a ring between nodes has one GPU's part of the adapters") {
  Setup setup = mixtral(0);
  setup.dp = 1;
  setup.cp = 16;
  setup.shape.seq = 32768;
  Machine slow = kH100;
  slow.node_gb_per_s = 8;
  const StepTime time = step_time(setup, slow, {});
  const double keys = 2.0 * 2048 * 8 * 128, rate = 8e9 / 8 * 0.50, layers = 8 * 32;
  // Forward two tensors are handed on and backward four, each behind a sixteenth of attention.
  const double sent = layers * 15 * (6 * keys / rate + 2 * 30e-6);
  CHECK(time.context == Approx(sent - 15 / 16.0 * time.attention));
  setup.cp = 8;
  setup.dp = 2;  // within a node
  CHECK(step_time(setup, slow, {}).context < 0.01 * time.context);
}

TEST_CASE("what attention and experts hold beside activations is there while they work") {
  Setup setup = mixtral(0);
  setup.cp = 4;
  setup.pp = 4;
  setup.dp = 1;
  setup.shape.seq = 65536;
  const double whole = 65536.0 * 128 * (2 * (32 + 2 * 8) + 4 * 32 / 4.0);
  const double stream = 65536.0 / 4 * 4096 * 2;
  CHECK(stage_memory(setup, 1).working == Approx(whole + 2 * stream));

  setup = mixtral();
  setup.pp = 2;
  setup.dp = 8;
  const double own = 4096.0 * 4096 * 2;
  CHECK(stage_memory(setup, 0).working == Approx(2 * 2 * own + 2 * own));
  setup.gathers_tokens = true;
  CHECK(stage_memory(setup, 0).working == Approx(8 * own + 2 * own));
  setup.ep = 1;
  CHECK(stage_memory(setup, 0).working == Approx(2 * own));
}

TEST_CASE("experts that TP splits gather the tokens of all its ranks") {
  Setup setup = mixtral();
  setup.tp = setup.expert_tp = 2;
  setup.sequence_parallel = true;
  setup.dp = 8;
  setup.ep = 4;
  const double own = 4096.0 * 4096 * 2 / 2;  // of a rank, bytes
  auto talk = talk_of_stage(setup, 0);
  const Talk* tokens = find(talk, Topic::kExperts);
  REQUIRE(tokens);
  CHECK(tokens->bytes == 2 * own);
  const Talk* gathered = find(talk, Topic::kExpertTensor);
  REQUIRE(gathered);
  CHECK(gathered->function == "all_gather");
  CHECK(gathered->bytes == 2 * 2 * own);
  CHECK(gathered->calls == 2.0 * 8 * 32);
  CHECK(gathered->ranks == 2);
  // Behind attention alone, and at both ends, does TP gather whole sequences.
  CHECK(find(talk, Topic::kTensor)->calls == 8 * (3.0 * 32 + 3));
  const double split = step_time(setup, kH100, {}).experts;
  setup.expert_tp = 1;
  CHECK_FALSE(find(talk_of_stage(setup, 0), Topic::kExpertTensor));
  CHECK(step_time(setup, kH100, {}).experts < split);

  setup.expert_tp = 2;
  setup.gathers_tokens = true;
  talk = talk_of_stage(setup, 0);
  tokens = find(talk, Topic::kExperts);
  REQUIRE(tokens);
  CHECK(tokens->function == "all_gather");
  CHECK(tokens->bytes == 8 * own);
  CHECK(tokens->ranks == 8);
  CHECK_FALSE(find(talk, Topic::kExpertTensor));
  CHECK(nodes_of_group(setup, Dimension::kAllExperts) == 1);
  CHECK(step_time(setup, kH100, {}).experts ==
        Approx(4.0 * 8 * 32 * (7 / 8.0 * 8 * own / (450e9 * 0.75) + 30e-6)));
}

TEST_CASE("the ring of a split sequence hides behind attention, where the links are fast enough") {
  Setup setup = mixtral(0);
  setup.dp = 4;
  setup.cp = 4;
  const auto context = [&](const Machine& machine) {
    return step_time(setup, machine, {}).context;
  };
  setup.shape.seq = 131072;
  CHECK(context(kH100) == 0);
  Machine slow = kH100;
  slow.link_gb_per_s = 1;
  const double long_wait = context(slow);
  CHECK(long_wait > 0);
  setup.shape.seq = 4096;
  CHECK(context(kH100) > 0);  // its calls alone take as long as attention
  CHECK(context(slow) / 4096 > long_wait / 131072);
  const double once = context(slow), attention = step_time(setup, slow, {}).attention;
  CHECK(find(talk_of_stage(setup, 0), Topic::kContext)->calls == 8 * 32 * 3.0 * 3);
  setup.recompute = Recompute::kSelective;  // the ring turns once more
  CHECK(context(slow) > 1.3 * once);
  CHECK(step_time(setup, slow, {}).attention < 1.3 * attention);  // of 1 + 2.5
  CHECK(find(talk_of_stage(setup, 0), Topic::kContext)->calls == 8 * 32 * 4.0 * 3);
  setup.cp = 1;
  CHECK(context(slow) == 0);
}

TEST_CASE("ranks that share a sequence reduce gradients together, on all their nodes") {
  Setup setup = mixtral(0);
  setup.dp = 1;
  setup.cp = 16;
  CHECK(nodes_of_group(setup, Dimension::kReplicas) == 2);
  CHECK(find(talk_of_stage(setup, 0), Topic::kDataReduce)->ranks == 16);
  const StepTime time = step_time(setup, kH100, {});
  CHECK(time.data > 0);
  Setup replicas = mixtral(0);
  CHECK(time.optimizer == step_time(replicas, kH100, {}).optimizer);
}

TEST_CASE("a pipeline of several stages a node waits for the message that leaves it") {
  Setup setup = mixtral(0);
  setup.tp = 2;
  setup.dp = 1;
  setup.pp = 8;
  setup.gas = 64;
  Machine slow = kH100;
  slow.node_gb_per_s = 3;
  CHECK(step_time(setup, slow, {}).pipeline > 2 * step_time(setup, kH100, {}).pipeline);
  setup.pp = 4;  // on one node
  CHECK(step_time(setup, slow, {}).pipeline == step_time(setup, kH100, {}).pipeline);
}

TEST_CASE("the work of a model of GPT-2's shape is the formula's, and that of others their own") {
  Setup setup = mixtral(0);
  Shape& m = setup.shape;
  m.kv_heads = m.heads;
  m.activation = Activation::kGelu;
  m.ffn = 4 * m.hidden;
  CHECK(model_work(m, 128) ==
        Approx(*iteration_flops(FlopsFormula::kModel, model_of(m), 128, false)));
  const double usual = model_work(m, 128);
  m.head_width *= 2;
  CHECK(model_work(m, 128) > usual);
  const Model wide = model_of(m);
  CHECK_FALSE(iteration_flops(FlopsFormula::kModel, wide, 128, false));
  // causal, it has half of attention's products
  const double scores = 6.0 * 128 * 4096 * 4096 * 2 * 32 * 4096 * 2;
  CHECK(iteration_flops(FlopsFormula::kMegatron, wide, 128, false) ==
        Approx(model_work(m, 128) - scores / 2));
  m.head_width /= 2;
  m.ffn /= 4;
  CHECK(model_work(m, 128) < 0.7 * usual);
}

TEST_CASE("what is made again in the backward pass is there while it is used") {
  Setup setup = mixtral(0);
  setup.attention = Attention::kScores;
  setup.pp = 4;
  setup.dp = 4;
  const auto peak = [&](Recompute recompute) {
    setup.recompute = recompute;
    return stage_memory(setup, 1);
  };
  const double scores = 32.0 * 4096 * 4096 * 2;
  CHECK(peak(Recompute::kSelective).working > scores);
  CHECK(peak(Recompute::kFull).working > scores);
  CHECK(peak(Recompute::kSelective).peak < peak(Recompute::kNone).peak);
}

TEST_CASE("without recomputation every framework keeps the layers") {
  for (const Framework framework : {Framework::kMegatronDeepSpeed, Framework::kDeepSpeedPipeline}) {
    Setup setup = mixtral(0);
    setup.framework = framework;
    setup.attention = Attention::kScores;
    setup.recompute = Recompute::kFull;
    const double full = stage_memory(setup, 0).activations;
    setup.recompute = Recompute::kSelective;
    const double selective = stage_memory(setup, 0).activations;
    setup.recompute = Recompute::kNone;
    CHECK(full < selective);
    CHECK(selective < stage_memory(setup, 0).activations);
  }
}
