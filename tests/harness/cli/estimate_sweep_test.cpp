// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// A sweep of Megatron's command on GPUs of 40 GiB; `more` goes into the command, `keys` behind
/// all.
std::string megatron_sweep(const std::string& more = "", const std::string& keys = "") {
  return "sweep: fit\ncluster: polaris-a100-40g\ncommand: |\n"
         "  {launch} python pretrain_gpt.py --tensor-model-parallel-size {tp} \\\n"
         "    --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 \\\n"
         "    --micro-batch-size {mbs} --global-batch-size '64' --swiglu --bf16 --use-flash-attn "
         "\\\n"
         "    --use-distributed-optimizer --data-path $WORK/data " +
         more +
         " 2>&1 | tee log\n"
         "model: {layers: 32, hidden: 4096, heads: 32, seq: 2048, vocab: 50257}\n"
         "grid: {tp: [1, 4], mbs: [1, 4]}\ngpus: 16\nderive: {gas: 64 / (mbs * dp)}\n" +
         keys;
}

}  // namespace

TEST_CASE("points that cannot fit are dropped with the figure that condemns them") {
  const test::Workplace here;
  here.write("s.yaml", megatron_sweep());
  const auto plan = nlohmann::json::parse(here.pippin("plan s.yaml --format json").out);
  CHECK(plan.at("points").size() == 2);
  REQUIRE(plan.at("dropped").size() == 2);
  const std::string reason = plan.at("dropped")[0].at("reason");
  CHECK_THAT(reason, Catch::Matches("memory: stage 0 needs [0-9.]+ GiB of 39.6"));
  here.write("own.yaml", megatron_sweep("--reuse-fp32-param --log-interval 1"));
  const auto own = nlohmann::json::parse(here.pippin("plan own.yaml --format json").out);
  CHECK(own.at("dropped")[0].at("reason") ==
        reason + ", where --reuse-fp32-param changes nothing of that");
  const auto judged =
      nlohmann::json::parse(here.pippin("--quiet estimate own.yaml --format json").out);
  const auto& first = judged.at("points")[0];
  CHECK_THAT(first.at("why").get<std::string>(),
             Contains("; not known, and left out: --reuse-fp32-param"));
  CHECK(first.at("fits").is_null());
  CHECK_THAT(here.pippin("estimate own.yaml " + first.at("id").get<std::string>()).out,
             Contains("not known with --reuse-fp32-param; without, it does not fit"));
  const auto all =
      nlohmann::json::parse(here.pippin("plan s.yaml --keep-infeasible --format json").out);
  CHECK(all.at("points").size() == 4);
  CHECK(all.at("dropped").empty());
}

TEST_CASE("what no estimate knows of memory is no reason to drop a point") {
  const test::Workplace here;
  for (const std::string more :
       {"--optimizer-cpu-offload", "--fp4-format e2m1", "--deepspeed", "--partition-activations"}) {
    CAPTURE(more);
    here.write("s.yaml", megatron_sweep(more));
    CHECK(
        nlohmann::json::parse(here.pippin("plan s.yaml --format json").out).at("dropped").empty());
  }
  // As values of an axis, too, whose words bash has in a variable.
  std::string axis = megatron_sweep("{rc}");
  axis.replace(axis.find("mbs: [1, 4]"), 11,
               "mbs: [4], rc: [\"--fp4-format=e2m1\", \"--swiglu\", "
               "\"--recompute-granularity=full --recompute-method=uniform "
               "--recompute-num-layers=1\"]");
  here.write("s.yaml", axis);
  const auto dropped =
      nlohmann::json::parse(here.pippin("plan s.yaml --format json").out).at("dropped");
  std::string names;
  for (const auto& one : dropped) names += one.at("name").get<std::string>() + " ";
  CAPTURE(names);
  CHECK(names.find("fp8") == std::string::npos);
  CHECK(names.find("swiglu") != std::string::npos);
  REQUIRE(dropped.size() == 2);
  CHECK(dropped[0].at("reason") != dropped[1].at("reason"));  // recomputation needs less
  here.write("s.yaml",
             "sweep: s\ncluster: polaris-a100-40g\ncommand: train $ARGS --num-layers {tp}\n"
             "grid: {tp: [1, 2]}\ngpus: 4\n");
  const auto unknown = here.pippin("plan s.yaml");
  CHECK(unknown.exit_code == 0);
  CHECK_THAT(unknown.err, Contains("whether 2 of 2 points fit the memory is not known: what $ARGS "
                                   "holds is not known"));
}

TEST_CASE(
    "points that no Megatron starts are dropped with the reason, also where no memory is known") {
  const test::Workplace here;
  std::string sweep = megatron_sweep();
  sweep.replace(sweep.find("tp: [1, 4], mbs: [1, 4]"), 23, "tp: [3, 4, 6, 5], mbs: [1]");
  sweep.replace(sweep.find("gpus: 16"), 8, "gpus: 60");
  sweep.replace(sweep.find("gas: 64 / (mbs * dp)"), 20, "gas: 16");
  sweep.replace(sweep.find("--global-batch-size '64'"), 24, "--global-batch-size {gbs}");
  const auto check_dropped = [&] {
    here.write("s.yaml", sweep);
    const auto plan = nlohmann::json::parse(here.pippin("plan s.yaml --format json").out);
    CHECK(plan.at("points").size() == 1);
    const auto& dropped = plan.at("dropped");
    REQUIRE(dropped.size() == 3);
    CHECK(dropped[0].at("reason") == "layout: TP does not divide the heads (32 by 3)");
    CHECK(dropped[2].at("reason") == "layout: TP does not divide the heads (32 by 5)");
  };
  check_dropped();
  CHECK(nlohmann::json::parse(here.pippin("plan s.yaml --keep-infeasible --format json").out)
            .at("dropped")
            .empty());
  sweep.replace(sweep.find("polaris-a100-40g"), 16, "local");
  check_dropped();
  sweep.replace(sweep.find("tp: [3, 4, 6, 5]"), 16, "tp: [3, 6]");
  here.write("s.yaml", sweep);
  const auto none = here.pippin("plan s.yaml");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err,
             Contains("s.yaml: no point remains; of 2 the first is dropped by 'layout: "));
}

TEST_CASE("why points are not judged is said of each kind") {
  const test::Workplace here;
  std::string sweep = megatron_sweep("{more}");
  sweep.replace(sweep.find("tp: [1, 4], mbs: [1, 4]"), 23,
                "tp: [4], mbs: [1], more: ['', --fp4-format=e2m1, --optimizer-cpu-offload]");
  here.write("s.yaml", sweep);
  const auto plan = here.pippin("plan s.yaml");
  CAPTURE(plan.err);
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err, Contains("whether 2 of 3 points fit the memory is not known: ") &&
                           Contains("--fp4-format takes is not known (1 point); ") &&
                           Contains("(1 point)\n"));
}

TEST_CASE("a tokenizer that is known condemns points, another one takes the least") {
  const test::Workplace here;
  const auto dropped_with = [&](const std::string& tokenizer) {
    std::string sweep = megatron_sweep("--untie-embeddings-and-output-weights " + tokenizer);
    sweep.replace(sweep.find(", vocab: 50257"), 14, "");
    sweep.replace(sweep.find("tp: [1, 4], mbs: [1, 4]"), 23, "tp: [2, 4], mbs: [1, 2]");
    here.write("s.yaml", sweep);
    const auto plan = here.pippin("plan s.yaml --format json");
    CAPTURE(tokenizer, plan.err);
    return nlohmann::json::parse(plan.out).at("dropped").size();
  };
  const std::string type = "--tokenizer-type HuggingFaceTokenizer --tokenizer-model ";
  CHECK(dropped_with(type + "Qwen/Qwen3-8B") == 1);
  CHECK(dropped_with(type + "./own") == 0);
}

TEST_CASE("a sweep of which nothing fits, or not its reference, is refused in a line") {
  const test::Workplace here;
  std::string deep = megatron_sweep();
  for (const auto& [key, more] :
       {std::pair("layers: 32", "layers: 96"), {"--num-layers 32", "--num-layers 96"}})
    deep.replace(deep.find(key), std::string(key).size(), more);
  here.write("s.yaml", deep);
  const auto none = here.pippin("plan s.yaml");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err,
             Contains("s.yaml: no point remains; of 4 the first is dropped by 'memory: stage"));
  here.write("s.yaml", megatron_sweep("", "reference: {tp: 1, mbs: 4}\nrun_time: 5 min\n"));
  const auto reference = here.pippin("plan s.yaml");
  CHECK(reference.exit_code == 2);
  CHECK_THAT(reference.err, Contains("reference: ") && Contains("is dropped by 'memory: stage 0"));
}

TEST_CASE("the points of a sweep are judged in a table, and one of them as a launch is") {
  const test::Workplace here;
  here.write("s.yaml", megatron_sweep());
  const auto all = here.pippin("--quiet estimate s.yaml --format json");
  CHECK(all.exit_code == 0);
  const auto points = nlohmann::json::parse(all.out).at("points");
  REQUIRE(points.size() == 4);  // those that plan drops, too
  std::string fitting;
  for (const auto& one : points) {
    CAPTURE(one.dump());
    CHECK(one.at("step_s_low") < one.at("step_s"));
    CHECK(one.at("step_s") < one.at("step_s_high"));
    CHECK_THAT(one.at("why").get<std::string>(), Contains("GiB of 39.6"));
    if (one.at("fits") == "yes") fitting = one.at("id");
  }
  REQUIRE_FALSE(fitting.empty());
  const auto one = here.pippin("estimate s.yaml " + fitting);
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.out, StartsWith("32 layers, hidden 4096") && Contains("it fits: stage 0") &&
                          Contains("time of an iteration"));
  CHECK_THAT(one.err, Contains("assumed: the code of Megatron-LM of 2023"));
  const auto other = here.pippin("estimate s.yaml " + fitting + "0");
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("no point is named") && Contains("did you mean '" + fitting));
}

TEST_CASE("a point that no estimate knows says why, and the others are judged") {
  const test::Workplace here;
  here.write("s.yaml",
             "sweep: s\ncluster: polaris-a100-40g\ncommand: train --num-layers 32 --hidden-size "
             "4096 --num-attention-heads 32 --seq-length 2048 --micro-batch-size 1 --bf16 {more}\n"
             "grid: {more: [--fp4-format, --sequence-parallel]}\ngpus: 4\n");
  const auto points =
      nlohmann::json::parse(here.pippin("--quiet estimate s.yaml --format json").out).at("points");
  REQUIRE(points.size() == 2);
  CHECK(points[0].at("why") == "what --fp4-format takes is not known");
  CHECK(points[0].at("fits").is_null());
  CHECK(points[1].at("fits") == "no");
}

TEST_CASE("a sweep is judged on another GPU, and whatever its jobs would ask for") {
  const test::Workplace here;
  here.write("s.yaml", megatron_sweep("", "run_time: predicted\n"));
  CHECK_THAT(here.pippin("plan s.yaml").err, Contains("has no --train-iters"));
  CHECK_THAT(here.pippin("plan s.yaml --max-model").out, Contains("named"));
  const auto seconds = [&](const std::string& more) {
    const auto call = here.pippin("--quiet estimate s.yaml --format json" + more);
    INFO(call.err);
    REQUIRE(call.exit_code == 0);
    const auto all = nlohmann::json::parse(call.out);
    return all.at("points")[0].at("step_s").get<double>();
  };
  CHECK(seconds(" --accelerator h100-sxm5-80g") < seconds(""));
}

TEST_CASE("what no rates are known of has a memory and no time") {
  const test::Workplace here;
  const std::string layout =
      "--quiet estimate size=1.3B gpus=8 --accelerator a100-sxm4-80g mbs=1 gas=8 ";
  const std::string offloaded = layout + "framework=deepspeed-zero zero=3 offload=";
  const auto table = nlohmann::json::parse(here.pippin(offloaded + "0,1 --format json").out);
  CHECK(table.at("points")[0].at("step_s") > 0);
  CHECK(table.at("points")[1].at("step_s").is_null());
  CHECK_THAT(table.at("points")[1].at("why").get<std::string>(),
             Contains("; no time: how fast offloading is"));
  CHECK_THAT(here.pippin(offloaded + "1").out,
             Contains("no time of an iteration: how fast offloading is"));
  CHECK_THAT(here.pippin(layout + "precision=fp32").out, Contains("rates are of 16 bits"));
}

namespace {

nlohmann::json plan_of(const test::Workplace& here) {
  const auto call = here.pippin("plan s.yaml --format json");
  INFO(call.err);
  REQUIRE(call.exit_code == 0);
  return nlohmann::json::parse(call.out);
}

double predicted_run_time(const test::Workplace& here, int iterations) {
  here.write("s.yaml",
             megatron_sweep("--train-iters {iterations}", "run_time: predicted\niterations: " +
                                                              std::to_string(iterations) + "\n"));
  return plan_of(here).at("run_time_s");
}

}  // namespace

TEST_CASE("jobs ask for the time that the slowest of their points is predicted to take") {
  const test::Workplace here;
  const double few = predicted_run_time(here, 10), many = predicted_run_time(here, 40);
  const auto plan = plan_of(here);
  double slowest = 0;
  const auto judged =
      nlohmann::json::parse(here.pippin("--quiet estimate s.yaml --format json").out);
  for (const auto& one : judged.at("points"))
    if (one.at("fits") == "yes") slowest = std::max(slowest, one.at("step_s_high").get<double>());
  CHECK(few == 60 * std::ceil((180 + 1.2 * 10 * slowest) / 60));
  CHECK(many == 60 * std::ceil((180 + 1.2 * 40 * slowest) / 60));
  const auto is_it = [&](const auto& point) {
    return point.at("name") == plan.at("run_time_predicted_of");
  };
  CHECK(std::any_of(plan.at("points").begin(), plan.at("points").end(), is_it));
  CHECK_THAT(here.pippin("plan s.yaml").out, Contains("predicted, for the slowest point"));
}

TEST_CASE("a time that cannot be predicted is refused in a line") {
  const test::Workplace here;
  const auto refusal = [&](const std::string& text) {
    here.write("s.yaml", text);
    const auto call = here.pippin("plan s.yaml");
    CHECK(call.exit_code == 2);
    return call.err;
  };
  CHECK_THAT(refusal(megatron_sweep("", "run_time: predicted\n")),
             Contains("run_time: predicted: ") &&
                 Contains("its command has no --train-iters; say a time, such as 10 min"));
  CHECK_THAT(refusal(megatron_sweep("--fp4-format e2m1", "run_time: predicted\n")),
             Contains("what --fp4-format takes is not known; say a time"));
  CHECK_THAT(refusal("sweep: s\ncluster: polaris-a100-40g\ngrid: {tp: [1, 2]}\n"
                     "run_time: predicted\n"),
             Contains("it trains in fp32, and rates are of 16 bits"));
  CHECK_THAT(refusal("sweep: s\ngrid: {tp: [1, 2]}\nrun_time: predicted\n"),
             Contains("accelerator cpu: its peak in 16 bits"));
  CHECK_THAT(refusal("sweep: s\ncluster: polaris-a100-40g\ncommand: train {tp}\n"
                     "grid: {tp: [1, 2]}\nrun_time: predicted\n"),
             Contains("neither the probe training nor a command with Megatron's arguments"));
}
