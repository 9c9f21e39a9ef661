// SPDX-License-Identifier: Apache-2.0
// The steps of our probes collective and gemm.
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kCollective =
    " > probe: pippin collective 1\n"
    "# nThread 1 nGpus 1 minBytes 65536 maxBytes 65536 step: 2(factor) warmup iters: 5\n"
    " > point: op=all_reduce bytes=65536 type=float redop=sum root=0 ranks=4 device=cpu\n"
    " step        1/       3 | time (us): 25.1833 | calls: 411\n"
    " step        2/       3 | time (us): 1024.5000 | calls: 411\n";
const std::string kEnd =
    " step        3/       3 | time (us): 25.3738 | calls: 411\n > done: 3 steps\n";

}  // namespace

TEST_CASE("the steps of a collective are its iterations") {
  const auto runs = scrape(kCollective + kEnd);
  REQUIRE(runs.size() == 1);
  const LogRun& run = runs.front();
  CHECK(run.format == "steps");
  CHECK(run.point.trainer == "collective");
  CHECK(run.point.name == "collective-all_reduce-bytes65536-float-4ranks");
  CHECK(run.point.layout.gpus == 4);
  CHECK(find_value(run.point.axes, "op")->text == "all_reduce");
  CHECK(find_value(run.point.axes, "bytes")->number == 65536.0);
  REQUIRE(run.iterations.size() == 3);
  CHECK(run.iterations[1].number == 2);
  CHECK(run.iterations[1].step_time_ms == Approx(1.0245));
  CHECK(run.iterations[1].flags == 0);
  CHECK(find_value(run.iterations[1].other, "calls")->number == 411.0);
  CHECK(run.end == RunState::kOk);
  CHECK(run.planned_iterations == 3);
}

TEST_CASE("a log may hold steps of a probe and lines of a trainer") {
  const auto runs =
      scrape(kCollective + kEnd + test::dump() + test::row(1, 100) + test::row(2, 100));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].format == "megatron");
  CHECK(runs[0].iterations.size() == 2);
  CHECK(runs[1].format == "steps");
  CHECK(runs[1].iterations.size() == 3);
}

TEST_CASE("a product's point has its counts and no FLOPs") {
  const auto runs = scrape(
      " > probe: pippin gemm 1\n > point: tp=2 mbs=1 style=llama hidden=128 heads=4 kv_heads=2 "
      "ffn=512 seq=64 vocab=256 precision=bf16 ranks=1 device=cpu flops=45637632\n"
      " step        1/       1 | time (us): 565.0400 | calls: 18\n > done: 1 steps\n");
  REQUIRE(runs.size() == 1);
  const Point& point = runs.front().point;
  CHECK(point.layout.tp == 2);
  CHECK(point.model.hidden == 128);
  CHECK(point.model.kv_heads == 2);
  CHECK(point.model.style == "llama");
  CHECK(find_value(point.axes, "precision")->text == "bf16");
  CHECK_FALSE(find_value(point.axes, "flops"));
}

TEST_CASE(
    "steps that were cut off end nowhere, and the last line of them counts when it is whole") {
  const auto cut = scrape(kCollective.substr(0, kCollective.size() - 20));
  REQUIRE(cut.size() == 1);
  CHECK(cut.front().iterations.size() == 1);
  CHECK_FALSE(cut.front().end);
  CHECK(scrape(kCollective + kCollective + kEnd).size() == 2);
}

TEST_CASE("lines that only look like steps are none") {
  const auto runs = scrape(kCollective +
                           " step        3/       3 | time (us): 0.0000 | calls: 411\n"
                           " step        3/       3 | time (us): nan | calls: 411\n"
                           " step        3 of 3 | time (us): 1.0 | calls: 411\n"
                           " step x/ 3 | time (us): 1.0 | calls: 411\n"
                           " step        3/       3 | time (ms): 1.0 | calls: 411\n"
                           " step 3/3\n > point\n");
  REQUIRE(runs.size() == 1);
  CHECK(runs.front().iterations.size() == 2);
  CHECK(scrape(" > point: op=all_reduce\n step        1/       3 | time (us): 1.0 | calls: 4\n")
            .empty());
}
