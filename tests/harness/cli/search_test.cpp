// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// Whether the probes here were built for its GPUs or not.
nlohmann::json points_of(const test::Workplace& here, const std::string& sweep) {
  const auto call = here.pippin("--quiet estimate " + sweep + " --format json");
  INFO(call.err);
  REQUIRE(call.exit_code == 0);
  return nlohmann::json::parse(call.out).at("points");
}

}  // namespace

TEST_CASE("a search ranks layouts and writes the best as a sweep of the probe on their GPUs") {
  const test::Workplace here;
  const std::string words = "search polaris-a100-40g 6.7B --gpus 64 --gbs 512 --top 3";
  const auto call = here.pippin(words + " --format json --sweep best.yaml");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("layouts judged"));
  const auto layouts = nlohmann::json::parse(call.out).at("layouts");
  REQUIRE(layouts.size() == 3);
  CHECK(layouts[0].at("step_s") <= layouts[1].at("step_s"));
  CHECK(layouts[0].at("free_gib") > 0);
  CHECK_THAT(*disk().read(here.path() / "best.yaml"),
             Contains("sweep: search-6.7b-gpus64-gbs512\n") &&
                 Contains("fixed: {device: cuda, precision: bf16}\n"));
  // As the probe runs them, which needs more memory than what the search ranks.
  const auto points = points_of(here, "best.yaml");
  CHECK(points.size() == 3);
  for (const auto& point : points) CHECK(point.at("fits") == "yes");
  const auto again = here.pippin(words + " --sweep best.yaml");
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, Contains("best.yaml is there already"));
}

TEST_CASE(
    "a sweep that a search writes elsewhere finds the cluster's file, and trains in its type") {
  const test::Workplace here;
  const auto write_cluster = [&](const std::string& accelerator) {
    here.write("it's mine/c.yaml",
               "cluster: mine\nscheduler: slurm\nnodes: 16\ngpus_per_node: 4\naccelerator: " +
                   accelerator + "\nlaunch: srun\n");
  };
  here.write("sweeps/none", "");
  const auto search = [&](const std::string& file) {
    return here.pippin("search \"it's mine/c.yaml\" 1.3B --gpus 16 --gbs 64 --top 2 --sweep " +
                       file);
  };
  write_cluster("a100-sxm4-80g");
  CHECK(search("sweeps/best.yaml").exit_code == 0);
  CHECK_THAT(*disk().read(here.path() / "sweeps/best.yaml"),
             Contains("cluster: '../it''s mine/c.yaml'"));
  CHECK(points_of(here, "sweeps/best.yaml").size() == 2);
  write_cluster("v100-sxm2-32g");
  CHECK(search("older.yaml").exit_code == 0);
  CHECK_THAT(*disk().read(here.path() / "older.yaml"), Contains("precision: fp16}"));
  write_cluster("mi250x-oam-64g");
  const auto other = search("other.yaml");
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("the training probe computes on NVIDIA's GPUs alone"));
}

TEST_CASE("a probe that leaves a cluster's GPUs idle is told") {
  const test::Workplace here;
  const auto plan = [&](const std::string& keys) {
    here.write("s.yaml", "sweep: s\ncluster: polaris-a100-40g\ngrid: {mbs: [1, 2]}\n" + keys);
    return here.pippin("plan s.yaml").err;
  };
  CHECK_THAT(plan(""), Contains("training computes on the processors of polaris-a100-40g; for its "
                                "GPUs (a100-sxm4-40g) say fixed: {device: cuda}"));
  for (const char* keys : {"fixed: {device: cpu}\n", "probe: replay\n", "command: train {mbs}\n"})
    CHECK_THAT(plan(keys), !Contains("computes on"));
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
             Contains("none of 1162 layouts fits; the least needs") && Contains("of 39.6"));
  CHECK_THAT(here.pippin("search polaris-a100-40g 175C --gpus 8 --gbs 8").err,
             Contains("did you mean '175B'?"));
  CHECK_THAT(here.pippin("search local 6.7B --gpus 8 --gbs 8").err, Contains("accelerator cpu"));
}

namespace {

constexpr const char* kCluster =
    "cluster: mine\nscheduler: slurm\nnodes: 16\ngpus_per_node: 4\n"
    "accelerator: a100-sxm4-80g\nlaunch: srun\n";
constexpr const char* kGpt =
    " torchrun --nproc_per_node 4 --nnodes 16 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
    "--num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 --vocab-size 50257 "
    "--global-batch-size 512 --bf16 --transformer-impl transformer_engine ";

}  // namespace

TEST_CASE("a search of a launch finds what one of the same model finds") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const auto model = here.pippin("search ./c.yaml 6.7B --gpus 64 --gbs 512 --format csv");
  const auto launch = here.pippin(std::string("search ./c.yaml --format csv --") + kGpt +
                                  "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 "
                                  "--micro-batch-size 1 --recompute-granularity full "
                                  "--recompute-method uniform --recompute-num-layers 1");
  INFO(launch.err);
  REQUIRE(launch.exit_code == 0);
  CHECK(launch.out == model.out);
  CHECK_THAT(launch.err, Contains("as launched, TP 4 PP 2 DP 8 MBS 1 GAS 64 full: ") &&
                             Contains(" that fit are faster, the first by "));
  // The best of them is best.
  const auto best = here.pippin(std::string("search ./c.yaml --top 1 --format json --") + kGpt);
  CHECK_THAT(best.err, Contains("the launch's own layout is not judged: --micro-batch-size is "
                                "missing"));
  const auto first = nlohmann::json::parse(best.out).at("layouts").at(0);
  std::string own = fmt::format(
      "--tensor-model-parallel-size {} --pipeline-model-parallel-size {} --micro-batch-size {} "
      "--context-parallel-size {}",
      first.at("tp").get<int>(), first.at("pp").get<int>(), first.at("mbs").get<int>(),
      first.at("cp").get<int>());
  if (first.at("zero") == 1) own += " --use-distributed-optimizer";
  if (first.at("sequence_parallel") == 1) own += " --sequence-parallel";
  if (first.at("chunks") > 1)
    own += fmt::format(" --num-virtual-stages-per-pipeline-rank {}", first.at("chunks").get<int>());
  const auto again = here.pippin(std::string("search ./c.yaml --top 1 --") + kGpt + own);
  CHECK_THAT(again.out, Contains("; none that fits is faster"));
}

TEST_CASE("a search of a launch proposes what Megatron starts with its choices") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const auto layouts_with = [&](const std::string& more) {
    const auto call =
        here.pippin("search ./c.yaml --top 500 --format json --" + std::string(kGpt) + more);
    CAPTURE(call.err);
    REQUIRE(call.exit_code == 0);
    return nlohmann::json::parse(call.out).at("layouts");
  };
  for (const auto& one : layouts_with("--tp-comm-overlap"))
    CHECK((one.at("tp") == 1 || one.at("sequence_parallel") == 1));
  for (const auto& one : layouts_with("--defer-embedding-wgrad-compute")) CHECK(one.at("pp") > 1);
}

TEST_CASE("a launch whose ends count as layers is searched so, and compared where none fits") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const std::string launch =
      " torchrun --nproc_per_node 4 --nnodes 16 pretrain_gpt.py --num-layers 30 --hidden-size 4096 "
      "--num-attention-heads 32 --seq-length 2048 --vocab-size 50257 --global-batch-size 512 "
      "--bf16 --transformer-impl transformer_engine --micro-batch-size 1 "
      "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split "
      "--pipeline-model-parallel-size 8 ";
  const auto call = here.pippin("search ./c.yaml --top 1000 --format json --" + launch);
  INFO(call.err);
  REQUIRE(call.exit_code == 0);
  bool has_eight = false;
  const auto found = nlohmann::json::parse(call.out);
  for (const auto& one : found.at("layouts")) {
    CHECK((one.at("pp") == 1 || 32 % one.at("pp").get<int>() == 0));
    has_eight = has_eight || one.at("pp") == 8;
  }
  CHECK(has_eight);
  CHECK_THAT(call.err, Contains("as launched, TP 1 PP 8"));
  std::string wide = launch;
  wide.replace(wide.find("4096"), 4, "65536");
  const auto none = here.pippin("search ./c.yaml --" + wide);
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("layouts fits; the least needs") &&
                           Contains("; as launched, TP 1 PP 8") &&
                           Contains(", which does not fit"));
}

TEST_CASE("a search of a mixture's launch places its experts") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const std::string words =
      std::string("search ./c.yaml --format json --") + kGpt +
      "--swiglu --disable-bias-linear --num-experts 8 --moe-router-topk 2 --moe-grouped-gemm "
      "--moe-token-dispatcher-type alltoall --micro-batch-size 1 ";
  const auto call = here.pippin(words);
  INFO(call.err);
  REQUIRE(call.exit_code == 0);
  const auto layouts = nlohmann::json::parse(call.out).at("layouts");
  CHECK(layouts.at(0).at("ep") > 1);
  CHECK_THAT(call.err, Contains("as launched, TP 1 PP 1 DP 64 MBS 1 GAS 8: ") &&
                           Contains(", which does not fit; "));
  const auto page = here.pippin(std::string("search ./c.yaml --format html -o found.html --") +
                                kGpt + "--num-experts 8 --moe-router-topk 2");
  CHECK(page.exit_code == 0);
  CHECK_THAT(*disk().read(here.path() / "found.html"), Contains("waiting for EP"));
}

TEST_CASE("a search says what it wants of a launch") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const auto mistake = [&](const std::string& words) {
    const auto call = here.pippin("search ./c.yaml " + words);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    return call.err;
  };
  CHECK_THAT(mistake(""), Contains("wants a MODEL, or Megatron's arguments behind '--'"));
  CHECK_THAT(mistake(std::string("6.7B --") + kGpt), Contains("wants a MODEL, or"));
  CHECK_THAT(mistake("6.7B --gpus 64"), Contains("a MODEL wants --gpus and --gbs"));
  CHECK_THAT(mistake(std::string("--seq 4096 --") + kGpt), Contains("--seq is of a MODEL"));
  CHECK_THAT(mistake(std::string("--sweep s.yaml --") + kGpt), Contains("--sweep is of a MODEL"));
  CHECK_THAT(mistake("-- --num-layers 32"), Contains("search: --hidden-size is missing"));
  const std::string small =
      "-- --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 ";
  CHECK_THAT(mistake(small + "--bf16"), Contains("search: on how many GPUs?"));
  CHECK_THAT(mistake(small + "--bf16 --nproc_per_node 4"), Contains("Say --gbs"));
  CHECK_THAT(mistake(small), Contains("no time is known: it trains in fp32"));
  CHECK_THAT(mistake("--gbs 1000000000 " + small + "--bf16 --nproc_per_node 4"),
             Contains("search: 4 GPUs and 1000000000 sequences: at most 100000000 can be counted"));
  CHECK_THAT(mistake(std::string("--") + kGpt + "--fp4-format e2m1"),
             Contains("what --fp4-format needs of memory is not known"));
  CHECK_THAT(mistake(std::string("--") + kGpt + "--fp8-format hybrid"),
             Contains("--fp8-format needs a GPU from Hopper on"));
  CHECK_THAT(mistake(std::string("--") + kGpt + "--deepspeed --zero-stage 1"),
             Contains("the launch is of Megatron-DeepSpeed"));
}

TEST_CASE("a search takes the GPUs of a launch that says its DP, and needs those of a node") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const std::string words =
      "--num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --bf16 "
      "--tensor-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64 ";
  const auto call = here.pippin("search ./c.yaml -- " + words + "--data-parallel-size 4");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("as launched, TP 2 PP 1 DP 4 MBS 1 GAS 16: "));

  here.write("l.yaml", "cluster: here\nscheduler: local\naccelerator: a100-sxm4-80g\n");
  CHECK(here.pippin("search ./l.yaml -- " + words + "--nproc_per_node 8").exit_code == 0);
  CHECK_THAT(here.pippin("search ./l.yaml 1.3B --gpus 8 --gbs 64").err,
             Contains("cluster here does not say its gpus_per_node"));
}

TEST_CASE("a search finds a sweep for the probe among layouts with CP and chunks") {
  const test::Workplace here;
  here.write("c.yaml", kCluster);
  const auto call = here.pippin(
      "search ./c.yaml 13B --gpus 64 --gbs 64 --seq 8192 --top 2 --sweep best.yaml --format json");
  INFO(call.err);
  REQUIRE(call.exit_code == 0);
  CHECK(points_of(here, "best.yaml").size() == 2);
}
