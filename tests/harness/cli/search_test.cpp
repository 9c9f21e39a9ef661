// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

TEST_CASE("a search ranks layouts and writes the best as a sweep that can be planned") {
  const test::Workplace here;
  const std::string words = "search polaris-a100-40g 6.7B --gpus 64 --gbs 512 --top 3";
  const auto call = here.pippin(words + " --format json --sweep best.yaml");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("layouts judged"));
  const auto layouts = nlohmann::json::parse(call.out).at("layouts");
  REQUIRE(layouts.size() == 3);
  CHECK(layouts[0].at("step_s") <= layouts[1].at("step_s"));
  CHECK(layouts[0].at("free_gib") > 0);
  const auto plan = here.pippin("plan best.yaml --format json");
  CHECK(plan.exit_code == 0);
  CHECK(nlohmann::json::parse(plan.out).at("points").size() == 3);
  // As the probe runs them, which needs more memory than what the search ranks.
  const auto judged = nlohmann::json::parse(here.pippin("estimate best.yaml --format json").out);
  for (const auto& point : judged.at("points")) CHECK(point.at("fits") == "yes");
  const auto again = here.pippin(words + " --sweep best.yaml");
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, Contains("best.yaml is there already"));
}

TEST_CASE(
    "a sweep that a search writes elsewhere finds the cluster's file, and trains in its type") {
  const test::Workplace here;
  here.write("it's mine/c.yaml",
             "cluster: mine\nscheduler: slurm\nnodes: 16\ngpus_per_node: 4\n"
             "accelerator: v100-sxm2-32g\nlaunch: srun\n");
  here.write("sweeps/none", "");
  const auto call = here.pippin(
      "search \"it's mine/c.yaml\" 1.3B --gpus 16 --gbs 64 --top 2 --sweep sweeps/best.yaml");
  INFO(call.err);
  REQUIRE(call.exit_code == 0);
  const auto plan = here.pippin("plan sweeps/best.yaml --format json");
  INFO(plan.err);
  REQUIRE(plan.exit_code == 0);
  CHECK(nlohmann::json::parse(plan.out).at("cluster") == "mine");
  CHECK_THAT(*disk().read(here.path() / "sweeps/best.yaml"),
             Contains("fixed: {precision: fp16}") && Contains("cluster: '../it''s mine/c.yaml'"));
}

TEST_CASE("a search for more GPUs than the cluster has says so, and writes no sweep of them") {
  const test::Workplace here;
  here.write("c.yaml",
             "cluster: small\nscheduler: slurm\nnodes: 2\ngpus_per_node: 4\n"
             "accelerator: a100-sxm4-80g\nlaunch: srun\n");
  const std::string words = "search ./c.yaml 1.3B --gpus 16 --gbs 64 --top 2";
  const auto call = here.pippin(words);
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("cluster small has 2 x 4 = 8 GPUs, and not 16"));
  CHECK(here.pippin(words + " --sweep best.yaml").exit_code == 2);
  CHECK_FALSE(fs::exists(here.path() / "best.yaml"));
}

TEST_CASE("a search that finds nothing says the nearest figure") {
  const test::Workplace here;
  const auto none = here.pippin("search polaris-a100-40g 175B --gpus 8 --gbs 8");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err,
             Contains("none of 510 layouts fits; the least needs") && Contains("of 39.6"));
  CHECK_THAT(here.pippin("search polaris-a100-40g 175C --gpus 8 --gbs 8").err,
             Contains("did you mean '175B'?"));
  CHECK_THAT(here.pippin("search local 6.7B --gpus 8 --gbs 8").err, Contains("accelerator cpu"));
}
