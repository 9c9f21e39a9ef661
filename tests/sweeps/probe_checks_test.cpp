// SPDX-License-Identifier: Apache-2.0
// What a probe's programs say that they take, and what a sweep asks of them.
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using test::error_of;
using test::sweep_of;
using Kind = ProbeOption::Kind;

namespace {

ProbeAbilities abilities(std::vector<std::string> precisions) {
  ProbeAbilities said;
  said.probe = "training";
  said.options = {
      {"precision", {Kind::kChoice, std::move(precisions), {}, {}}},
      {"device", {Kind::kChoice, {"cpu", "cuda"}, {}, {}}},
      {"zero", {Kind::kChoice, {"0", "1"}, {}, {}}},
      {"threads", {Kind::kWhole, {}, 1, 1024}},
      {"reduce_bucket_size", {Kind::kWhole, {}, 1, 2147483647}},
      {"vocab", {Kind::kWhole, {}, 2, 1 << 30}},
      {"lr", {Kind::kNumber, {}, 0, 1e6}},
      {"memory_limit_mib", {Kind::kSize, {}, 8, 1 << 20}},
      {"clip_grad", {Kind::kShare, {}, 0, 1}},
      {"recompute", {Kind::kWord, {}, {}, {}}},
  };
  return said;
}

/// What both programs say: on GPUs from 8.0 on there is bf16, too.
std::optional<ProbeAbilities> answer(const std::string&, const std::string& device) {
  if (device == "cpu") return abilities({"fp32"});
  ProbeAbilities cuda = abilities({"fp32", "bf16"});
  cuda.least_capability = 8.0;
  return cuda;
}

std::string asking(const std::string& rest) {
  return error_of("sweep: s\nprobe: training\n" + rest, answer);
}

const std::string kV100 = "cluster: {from: jean-zay-v100-32g}\n";
const std::string kA100 =
    "cluster: {from: jean-zay-v100-32g, accelerator: a100-sxm4-40g}\ngpus: 4\n";

}  // namespace

TEST_CASE("a value that the probe never takes is refused where it stands") {
  CHECK(asking("grid:\n  mbs: [1]\nfixed:\n  precision: fp8\n") ==
        "sweep.yaml:6: precision: training knows fp32, not 'fp8'");
  CHECK(asking("grid: {zero: [1, 2]}\n") == "sweep.yaml:3: zero: training knows 0, 1, not '2'");
  CHECK(asking("grid:\n  zero:\n    - 1\n    - 2\n") ==
        "sweep.yaml:6: zero: training knows 0, 1, not '2'");
  CHECK(asking("zip:\n  mbs: [1, 2]\n  threads: [4, 0]\n") ==
        "sweep.yaml:5: threads: training takes a whole number from 1 to 1024, not '0'");
  CHECK(asking("points:\n  - {mbs: 1}\n  - {mbs: 2, lr: -1}\n") ==
        "sweep.yaml:5: lr: training takes a number from 0 to 1000000, not '-1'");
  CHECK(asking("grid: {mbs: [1]}\nmodel:\n  vocab: 1\n") ==
        "sweep.yaml:5: vocab: training takes a whole number from 2 to 1073741824, not '1'");
  CHECK(asking("grid: {device: [gpu]}\n") ==
        "sweep.yaml:3: device: training knows cpu, cuda, not 'gpu'");
}

TEST_CASE("a value is taken as the probe reads it, not as YAML does") {
  CHECK(asking("grid: {reduce_bucket_size: [2e8]}\n") ==
        "sweep.yaml:3: reduce_bucket_size: training takes a whole number from 1 to 2147483647, not "
        "'2e8'; write 200000000");
  CHECK(asking("grid: {memory_limit_mib: [64K, 8, 1M, 1.5k]}\n") == "no error, points: 4");
  CHECK(asking("grid: {memory_limit_mib: [2M]}\n") ==
        "sweep.yaml:3: memory_limit_mib: training takes bytes, such as 64K or 32M, from 8 to "
        "1048576, not '2M'");
  CHECK(asking("grid: {clip_grad: [8%, 0.5]}\n") == "no error, points: 2");
  CHECK(asking("grid: {clip_grad: [8]}\n") ==
        "sweep.yaml:3: clip_grad: training takes a fraction, or a percentage as 8%, from 0 to 1, "
        "not '8'");
  CHECK(asking("grid: {recompute: [anything]}\n") == "no error, points: 1");
}

TEST_CASE("what only one device's program takes is dropped for the other") {
  const Sweep sweep = sweep_of("sweep: s\nprobe: training\n" + kA100 +
                                   "grid: {device: [cpu, cuda], precision: [fp32, bf16]}\n",
                               answer);
  CHECK(sweep.points.size() == 3);
  REQUIRE(sweep.dropped.size() == 1);
  CHECK(sweep.dropped.front().reason == "precision: training knows fp32, not 'bf16'");
}

TEST_CASE("a derived value that the probe does not take is dropped with its point") {
  const Sweep sweep = sweep_of(
      "sweep: s\nprobe: training\ngrid: {mbs: [1, 2]}\nderive: {threads: mbs * 600}\n", answer);
  CHECK(sweep.points.size() == 1);
  REQUIRE(sweep.dropped.size() == 1);
  CHECK(sweep.dropped.front().reason ==
        "threads: training takes a whole number from 1 to 1024, not '1200'");
}

TEST_CASE("GPUs that are too old for the probe are refused in one line that says what to do") {
  const std::string expected =
      "device: training runs on GPUs of compute capability 8.0 and newer, and cluster "
      "jean-zay-v100-32g has v100-sxm2-32g (7.0); take device: cpu, another cluster, or a command "
      "of your own";
  CHECK(asking(kV100 + "grid: {mbs: [1]}\nfixed: {device: cuda}\n") == "sweep.yaml:5: " + expected);
  CHECK(asking(kV100 + "grid: {device: [cpu, cuda]}\n") == "sweep.yaml:4: " + expected);
  CHECK(asking(kA100 + "grid: {device: [cuda]}\n") == "no error, points: 1");
  CHECK(asking("cluster: {accelerator: {name: mine, compute_capability: 7.5}}\n"
               "grid: {device: [cuda]}\n") ==
        "sweep.yaml:4: device: training runs on GPUs of compute capability 8.0 and newer, and "
        "cluster inline has mine (7.5); take device: cpu, another cluster, or a command of your "
        "own");
}

TEST_CASE("on a cluster that does not say what its GPUs are nothing speaks against them") {
  CHECK(asking("grid: {device: [cuda]}\n") == "no error, points: 1");
  CHECK(asking(kV100 + "grid: {device: [cpu]}\n") == "no error, points: 1");
}

TEST_CASE("each program of a probe is asked once, however many points there are") {
  int asked = 0;
  const auto count = [&](const std::string& probe, const std::string& device) {
    ++asked;
    return answer(probe, device);
  };
  const std::string many = "mbs: [1, 2, 3, 4, 5], gas: [1, 2, 3, 4, 5]";
  sweep_of("sweep: s\nprobe: training\ngrid: {" + many + "}\n", count);
  CHECK(asked == 1);
  sweep_of("sweep: s\nprobe: training\n" + kA100 + "grid: {" + many + ", device: [cpu, cuda]}\n",
           count);
  CHECK(asked == 3);
  sweep_of("sweep: s\ncommand: train {mbs}\ngrid: {mbs: [1, 2]}\n", count);
  CHECK(asked == 3);
}

TEST_CASE("of a probe that does not answer every value is planned") {
  const auto silent = [](const std::string&, const std::string&) {
    return std::optional<ProbeAbilities>();
  };
  CHECK(error_of("sweep: s\nprobe: training\ngrid: {precision: [fp8]}\n", silent) ==
        "no error, points: 1");
}

TEST_CASE("a model that no probe can run is dropped before it is launched") {
  const Sweep sweep = sweep_of(
      "sweep: s\nprobe: replay\nmodel: {style: llama}\n"
      "points: [{hidden: 64, heads: 4}, {hidden: 60, heads: 4}, {hidden: 66, heads: 4}]\n");
  REQUIRE(sweep.dropped.size() == 2);
  CHECK(sweep.dropped[0].reason ==
        "hidden 60 / heads 4: llama's rotary positions want an even width of a head");
  CHECK(sweep.dropped[1].reason == "heads 4 does not divide hidden 66");
}
