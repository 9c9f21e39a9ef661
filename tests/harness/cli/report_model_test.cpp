// SPDX-License-Identifier: Apache-2.0
// report --against-model: what was predicted of stored points.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

const std::string kLogs = PIPPIN_SOURCE_DIR "/tests/data/logs";

nlohmann::json points_in(const Workplace& here, const std::string& options) {
  const auto call = here.pippin("--quiet report --against-model --format json " + options);
  CAPTURE(call.err);
  REQUIRE(call.exit_code == 0);
  return nlohmann::json::parse(call.out).at("points");
}

nlohmann::json point_in(const nlohmann::json& points, const std::string& name) {
  for (const auto& point : points)
    if (point.at("point") == name) return point;
  FAIL("no point " << name);
  return {};
}

}  // namespace

TEST_CASE("logs of Megatron are judged on the cluster that a person names") {
  const Workplace here;
  here.pippin("collect " + kLogs);
  const auto points = points_in(here, "collected --cluster jean-zay-v100-32g");
  const auto point = point_in(points, "l40-h6144-tp4-pp4-dp1-mbs1-gas4");
  CHECK(point.at("accelerator") == "v100-sxm2-32g");
  CHECK(point.at("rates") == "usual");
  CHECK(point.at("within") == "yes");
  const double predicted = point.at("predicted_s"), measured = point.at("measured_s");
  CHECK(point.at("measured_by_predicted").get<double>() == Approx(measured / predicted));
  double parts = 0;
  for (const char* part : {"products", "attention", "elements", "issue", "tensor", "pipeline",
                           "data", "optimizer", "fixed"})
    parts += point.at(std::string("predicted_") + part + "_s").get<double>();
  CHECK(parts == Approx(predicted));
  // Measured by PyTorch: 25.6 GiB.
  CHECK(std::abs(point.at("predicted_peak_gib").get<double>() /
                     point.at("measured_gib").get<double>() -
                 1) < 0.02);
  CHECK(point.at("should_fit") == "yes");
  CHECK(point.at("memory_agrees") == "yes");
  const auto zero3 = point_in(points, "l64-h8192-tp4-pp1-dp16-mbs48-gas1-ds-zero3");
  CHECK(zero3.at("predicted_peak_gib").is_null());
  CHECK_THAT(zero3.at("why_no_memory").get<std::string>(), Contains("--partition-activations"));
  CHECK(zero3.at("measured_compute_holds") == "compute and tensor");
  CHECK(zero3.at("measured_compute_s").get<double>() > 100);
}

TEST_CASE("without a GPU there is no time, and the table says why") {
  const Workplace here;
  here.pippin("collect " + kLogs);
  const auto call = here.pippin("report collected --against-model");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("its GPU is not stored; --accelerator or --cluster says it"));
  CHECK_THAT(call.out, !Contains("step time"));
  const auto point = points_in(here, "collected --accelerator v100-sxm2-32g").at(0);
  CHECK_THAT(point.at("why_no_time").get<std::string>(), Contains("how many GPUs a node has"));
  CHECK(point.at("usable_gib").get<double>() == Approx(31.75));
}

TEST_CASE("what a person says of a log beside it counts as the log's own") {
  const Workplace here;
  here.pippin("collect --set accelerator=v100-sxm2-32g --set gpus_per_node=4 " + kLogs +
              "/megatron-2021-16-gpus.out");
  CHECK(points_in(here, "collected").at(0).at("predicted_s").get<double>() > 0.5);
}

TEST_CASE("a cluster's rates and what links its nodes are taken from its file") {
  const Workplace here;
  here.pippin("collect " + kLogs + "/megatron-2021-16-gpus.out");
  const std::string cluster =
      "cluster: mine\nscheduler: slurm\nnodes: 4\ngpus_per_node: 4\naccelerator: v100-sxm2-32g\n";
  here.write("mine.yaml", cluster);
  here.write("slow.yaml", cluster + "rates: {product_share: 0.3, half_width: 0.05}\n");
  here.write("bad.yaml", cluster + "rates: {product_share: 3}\n");
  const auto usual = points_in(here, "collected --cluster mine.yaml").at(0);
  const auto slow = points_in(here, "collected --cluster slow.yaml").at(0);
  CHECK(slow.at("rates") == "mine");
  CHECK(slow.at("predicted_s").get<double>() > usual.at("predicted_s").get<double>());
  CHECK(slow.at("predicted_high_s").get<double>() ==
        Approx(slow.at("predicted_s").get<double>() * std::exp(0.05)));
  CHECK_THAT(here.pippin("report collected --against-model --cluster slow.yaml").out,
             Contains("by the rates of mine: 19 of 20 runs take 5 % less to 5 % more"));
  const auto far = points_in(here, "collected --cluster mine.yaml --node-gb-per-s 0.5").at(0);
  CHECK(far.at("predicted_pipeline_s").get<double>() >
        usual.at("predicted_pipeline_s").get<double>());
  const auto bad = here.pippin("report collected --against-model --cluster bad.yaml");
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.err, Contains("bad.yaml:6: rates: product_share: '3' is no number from 0.2"));
}

TEST_CASE("our own trainer's memory is foretold, of runs that ran and that ran out of it") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: s\ncluster: local\nprobe: training\nmodel: {size: tiny}\ngrid: {mbs: [1, 32]}\n"
      "fixed: {memory_limit_mib: 8}\niterations: 2\n");
  here.pippin("run s.yaml --quiet");
  const auto points = points_in(here, "s");
  REQUIRE(points.size() == 2);
  CHECK(points[0].at("runs_ran") == 1);
  CHECK(points[0].at("predicted_peak_gib").get<double>() ==
        Approx(points[0].at("measured_gib").get<double>()).epsilon(0.01));
  CHECK(points[1].at("runs_out_of_memory") == 1);
  CHECK(points[1].at("state") == "oom");
  for (const auto& point : points) {
    CHECK(point.at("memory_agrees") == "yes");
    CHECK_THAT(point.at("why_no_time").get<std::string>(), Contains("no peak rates of 'cpu'"));
  }
  const auto table = here.pippin("report s --against-model");
  CHECK_THAT(table.out, Contains("1 out of memory") && Contains("2 points, wrongly of 0"));
}

TEST_CASE("phases of our own trainer are held against a processor that a file describes") {
  const Workplace here;
  here.write(
      "cpu.yaml",
      "cluster: mine\naccelerator: {name: my-cpu, memory_gib: 8, bandwidth_gb_per_s: 10, "
      "link_gb_per_s: 2, units: 1, peak_tflops: {bf16: 0.05}}\nlaunch: mpirun --oversubscribe "
      "--bind-to none -n {ranks}\nenv: {OMPI_ALLOW_RUN_AS_ROOT: 1, "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: 1}\n");
  here.write("s.yaml",
             "sweep: s\ncluster: ./cpu.yaml\nprobe: training\nmodel: {size: tiny}\n"
             "grid: {tp: [2]}\nfixed: {precision: bf16, gas: 2}\niterations: 3\n");
  here.pippin("run s.yaml --quiet");
  const std::string options = "s --cluster cpu.yaml --node-gb-per-s 1";
  const auto point = points_in(here, options).at(0);
  CHECK(point.at("accelerator") == "my-cpu");
  CHECK(point.at("measured_compute_holds") == "compute");
  CHECK(point.at("measured_compute_s").get<double>() > 0);
  CHECK(point.at("measured_tensor_s").get<double>() > 0);
  CHECK(point.at("measured_pipeline_s").is_null());
  CHECK_THAT(point.at("why_no_memory").get<std::string>(), Contains("a processor takes besides"));
  CHECK_THAT(here.pippin("report --against-model " + options).out,
             Contains("phases, as trainers timed them") && Contains("network"));
}

TEST_CASE("a command's arguments say what a trainer's log does not") {
  const Workplace here;
  here.write("gpu.yaml", "cluster: mine\naccelerator: a100-sxm4-80g\ngpus_per_node: 8\n");
  here.write(
      "s.yaml",
      "sweep: s\ncluster: ./gpu.yaml\nmodel: {layers: 4, hidden: 1024, heads: 16, seq: 512, "
      "vocab: 50257}\ngrid: {mbs: [1, 2]}\ngpus: 8\nderive: {gas: 16 / (mbs * dp)}\n"
      "scrape: {step: 'step ([0-9]+)', step_time_ms: 'took ([0-9.]+)'}\n"
      "command: |\n  echo pretrain_gpt.py --num-layers 4 --hidden-size 1024 \\\n"
      "    --num-attention-heads 16 --seq-length 512 --micro-batch-size {mbs} \\\n"
      "    --global-batch-size 16 --bf16 >/dev/null; echo step 1 took 9; echo step 2 took 8\n");
  const auto run = here.pippin("run s.yaml --quiet");
  CAPTURE(run.out, run.err);
  const auto points = points_in(here, "s --cluster gpu.yaml");
  REQUIRE(points.size() == 2);
  CHECK(points[0].at("predicted_s").get<double>() > points[1].at("predicted_s").get<double>());
  CHECK(points[0].at("predicted_peak_gib").get<double>() > 1);
}

TEST_CASE("replayed times, and what is no training, are not judged") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml --quiet");
  const auto call = here.pippin("report --against-model");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("replay draws its times, and trains nothing"));
}

TEST_CASE("against-model refuses what it cannot use in one line") {
  const Workplace here;
  here.pippin("collect " + kLogs + "/megatron-2021-16-gpus.out");
  const auto refusal = [&](const std::string& words) {
    const auto call = here.pippin("report " + words);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    return call.err;
  };
  CHECK_THAT(refusal("--against-model --cluster jean-zay-v100-3g"), Contains("did you mean"));
  CHECK_THAT(refusal("--against-model --accelerator v100"), Contains("unknown accelerator 'v100'"));
  CHECK_THAT(refusal("--against-model --format cvs"), Contains("did you mean 'csv'?"));
  CHECK_THAT(refusal("--cluster local"), Contains("--against-model"));
  CHECK_THAT(refusal("--against-model --by run"), Contains("--against-model"));
  CHECK_THAT(refusal("nothing --against-model"), Contains("nothing"));
}
