// SPDX-License-Identifier: Apache-2.0
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
  CHECK_THAT(learned.err, Contains("SC21-T2 A100-SXM4 80: rates of 2 layouts"));
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
           {"size=6.7B tp=1 --gpus 8", "estimate: write gpus=8 instead of --gpus 8"},
           {"s.yaml --gpus 8", "estimate: the sweep says its GPUs: leave out --gpus"},
           {"size=6.7B gbs=64 gas=7", "estimate: give gbs or gas, not both"},
           {"size=6.7B tp=1 -- --num-layers 2", "wants one of SWEEP.yaml"}}) {
    const auto call = here.pippin(std::string("estimate ") + words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(why));
  }
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

TEST_CASE("programs are told what is not known, and whether a layout fits") {
  const test::Workplace here;
  const auto figure_of = [&](const std::string& more, const std::string& part,
                             const std::string& what) {
    const auto call = here.pippin("--quiet estimate --accelerator a100-sxm4-80g --format json -- " +
                                  kLaunch + more);
    REQUIRE(call.exit_code == 0);
    const auto all = nlohmann::json::parse(call.out).at("figures");
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
      return one.at("part") == part && one.at("what") == what;
    });
    REQUIRE(found != all.end());
    return *found;
  };
  CHECK(figure_of("", "gpu", "fits").at("value").is_number());
  CHECK(figure_of("", "gpu", "needed").at("value") > figure_of("", "stage", "peak").at("value"));
  CHECK(figure_of("", "layout", "TP").at("value").is_number());
  const std::string offload = " --cpu-offloading --cpu-offloading-num-layers 1";
  for (const auto& [part, what] : std::vector<std::pair<std::string, std::string>>{
           {"gpu", "fits"}, {"gpu", "needed"}, {"stage", "peak"}, {"stage", "allocated"}}) {
    CAPTURE(part, what);
    const auto figure = figure_of(offload, part, what);
    CHECK(figure.at("value").is_null());
    CHECK_THAT(figure.at("formula").get<std::string>(),
               Contains("not known with --cpu-offloading"));
  }
  const auto time = figure_of(offload, "iteration", "time");
  CHECK(time.at("value").is_null());
  CHECK_THAT(time.at("formula").get<std::string>(), Contains("how fast"));
}

TEST_CASE(
    "a table that nothing can be learned from is refused, and rows that are left out are counted") {
  const test::Workplace here;
  const std::string times = PIPPIN_SOURCE_DIR "/tests/data/estimate/times.tsv";
  const std::string points = PIPPIN_SOURCE_DIR "/tests/data/estimate/points.tsv";
  here.write("none.tsv", "id\tlayers\na\t4\n");
  const auto none = here.pippin("estimate --points " + times + " --calibrate-on none.tsv");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("none.tsv: none of 1 row can be learned from"));
  const auto some = here.pippin("estimate --points " + times + " --calibrate-on " + points);
  CHECK_THAT(some.err, Contains("rows are not learned from"));
}
