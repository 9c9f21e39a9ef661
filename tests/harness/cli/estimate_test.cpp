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

/// The analysis tool's example, as a launch script has it.
const std::string kLaunch =
    "torchrun --nproc_per_node 8 --nnodes=2 pretrain_gpt.py --tensor-model-parallel-size 2 "
    "--pipeline-model-parallel-size 2 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
    "--seq-length 2048 --micro-batch-size 4 --global-batch-size 512 --lr 0.00015 --use-flash-attn "
    "--use-distributed-optimizer --swiglu --bf16";

}  // namespace

TEST_CASE("a launch's words are a table of its memory, its traffic and its work") {
  const test::Workplace here;
  const auto call = here.pippin("estimate -- " + kLaunch);
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, StartsWith("32 layers, hidden 4096, 32 heads, ffn 10880 (SwiGLU)"));
  CHECK_THAT(call.out, Contains("6,642,515,968 parameters") && Contains("16 GPUs on 2 nodes"));
  CHECK_THAT(call.out, Contains("1,718,757,376") && Contains("1,710,376,960"));
  CHECK_THAT(call.out, Contains("says otherwise") && Contains("here 512 messages, 32.0 GiB"));
  CHECK_THAT(call.err, Contains("assumed: vocabulary 50257") && Contains("not used: --lr"));
  // The same in one word, as a variable of the shell holds it, and without torchrun.
  CHECK(here.pippin("estimate -- '" + kLaunch + "'").out == call.out);
}

TEST_CASE("of a launch whose model is not all known there is no time") {
  const test::Workplace here;
  const std::string launch =
      "estimate --accelerator h100-sxm5-80g --gpus 8 -- --num-layers 8 --hidden-size 1024 "
      "--num-attention-heads 16 --seq-length 1024 --micro-batch-size 1 --bf16 ";
  CHECK_THAT(here.pippin(launch + "--fp8-format hybrid").out,
             Contains("no time of an iteration: how fast it is with --fp8-format is not known"));
  CHECK_THAT(here.pippin(launch).out, !Contains("no time of an iteration"));
}

TEST_CASE("figures keep their digits in formats for programs") {
  const test::Workplace here;
  const auto call = here.pippin("--quiet estimate --format json -- " + kLaunch);
  CHECK(call.err.empty());
  const auto figures = nlohmann::json::parse(call.out).at("figures");
  std::int64_t all = 0, first = 0;
  for (const auto& one : figures) {
    CHECK(one.at("formula").is_string());
    if (one.at("what") != "parameters") continue;
    if (one.at("part") == "model") all = one.at("value");
    if (one.at("part") == "stage" && one.at("stage") == 0) first = one.at("value");
  }
  CHECK(all == 6642515968);
  CHECK(first == 1718757376);
}

TEST_CASE("the analysis tool's figures are printed on demand, and of what it knows alone") {
  const test::Workplace here;
  const auto call = here.pippin("--quiet estimate --compat --format csv -- " + kLaunch);
  CHECK_THAT(call.out, Contains("\ngpu.requirement_GB,40.2\n") && Contains("\npp.freq,2048\n"));
  const auto other = here.pippin("estimate --compat -- " + kLaunch + " --sequence-parallel");
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("the analysis tool says nothing of this: it knows no sequence"));
}

TEST_CASE("a table of layouts is judged row by row, with and without measured times") {
  const test::Workplace here;
  const std::string times = PIPPIN_SOURCE_DIR "/tests/data/estimate/times.tsv";
  const std::string points = PIPPIN_SOURCE_DIR "/tests/data/estimate/points.tsv";
  const auto call = here.pippin("estimate --format csv --points " + points);
  CHECK_THAT(call.out,
             StartsWith("id,step_s,step_s_low,step_s_high,allocated_gib,peak_gib,fits,why\n"));
  CHECK_THAT(call.out, Contains("\nmegatron-bridge-0001,,,,,,,recomputation is not given\n"));
  const auto learned =
      here.pippin("estimate --format csv --points " + times + " --calibrate-on " + times);
  CHECK(learned.exit_code == 0);
  CHECK_THAT(learned.err, Contains("SC21-T2 A100-SXM4 80: rates of 2 runs"));
  CHECK(learned.out != here.pippin("estimate --format csv --points " + times).out);
}

TEST_CASE("a column that nobody knows is said, as it may be misspelt") {
  const test::Workplace here;
  here.write("layouts.tsv", "id\tlayers\thiden\na\t4\t8\n");
  const auto call = here.pippin("estimate --points layouts.tsv --format csv");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("layouts.tsv: the column 'hiden' is not known and not used, did "
                                "you mean 'hidden'?"));
}

TEST_CASE("an estimate of a layout, of a table, and a search are pages, too") {
  const test::Workplace here;
  const std::string points = PIPPIN_SOURCE_DIR "/tests/data/estimate/points.tsv";
  const std::string search = "search polaris-a100-40g 6.7B --gpus 64 --gbs 512 --top 3";
  const auto page = [&](const std::string& words) {
    const auto call = here.pippin("--quiet " + words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 0);
    CHECK(call.out.empty());
    const std::string text = here.text("page.html");
    CHECK_THAT(text, Contains("<!doctype html>"));
    const auto from = text.find("id=\"pippin-data\"");
    const auto begin = text.find('{', from);
    return nlohmann::json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  };
  const auto layout = page("estimate --format html -o page.html -- " + kLaunch);
  CHECK(layout.at("kind") == "estimate");
  CHECK_THAT(layout.at("command").get<std::string>(), Contains("--format html -- torchrun"));
  const auto remarks = layout.at("sheet").at(0).at("remarks");
  CHECK_THAT(remarks.at(0).get<std::string>(), Contains("assumed: vocabulary 50257"));
  const auto table = page("estimate --format html -o page.html --points " + points);
  CHECK(table.at("title") == "points.tsv");
  CHECK(table.at("rows").at("name").size() > 1);
  const auto found = page(search + " --format html -o page.html");
  CHECK(found.at("rows").at("name").size() == 3);
  CHECK(here.pippin("--quiet " + search + " --format csv -o t.csv").out.empty());
  CHECK(here.text("t.csv") == here.pippin("--quiet " + search + " --format csv").out);
  const auto refused = here.pippin("estimate --compat --format html -- " + kLaunch);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("--compat has no page"));
}

TEST_CASE("what an estimate cannot be made of is said in one line") {
  const test::Workplace here;
  const auto refusal = [&](const std::string& words) {
    const auto call = here.pippin("estimate " + words);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    return call.err;
  };
  CHECK_THAT(refusal(""), Contains("wants one of SWEEP.yaml, NAME=VALUES, Megatron's arguments"));
  CHECK_THAT(refusal("--gpus 8 -- --num-layers 2"), Contains("--hidden-size is missing"));
  CHECK_THAT(refusal("--gpus 8 -- '$ARGS'"), Contains("'$ARGS' is a variable"));
  CHECK_THAT(refusal("--points none.tsv"), Contains("none.tsv"));
  CHECK_THAT(refusal("--points none.tsv --compat"), Contains("--compat is of arguments alone"));
  CHECK_THAT(refusal("--gpus 8 --calibrate-on none.tsv -- --num-layers 2"),
             Contains("--calibrate-on learns for --points"));
  CHECK_THAT(refusal("--format cvs --points none.tsv"), Contains("did you mean 'csv'?"));
}

TEST_CASE("a rate or a count that is no number is refused in a few words") {
  const test::Workplace here;
  const std::string search = "search polaris-a100-40g 6.7B --gbs 512";
  for (const auto& [words, why] : std::vector<std::pair<std::string, std::string>>{
           {search + " --gpus 64 --node-gb-per-s nan", "'nan' is no number above 0"},
           {search + " --gpus 64 --node-gb-per-s inf", "'inf' is no number above 0"},
           {search + " --gpus inf", "'inf' is no whole number from 1 to 1000000000"},
           {search + " --gpus 9223372036854775808", "is no whole number from 1 to 1000000000"},
           {search + " --gpus 0", "'0' is no whole number from 1 to 1000000000"}}) {
    CAPTURE(words);
    const auto call = here.pippin(words);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(why));
  }
}

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

TEST_CASE("why points are not judged is said of each kind") {
  const test::Workplace here;
  std::string sweep = megatron_sweep();
  sweep.replace(sweep.find("tp: [1, 4], mbs: [1, 4]"), 23, "tp: [3, 4, 6, 5], mbs: [1]");
  sweep.replace(sweep.find("gpus: 16"), 8, "gpus: 60");
  sweep.replace(sweep.find("gas: 64 / (mbs * dp)"), 20, "gas: 16");
  sweep.replace(sweep.find("--global-batch-size '64'"), 24, "--global-batch-size {gbs}");
  here.write("s.yaml", sweep);
  const auto plan = here.pippin("plan s.yaml");
  CAPTURE(plan.err);
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err, Contains("whether 3 of 4 points fit the memory is not known: ") &&
                           Contains("(32 by 3) (1 point); ") && Contains("(32 by 6) (1 point); "));
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
             Contains("s.yaml: no point fits; of 4 the first is dropped by 'memory: stage"));
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

TEST_CASE("layouts can be typed in the names of sweeps") {
  const test::Workplace here;
  const auto all = here.pippin(
      "estimate size=52B gpus=64 tp=2,4 pp=8,16,7 mbs=4 gas=128 zero=1 recompute=full "
      "--cluster jean-zay-v100-32g --format csv");
  CHECK(all.exit_code == 0);
  CHECK_THAT(all.out, Contains("\n52b-tp4-pp16-dp1-mbs4-gas128,"));
  CHECK_THAT(all.err, Contains("dropped: 52b-tp2-pp7"));
  // As search has it: the same model of the same code.
  const auto one = here.pippin(
      "--quiet estimate size=6.7B gpus=64 tp=2 mbs=2 gas=8 zero=1 sequence_parallel=1 "
      "--cluster polaris-a100-40g");
  CHECK_THAT(one.out, Contains("GBS 512, 64 GPUs on 16 nodes"));
  const auto of_batch = here.pippin(
      "estimate size=6.7B gpus=64 tp=2 mbs=1,2,3 gbs=512 --cluster polaris-a100-40g --format csv");
  CHECK_THAT(of_batch.out, Contains("\n6.7b-tp2-pp1-dp32-mbs2-gas8,"));
  CHECK_THAT(of_batch.err, Contains("derive: gas = 5.333333333333333 is no whole number above 0"));
  for (const auto& [words, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"size=6.7B zer=1", "unknown name 'zer', did you mean 'zero'?"},
           {"size=6.7B tp=x", "tp: 'tp' must be a whole number, not 'x'"},
           {"size=6.7B tp", "'tp' is no NAME=VALUES"},
           {"size=6.7B gbs=8,16", "gbs is one whole number, not '8,16'"},
           {"size=6.7C tp=1", "did you mean '6.7B'?"},
           {"size=6.7B tp=3", "TP does not divide the heads (32 by 3)"},
           {"s.yaml --cluster polaris-a100-40g", "the sweep file names its cluster"},
           {"s.yaml --gpus-per-node 8", "the sweep file names its cluster"},
           {"size=6.7B tp=1 --gpus 8", "gpus=N says those of NAME=VALUES"},
           {"size=6.7B tp=1 -- --num-layers 2", "wants one of SWEEP.yaml"}}) {
    const auto call = here.pippin(std::string("estimate ") + words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(why));
  }
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

TEST_CASE("a plan says the largest model that each layout can hold") {
  const test::Workplace here;
  here.write("s.yaml",
             "sweep: s\ncluster: jean-zay-v100-32g\nmodel: 52B\n"
             "grid: {pp: [1, 16], zero: [0, 1], gas: [64]}\nfixed: {tp: 4}\ngpus: 64\n");
  const auto call = here.pippin("plan s.yaml --max-model --format json");
  REQUIRE(call.exit_code == 0);
  const auto layouts = nlohmann::json::parse(call.out).at("layouts");
  REQUIRE(layouts.size() == 4);
  for (const auto& one : layouts) {
    CHECK(one.at("needed_gib") <= 31.75);
    CHECK(one.at("named_billion_parameters") > 1);
  }
  CHECK(layouts[0].at("layers") < layouts[1].at("layers"));  // ZeRO-1 shards over DP 16
  CHECK(layouts[1].at("layers") < layouts[2].at("layers"));
  here.write("t.yaml", "sweep: t\ngrid: {pp: [1, 2]}\n");
  const auto none = here.pippin("plan t.yaml --max-model");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("the memory of accelerator cpu is not known"));
  CHECK_THAT(here.pippin("plan s.yaml --max-model --script x").err,
             Contains("--max-model prints nothing else"));
  CHECK_THAT(here.pippin("plan s.yaml --max-model --format jsn").err, Contains("json"));
}

TEST_CASE("checkpoints have their sizes by what is in them, and a time where storage has a rate") {
  const test::Workplace here;
  const auto call = here.pippin(
      "estimate size=52B gpus=64 tp=4 pp=8,16 mbs=4 gas=128 --cluster jean-zay-v100-32g "
      "--checkpoints --storage-gb-per-s 2.5 --format json");
  REQUIRE(call.exit_code == 0);
  const auto sizes = nlohmann::json::parse(call.out).at("checkpoints");
  REQUIRE(sizes.size() == 2);
  const double params = sizes[0].at("billion_parameters"), all = sizes[0].at("size_gb");
  CHECK(sizes[0].at("weights_gb") == Approx(2 * params));  // 14 bytes, as the notes have it
  CHECK(all == Approx(14 * params));
  CHECK(sizes[0].at("rank_gb") == Approx(all / 32));
  CHECK(sizes[1].at("rank_gb") == Approx(all / 64));
  CHECK(sizes[0].at("write_s") == Approx(all / 2.5));
  CHECK_THAT(here.pippin("--quiet estimate --checkpoints -- " + kLaunch).out,
             Contains("93.0") && Contains("GBS 512"));
  CHECK_THAT(here.pippin("estimate --storage-gb-per-s 2 -- " + kLaunch).err,
             Contains("--storage-gb-per-s is of --checkpoints"));
  CHECK_THAT(here.pippin("estimate --checkpoints --compat -- " + kLaunch).err,
             Contains("goes with neither --compat nor --points"));
}

TEST_CASE(
    "figures for programs have the time, its parts and the utilization, where a GPU is named") {
  const test::Workplace here;
  const auto call =
      here.pippin("--quiet estimate --accelerator a100-sxm4-80g --format json -- " + kLaunch);
  REQUIRE(call.exit_code == 0);
  double time = 0, parts = 0, share = 0, work = 0, low = 0, high = 0;
  const auto figures = nlohmann::json::parse(call.out);
  for (const auto& one : figures.at("figures")) {
    if (one.at("part") != "iteration") continue;
    const double value = one.at("value");
    const std::string what = one.at("what");
    if (what == "work") {
      if (one.at("formula") == "model") work = value;
    } else if (what == "time") {
      time = value;
    } else if (what == "time, at least") {
      low = value;
    } else if (what == "time, at most") {
      high = value;
    } else if (what == "model FLOPs utilization") {
      share = value;
    } else {
      parts += value;
    }
  }
  CHECK(time == Approx(parts));
  // Its MLP is nearly as wide as the formula `model` has it.
  CHECK(share == Approx(work / time / (16 * 312e12)).epsilon(0.005));
  CHECK((low < time && time < high));
  CHECK_THAT(here.pippin("estimate --accelerator a100-sxm4-80g -- " + kLaunch).out,
             Contains("of the GPUs' peak in 16 bits"));
}
