// SPDX-License-Identifier: Apache-2.0
// What a search of a launch finds is what the launch's own words say of that layout.
#include <fmt/format.h>
#include <string>

#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/search_layouts.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using namespace pippin::test;

namespace {

const std::string kModel =
    "--num-layers 8 --hidden-size 2048 --ffn-hidden-size 8192 --num-attention-heads 16 "
    "--seq-length 2048 --vocab-size 32000 --position-embedding-type rope --normalization RMSNorm "
    "--disable-bias-linear --swiglu --bf16 --transformer-impl transformer_engine ";

SearchSpace space_of(const std::string& words) {
  const MegatronModel model = megatron_model(arguments_of_words({words}), 8, Generation::kHopper);
  SearchSpace space;
  space.base = model.read.setup;
  space.gpus = 32;
  space.gbs = 128;
  space.usable_bytes = 80e9;
  space.machine = kH100;
  space.machine.node_gb_per_s = 20;
  return space;
}

std::string words_of(const Setup& s) {
  std::string words = fmt::format(
      "--tensor-model-parallel-size {} --pipeline-model-parallel-size {} --context-parallel-size "
      "{} --micro-batch-size {} --global-batch-size {} ",
      s.tp, s.pp, s.cp, s.mbs, s.gbs());
  if (s.chunks > 1) words += fmt::format("--num-virtual-stages-per-pipeline-rank {} ", s.chunks);
  if (s.sequence_parallel) words += "--sequence-parallel ";
  if (s.recompute == Recompute::kFull)
    words += "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1 ";
  return words;
}

/// Those of ZeRO-1 with `sharded` words, and those of ZeRO-0 without.
void check_layouts(const std::string& words, const std::string& sharded) {
  const SearchSpace space = space_of(kModel + words + sharded);
  const auto found = search_layouts(space, 100'000).best;
  CHECK(found.size() > 100);
  for (const FoundLayout& one : found) {
    const Setup& s = one.setup;
    std::string its = kModel + words_of(s);
    if (s.tp > 1 || words.find("tp-comm") == std::string::npos) its += words;
    if (s.zero == 1) its += sharded;
    CAPTURE(its);
    const Setup own = setup_of_launch(its, space.gpus);
    REQUIRE(own.zero == s.zero);
    REQUIRE(step_time(own, space.machine, space.rates).all() == one.seconds);
    REQUIRE(needed_bytes(own) == one.needed_bytes);
  }
}

}  // namespace

TEST_CASE("layouts that a search finds overlap what the launch does") {
  check_layouts("--overlap-grad-reduce ", "--use-distributed-optimizer --overlap-param-gather ");
}

TEST_CASE("layouts that a search finds have the launch's instances of the optimizer") {
  const std::string two = "--use-distributed-optimizer --num-distributed-optimizer-instances 2 ";
  check_layouts("--overlap-grad-reduce ", two);
  for (const FoundLayout& one : search_layouts(space_of(kModel + two), 100'000).best)
    CHECK((one.setup.zero == 0 || one.setup.dp * one.setup.cp % 2 == 0));
}

TEST_CASE("instances of the optimizer divide the experts' DP, too") {
  const std::string two = "--use-distributed-optimizer --num-distributed-optimizer-instances 2 ";
  const std::string experts =
      "--num-experts 8 --moe-router-topk 2 --moe-grouped-gemm --moe-token-dispatcher-type "
      "alltoall ";
  bool has_any = false;
  for (const FoundLayout& one : search_layouts(space_of(kModel + two + experts), 100'000).best) {
    has_any = has_any || one.setup.zero > 0;
    CHECK((one.setup.zero == 0 || one.setup.expert_replicas() % 2 == 0));
  }
  CHECK(has_any);
}

TEST_CASE("layouts without TP are found without what overlaps it") {
  const std::string words = "--tp-comm-overlap ";
  check_layouts(words, "--use-distributed-optimizer ");
  const MegatronModel model =
      megatron_model(arguments_of_words({kModel + words}), 8, Generation::kHopper);
  CHECK_THAT(model.read.assumed,
             Catch::VectorContains(std::string("no --tp-comm-overlap where TP is 1")));
  bool has_one = false;
  for (const FoundLayout& one : search_layouts(space_of(kModel + words), 100'000).best) {
    has_one = has_one || one.setup.tp == 1;
    CHECK((one.setup.tp == 1 || one.setup.sequence_parallel));
  }
  CHECK(has_one);
}
