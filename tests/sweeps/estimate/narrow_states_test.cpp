// SPDX-License-Identifier: Apache-2.0
// Gradients and optimizer states in fewer bits: Megatron's --grad-reduce-in-bf16 and its
// precision-aware optimizer.
#include <string>

#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/search_layouts.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "sweeps/estimate/trainer_arguments.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

const std::string kModel =
    "--num-layers 8 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --vocab-size "
    "32000 --micro-batch-size 1 --global-batch-size 64 --transformer-impl transformer_engine ";
const std::string kShared = kModel + "--use-distributed-optimizer ";
const std::string kAware = "--use-precision-aware-optimizer ";

Setup setup_of(const std::string& words) { return test::setup_of_launch(words, 8); }

/// Bytes of one parameter: weights, gradients, and the optimizer's on all ranks together.
struct Each {
  double weights, gradients, optimizer;
  bool operator==(const Each& other) const {
    return weights == other.weights && gradients == other.gradients && optimizer == other.optimizer;
  }
};

Each each_of(const std::string& words) {
  const Setup setup = setup_of(words);
  const Parameters own = stage_parameters(setup, 0);
  const StateMemory memory = state_memory(setup, own);
  const double all = number(own.all());
  return {memory.weights / all, memory.gradients / all,
          memory.optimizer / all * (setup.zero > 0 ? 8 : 1)};
}

}  // namespace

TEST_CASE("gradients in bf16 take half, and the optimizer copies them unless it takes such") {
  CHECK(each_of(kShared + "--bf16") == Each{2, 4, 12});
  CHECK(each_of(kShared + "--bf16 --grad-reduce-in-bf16") == Each{2, 2, 16});
  CHECK(each_of(kModel + "--bf16 --grad-reduce-in-bf16") == Each{2, 2, 16});
  CHECK(each_of(kShared + "--bf16 --grad-reduce-in-bf16 " + kAware) == Each{2, 2, 10});
  CHECK(each_of(kShared + "--bf16 --main-grads-dtype bf16 " + kAware) == Each{2, 2, 10});
  CHECK(each_of(kShared + "--fp16") == Each{2, 2, 16});
  CHECK(each_of(kShared + "--fp16 " + kAware) == Each{2, 2, 12});
  // Nothing is narrower than fp32 there.
  CHECK(each_of(kShared + "--grad-reduce-in-bf16") == Each{4, 4, 8});
}

TEST_CASE("copies of gradients are gone when activations are there") {
  const auto peak = [](std::string words) {
    words.replace(words.find("--micro-batch-size 1"), 20, "--micro-batch-size 8");
    return stage_memory(setup_of(words + "--bf16 --attention-dropout 0 --hidden-dropout 0"), 0);
  };
  const double all = number(stage_parameters(setup_of(kModel + "--bf16"), 0).all());
  for (const auto& [base, ranks] : {std::pair{kModel, 1}, {kShared, 8}}) {
    const StageMemory wide = peak(base), narrow = peak(base + "--grad-reduce-in-bf16 ");
    CHECK(narrow.allocated() - wide.allocated() == Approx(all * (4.0 / ranks - 2)).margin(2e6));
    CHECK(narrow.peak - wide.peak == Approx(all * -2).margin(2e6));
  }
}

TEST_CASE("a precision-aware optimizer keeps what weights in bf16 lack, and moments as typed") {
  CHECK(each_of(kShared + "--bf16 " + kAware) == Each{2, 4, 2 + 8});
  CHECK(each_of(kShared + "--bf16 --main-params-dtype fp16 " + kAware) == Each{2, 4, 2 + 8});
  CHECK(each_of(kShared + "--bf16 --exp-avg-dtype bf16 --exp-avg-sq-dtype fp16 " + kAware) ==
        Each{2, 4, 2 + 4});
  CHECK(each_of(kShared + "--bf16 --exp-avg-dtype fp8 --exp-avg-sq-dtype fp8 " + kAware) ==
        Each{2, 4, 2 + 2});
  CHECK_THAT(state_words(setup_of(kShared + "--bf16 --exp-avg-dtype fp8 " + kAware)),
             Contains("weights 2, gradients 4, optimizer 7 / 8 ranks"));
}

TEST_CASE("a checkpoint has moments in fp32, whatever they are kept in, and weights' remainders") {
  CHECK(checkpoint_bytes(setup_of(kShared + "--bf16")) == 14);
  CHECK(checkpoint_bytes(setup_of(kShared + "--bf16 --exp-avg-dtype bf16 " + kAware)) == 12);
  CHECK(checkpoint_bytes(setup_of(kShared + "--bf16 --main-params-dtype fp16 " + kAware)) == 14);
}

TEST_CASE("narrow gradients are half as much to send, and a narrow optimizer takes less time") {
  const auto bytes = [](const std::string& words) {
    const Setup setup = setup_of(kShared + "--bf16 " + words);
    return test::bytes_of(setup, 0, Topic::kDataReduce, "reduce_scatter");
  };
  CHECK(bytes("--grad-reduce-in-bf16") == bytes("") / 2);
  CHECK(bytes(kAware) == bytes(""));
  const auto seconds = [](const std::string& words) {
    return step_time(setup_of(kShared + "--bf16 " + words), test::kH100, {}).optimizer;
  };
  CHECK(seconds(kAware) < seconds(""));
  CHECK(seconds(kAware + "--exp-avg-dtype bf16") < seconds(kAware));
}

TEST_CASE("what Megatron does not take is refused with its argument") {
  const auto why = [](const std::string& words) { return [words] { setup_of(words); }; };
  CHECK_THROWS_WITH(why(kShared + "--bf16 --exp-avg-dtype bf16")(),
                    Contains("without --use-precision-aware-optimizer Megatron takes "));
  CHECK_THROWS_WITH(why(kShared + "--bf16 --exp-avg-dtype fp64 " + kAware)(),
                    Contains("--exp-avg-dtype is one of fp32, fp16, bf16, fp8, not 'fp64'"));
  CHECK_THROWS_WITH(why(kShared + "--bf16 --main-grads-dtype fp16 " + kAware)(),
                    Contains("--main-grads-dtype is one of fp32, bf16, not 'fp16'"));
  CHECK_THROWS_WITH(why(kShared +
                        "--bf16 --main-grads-dtype bf16 "
                        "--accumulate-allreduce-grads-in-fp32 " +
                        kAware)(),
                    Contains("--accumulate-allreduce-grads-in-fp32 excludes gradients in bf16"));
  CHECK_THROWS_WITH(why(kModel + "--bf16 " + kAware)(),
                    Contains("--use-precision-aware-optimizer needs --use-distributed-optimizer"));
}

TEST_CASE("a dump's types are read, and its usual ones change nothing") {
  NamedValues dump;
  for (const auto& [name, text] : {std::pair{"num_layers", "8"},
                                   {"hidden_size", "2048"},
                                   {"num_attention_heads", "16"},
                                   {"seq_length", "2048"},
                                   {"vocab_size", "32000"},
                                   {"micro_batch_size", "1"},
                                   {"global_batch_size", "64"},
                                   {"transformer_impl", "transformer_engine"},
                                   {"params_dtype", "torch.bfloat16"},
                                   {"use_distributed_optimizer", "True"},
                                   {"main_grads_dtype", "torch.float32"},
                                   {"main_params_dtype", "torch.float32"},
                                   {"exp_avg_dtype", "torch.float32"},
                                   {"exp_avg_sq_dtype", "torch.float32"}})
    dump.emplace_back(name, value_of(text));
  Point point;
  point.layout.gpus = 8;
  const auto read = [&] { return setup_of_dump(dump, point, "none", 8, Generation::kHopper); };
  ArgumentsSetup said = read();
  CHECK(said.why_not.empty());
  CHECK(said.why_no_memory.empty());
  REQUIRE(said.setup);
  CHECK(said.setup->moment_bytes == 8);
  CHECK_FALSE(said.setup->precision_aware);
  for (auto& [name, value] : dump)
    if (name == "exp_avg_dtype") value = value_of("torch.bfloat16");
  dump.emplace_back("use_precision_aware_optimizer", value_of("True"));
  said = read();
  CHECK(said.why_not.empty());
  CHECK(said.why_no_memory.empty());
  REQUIRE(said.setup);
  CHECK(said.setup->moment_bytes == 6);
}

TEST_CASE("a search keeps a precision-aware optimizer distributed") {
  SearchSpace space;
  space.base = setup_of(kShared + "--bf16 --exp-avg-dtype bf16 " + kAware);
  space.machine = test::kH100;
  space.gpus = 8;
  space.gbs = 64;
  space.usable_bytes = 80e9;
  const SearchResult result = search_layouts(space, 1000, 0);
  REQUIRE_FALSE(result.best.empty());
  for (const auto& found : result.best) {
    CHECK(found.setup.zero == 1);
    CHECK(found.setup.moment_bytes == 6);
  }
}
