// SPDX-License-Identifier: Apache-2.0
// calibrate: a cluster's rates by what the database has of it, and who uses them.
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

const std::string kLogs = PIPPIN_SOURCE_DIR "/tests/data/logs";
const std::string kCluster =
    "cluster: mine\nscheduler: slurm\nnodes: 16\ngpus_per_node: 2\naccelerator: v100-sxm2-32g\n";

/// A table of nccl-tests on two GPUs of one node, or of two: 20 us a call and so many GB/s.
std::string network_log(double gb_per_s, bool is_far, double factor = 1) {
  std::string log =
      "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8 maxBytes 128\n"
      "#  Rank  0 Group  0 Pid  7 on  gpu-a device  0 [0x07] NVIDIA V100\n";
  log += fmt::format("#  Rank  1 Group  0 Pid  8 on  {} device  1 [0x08] NVIDIA V100\n",
                     is_far ? "gpu-b" : "gpu-a");
  log +=
      "#                                                              out-of-place\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";
  for (double bytes = 1024; bytes <= 256e6; bytes *= 4) {
    const double us = (20 + bytes / gb_per_s / 1e3) * factor;
    log +=
        fmt::format("{:12.0f} {:12.0f}     float     sum      -1 {:10.2f} {:8.4f} {:8.4f}      0\n",
                    bytes, bytes / 4, us, bytes / us / 1e3, bytes / us / 1e3);
  }
  return log;
}

nlohmann::json rate_in(const nlohmann::json& rates, const std::string& name) {
  for (const auto& rate : rates)
    if (rate.at("rate") == name) return rate;
  FAIL("no rate " << name);
  return {};
}

nlohmann::json rates_of(const Workplace& here, const std::string& options) {
  const auto call = here.pippin("--quiet calibrate --format json " + options);
  CAPTURE(call.err);
  REQUIRE(call.exit_code == 0);
  return nlohmann::json::parse(call.out).at("rates");
}

}  // namespace

TEST_CASE("tables of the network become latencies, bandwidths and shares of data sheets") {
  const Workplace here;
  here.write("mine.yaml", kCluster);
  for (const double factor : {0.95, 1.0, 1.05}) {
    here.write(fmt::format("near-{}.log", factor), network_log(90, false, factor));
    here.write(fmt::format("far-{}.log", factor), network_log(10, true, factor));
  }
  here.pippin("collect .");
  const auto rates = rates_of(here, "collected --cluster mine.yaml");
  const auto value = [&](const std::string& name) {
    return rate_in(rates, name).at("value").get<double>();
  };
  CHECK(value("latency within a node (us)") == Approx(20).epsilon(0.02));
  CHECK(value("bandwidth within a node (GB/s)") == Approx(90).epsilon(0.02));
  CHECK(value("link_share") == Approx(0.6).epsilon(0.02));
  CHECK(rate_in(rates, "link_share").at("from") == "links");
  CHECK(rate_in(rates, "link_share").at("readings") == 27);
  CHECK(rate_in(rates, "link_share").at("low").get<double>() < 0.6);
  CHECK(rate_in(rates, "link_share").at("high").get<double>() > 0.6);
  CHECK(rate_in(rates, "product_share").at("use") == "usual");
  // Of nodes with two GPUs a table of one GPU each says nothing.
  CHECK(rate_in(rates, "node_share").at("use") == "usual");
}

TEST_CASE("a link that is faster than it can be is named, and not used") {
  const Workplace here;
  here.write("mine.yaml", kCluster);
  here.write("near.log", network_log(400, false));
  here.pippin("collect near.log");
  const auto rate = rate_in(rates_of(here, "collected --cluster mine.yaml"), "link_share");
  CHECK(rate.at("value") == rate.at("usual"));
  CHECK(rate.at("use") == "at its bound 1.00, not used");
  const auto write = here.pippin("calibrate collected --cluster mine.yaml --write rates.yaml");
  CHECK(write.exit_code == 0);
  CHECK_THAT(here.text("rates.yaml"), !Contains("link_share"));
}

TEST_CASE("measured training gives rates that a cluster's file takes, and others then use") {
  const Workplace here;
  here.pippin("collect " + kLogs);
  const std::string cluster =
      "cluster: jz\nscheduler: slurm\nnodes: 64\ngpus_per_node: 4\naccelerator: v100-sxm2-32g\n";
  here.write("jz.yaml", cluster);
  const auto call = here.pippin("calibrate collected --cluster jz.yaml --write rates.yaml");
  CAPTURE(call.err);
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("product_share") && Contains("training"));
  const std::string rates = here.text("rates.yaml");
  CHECK_THAT(rates, Contains("\nrates:\n  node_gb_per_s: 50") && Contains("half_width:"));
  here.write("learned.yaml", cluster + rates);
  const auto errors = [&](const std::string& file) {
    const auto report =
        here.pippin("report collected --against-model --format json --cluster " + file);
    const auto points = nlohmann::json::parse(report.out);
    double worst = 0;
    for (const auto& point : points.at("points"))
      if (!point.at("measured_by_predicted").is_null())
        worst =
            std::max(worst, std::abs(std::log(point.at("measured_by_predicted").get<double>())));
    return worst;
  };
  CHECK(errors("learned.yaml") < errors("jz.yaml"));
  CHECK_THAT(here.pippin("report collected --against-model --cluster learned.yaml").out,
             Contains("by the rates of jz"));
  const std::string layout =
      " -- --num-layers 40 --hidden-size 6144 --num-attention-heads 32 --seq-length 1024 "
      "--micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 4 --vocab-size "
      "50257 --fp16";
  const auto usual = here.pippin("estimate --gpus 16 --cluster jz.yaml" + layout);
  const auto learned = here.pippin("estimate --gpus 16 --cluster learned.yaml" + layout);
  CHECK_THAT(usual.out, Contains("by data sheets and usual rates") && Contains("on 4 nodes"));
  CHECK_THAT(learned.out, Contains("by the rates of jz: 19 of 20 runs take"));
  const auto found = here.pippin("search learned.yaml 6.7B --gpus 64 --gbs 512 --top 1");
  CHECK_THAT(found.err, Contains("by the rates of jz"));
  CHECK(found.out != here.pippin("search jz.yaml 6.7B --gpus 64 --gbs 512 --top 1").out);
}

TEST_CASE("a file is never overwritten, and none is written where nothing was learned") {
  const Workplace here;
  here.write("mine.yaml", kCluster);
  here.write("near.log", network_log(90, false));
  here.pippin("collect near.log");
  here.write("there.yaml", "mine\n");
  const auto there = here.pippin("calibrate collected --cluster mine.yaml --write there.yaml");
  CHECK(there.exit_code == 2);
  CHECK(there.out.empty());
  CHECK_THAT(there.err, Contains("there.yaml is there already"));
  CHECK(here.text("there.yaml") == "mine\n");
  // Without the word, logs are not taken for a cluster's.
  const auto none = here.pippin("calibrate --cluster mine.yaml --write none.yaml");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("nothing was measured that tells a rate"));
  CHECK_FALSE(fs::exists(here.path() / "none.yaml"));
}

TEST_CASE("our probes on this machine give latency and bandwidth, and no share of a peak") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: calls\ncluster: local\nprobe: collective\ngrid: {bytes: [1K, 64K, 4M]}\n"
             "fixed: {op: all_reduce, ranks: 2, step_ms: 1}\niterations: 5\n"
             "repeats: {allocations: 2}\n");
  here.pippin("run s.yaml --quiet");
  const auto rates = rates_of(here, "calls");
  // On a busy machine one of both may drown in noise.
  std::int64_t told = 0;
  for (const auto& rate : rates) {
    const std::string name = rate.at("rate");
    if (name.find(" within a node ") == std::string::npos) continue;
    ++told;
    CHECK(rate.at("value").get<double>() > 0);
    CHECK(rate.at("readings") == 6);
    CHECK(rate.at("from") == "collectives");
  }
  CHECK(told > 0);
  CHECK(rate_in(rates, "link_share").at("use") == "usual");
}

TEST_CASE("runs of several clusters are not mixed, and one is chosen by its name") {
  const Workplace here;
  here.write("other.yaml",
             "cluster: other\nlaunch: mpirun --oversubscribe --bind-to none -n {ranks}\nenv: "
             "{OMPI_ALLOW_RUN_AS_ROOT: 1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: 1}\n");
  for (const std::string cluster : {"local", "./other.yaml"}) {
    const std::string name = cluster == "local" ? "a" : "b";
    here.write(name + ".yaml", "sweep: " + name + "\ncluster: " + cluster +
                                   "\nprobe: collective\ngrid: {bytes: [8, 1M]}\nfixed: "
                                   "{op: all_reduce, ranks: 2, step_ms: 1}\niterations: 3\n");
    here.pippin("run " + name + ".yaml --quiet");
  }
  const auto mixed = here.pippin("calibrate");
  CHECK(mixed.exit_code == 2);
  CHECK_THAT(mixed.err,
             Contains("runs of several clusters: local, other; name one with --cluster"));
  for (const std::string options : {"--cluster local", "--cluster other.yaml", "a"}) {
    CAPTURE(options);
    std::int64_t readings = 0;
    for (const auto& rate : rates_of(here, options))
      if (rate.at("from") == "collectives") readings = rate.at("readings");
    CHECK(readings == 2);
  }
}

TEST_CASE("calibrate refuses what it cannot use in one line") {
  const Workplace here;
  here.pippin("collect " + kLogs + "/megatron-2021-16-gpus.out");
  const auto refusal = [&](const std::string& words) {
    const auto call = here.pippin("calibrate " + words);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    return call.err;
  };
  CHECK_THAT(refusal("nothing"), Contains("no sweep, campaign or tag is named 'nothing'"));
  CHECK_THAT(refusal("--cluster nowhere"), Contains("unknown cluster 'nowhere'"));
  CHECK_THAT(refusal("--format cvs"), Contains("did you mean 'csv'?"));
  CHECK_THAT(refusal("--accelerator v1000"), Contains("unknown accelerator 'v1000'"));
}

namespace {

/// A sweep of Megatron's command whose runs print `ms` for each iteration.
std::string megatron_sweep(const std::string& cluster, int ms) {
  return "sweep: s\ncluster: ./" + cluster +
         ".yaml\ngrid: {mbs: [1, 2]}\nfixed: {tp: 1, pp: 1, gas: 2}\nmodel: {layers: 2, hidden: "
         "512, heads: 8, "
         "seq: 512, vocab: 50304}\ngpus: 1\niterations: 5\ncommand: |\n"
         "  for i in 1 2 3 4 5; do echo \" iteration $i/ 5 | consumed samples: 8 | elapsed time "
         "per iteration (ms): " +
         std::to_string(ms) +
         ".0 | learning rate: 1.0E-4 | lm loss: 1.0 |\"; done; true --num-layers {layers} "
         "--hidden-size {hidden} "
         "--num-attention-heads {heads} --seq-length {seq} --max-position-embeddings {seq} "
         "--vocab-size {vocab} "
         "--micro-batch-size {mbs} --global-batch-size {gbs} --bf16\n";
}

std::string local_cluster(const std::string& name) {
  return "cluster: " + name +
         "\nscheduler: local\nnodes: 1\ngpus_per_node: 8\naccelerator: a100-sxm4-80g\nlaunch: "
         "\"\"\n";
}

}  // namespace

TEST_CASE("a cluster's runs count of points that ran on another one, too") {
  const Workplace here;
  for (const std::string name : {"a", "b"}) here.write(name + ".yaml", local_cluster(name));
  here.write("s.yaml", megatron_sweep("a", 100));
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  here.write("s.yaml", megatron_sweep("b", 300));
  REQUIRE(here.pippin("run s.yaml --quiet --again").exit_code == 0);
  std::vector<std::string> tables;
  for (const std::string cluster : {"a", "b"}) {
    const auto call = here.pippin("calibrate --cluster " + cluster + ".yaml");
    CHECK(call.exit_code == 0);
    CHECK_THAT(call.out + call.err, Contains("2 points of training"));
    tables.push_back(call.out);
  }
  CHECK(tables[0] != tables[1]);
  const auto told = here.pippin("report s --against-model --accelerator h100-sxm5-80g");
  CHECK_THAT(told.out, Contains("a100-sxm4-80g") && !Contains("h100"));
  CHECK_THAT(told.err,
             Contains("--accelerator h100-sxm5-80g is for runs that do not know theirs: 2 "
                      "points do (a100-sxm4-80g)"));
}

TEST_CASE(
    "training that tells no rate is named with the reason, links that nobody measured are not") {
  const Workplace here;
  REQUIRE(here.pippin("collect " + kLogs).exit_code == 0);
  const auto unknown = here.pippin("calibrate collected");
  CHECK_THAT(unknown.err,
             Contains("measured points of training are left out: its GPU is not stored; "
                      "--accelerator or --cluster says it"));
  CHECK_THAT(unknown.err, !Contains("links and products"));
  CHECK_THAT(unknown.out, Contains("no training tells a rate: bounds stay the usual ones"));
  CHECK_THAT(here.pippin("calibrate collected --accelerator v100-sxm2-32g").err,
             Contains("left out: how many GPUs a node has is not known; --cluster says it"));
}

TEST_CASE("bounds that no cluster's file may have are not written") {
  const Workplace here;
  here.write("c.yaml", kCluster);
  const std::string log = *disk().read(kLogs + "/megatron-2021-16-gpus.out");
  for (int i = 0; i < 6; ++i) {
    std::string text;
    for (const std::string_view line : split(log, '\n')) {
      const auto at = line.find("elapsed time per iteration (ms): ");
      const auto layers = line.find("  num_layers ");
      if (layers != std::string_view::npos)
        text += fmt::format("{}{}\n", line.substr(0, line.rfind(' ') + 1), 8 * (i + 1));
      else if (at != std::string_view::npos && i == 5)
        text += std::string(line).insert(at + 33, "99") + '\n';  // two digits more
      else
        text += std::string(line) + '\n';
    }
    here.write(fmt::format("logs/{}.out", i), text);
  }
  REQUIRE(here.pippin("collect logs").exit_code == 0);
  const auto call = here.pippin("calibrate collected --cluster ./c.yaml --write rates.yaml");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("times differ from what any rates predict by a factor of ") &&
                           Contains("rates.yaml is not written"));
  CHECK_FALSE(fs::exists(here.path() / "rates.yaml"));
}
