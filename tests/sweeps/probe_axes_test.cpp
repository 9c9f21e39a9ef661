// SPDX-License-Identifier: Apache-2.0
// Sweeps of the probes that train nothing: collective and gemm.
#include "sweeps/estimate/measured.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using test::error_of;
using test::sweep_of;
using Texts = std::vector<std::string>;

namespace {

Texts names_of(const Sweep& sweep) {
  Texts names;
  for (const auto& point : sweep.points) names.push_back(point.name);
  return names;
}

Texts reasons_of(const Sweep& sweep) {
  Texts reasons;
  for (const auto& one : sweep.dropped) reasons.push_back(one.reason);
  return reasons;
}

std::string error_in(const std::string& probe, const std::string& rest) {
  return error_of("sweep: s\nprobe: " + probe + "\n" + rest);
}

}  // namespace

TEST_CASE("a collective's point is a call and its ranks, and no layout or model") {
  const Sweep sweep =
      sweep_of("sweep: s\nprobe: collective\ngrid: {bytes: [64K, 8], ranks: [2, 4]}\n");
  CHECK(names_of(sweep) ==
        Texts{"collective-64K-all_reduce-float-2ranks", "collective-64K-all_reduce-float-4ranks",
              "collective-8-all_reduce-float-2ranks", "collective-8-all_reduce-float-4ranks"});
  const Point& point = sweep.points.front();
  CHECK(point.layout.gpus == 2);
  CHECK_FALSE(point.layout.tp);
  CHECK_FALSE(point.layout.gbs);
  CHECK(point.model == Model());
  CHECK(find_value(point.axes, "bytes")->text == "65536");
  CHECK(find_value(point.axes, "op")->text == "all_reduce");
}

TEST_CASE("a size is the same point however it is written") {
  const Sweep letters = sweep_of("sweep: s\nprobe: collective\ngrid: {bytes: [4M]}\n");
  const Sweep digits = sweep_of("sweep: s\nprobe: collective\ngrid: {bytes: [4194304]}\n");
  CHECK(letters.points.front().id == digits.points.front().id);
  CHECK(reasons_of(
            sweep_of("sweep: s\nprobe: collective\ngrid: {bytes: [1K, 1024], ranks: [2]}\n")) ==
        Texts{"same as collective-1K-all_reduce-float-2ranks"});
}

TEST_CASE("nodes are as many ranks as the cluster's nodes have GPUs") {
  const Sweep sweep = sweep_of(
      "sweep: s\nprobe: collective\ncluster: jean-zay-v100-32g\n"
      "grid: {nodes: [1, 4]}\nfixed: {bytes: 1M}\n");
  REQUIRE(sweep.points.size() == 2);
  CHECK(sweep.points[0].layout.gpus == 4);
  CHECK(sweep.points[1].layout.gpus == 16);
  CHECK(error_in("collective", "grid: {nodes: [2], bytes: [8]}\n") ==
        "sweep.yaml:3: nodes: cluster local does not say how many ranks a node takes; sweep ranks");
}

TEST_CASE("what a collective is not told of is refused") {
  CHECK(error_in("collective", "grid: {ranks: [2]}\n") ==
        "sweep.yaml:1: probe collective needs bytes: an axis of grid, or fixed: {bytes: 4M}");
  CHECK(error_in("collective", "grid: {bytes: [8]}\nfixed: {tp: 2}\n") ==
        "sweep.yaml:4: probe collective has no option tp");
  CHECK(error_in("collective", "grid: {bytes: [8]}\nmodel: 52B\n") ==
        "sweep.yaml:4: probe collective has no model");
  CHECK(error_in("collective", "grid: {bytes: [8], ranks: [2]}\ngpus: 2\n") ==
        "sweep.yaml:3: gpus and ranks both say how many ranks there are; give one");
  CHECK(error_in("collective", "grid: {bytes: [8], ranks: [2], nodes: [1]}\n") ==
        "sweep.yaml:3: ranks and nodes both say how many ranks there are; give one");
  CHECK(error_in("gemm", "grid: {layers: [2]}\n") ==
        "sweep.yaml:3: probe gemm has no option layers");
  CHECK(error_in("training", "grid: {ranks: [2]}\n") ==
        "sweep.yaml:3: 'ranks' cannot be the name of an axis: {ranks} means something else in a "
        "command");
}

TEST_CASE("calls that cannot be made are dropped with the reason") {
  const Sweep sweep = sweep_of(
      "sweep: s\nprobe: collective\nfixed: {ranks: 2}\npoints:\n"
      "  - {bytes: 64}\n  - {bytes: 8, op: all_gather}\n  - {bytes: 8, type: uint8}\n"
      "  - {bytes: 8, op: reduce, redop: max}\n  - {bytes: 8, op: broadcast, root: 2}\n"
      "  - {bytes: 8, op: all}\n  - {op: reduce}\n  - {bytes: 8, op: broadcast, root: 1, type: "
      "uint8}\n");
  CHECK(sweep.points.size() == 2);
  CHECK(reasons_of(sweep) == Texts{"bytes 8 is nothing to send by all_gather over 2 ranks",
                                   "type uint8 can be moved, not reduced by all_reduce",
                                   "redop max is for all_reduce, not reduce",
                                   "root 2 is not among 2 ranks, counted from 0",
                                   "op all is all of them: sweep them by name",
                                   "bytes is missing"});
}

TEST_CASE("products are given by their sizes, or by a model and its layout") {
  const Sweep given =
      sweep_of("sweep: s\nprobe: gemm\ngrid: {m: [256, 512]}\nfixed: {n: 256, k: 64, ranks: 2}\n");
  CHECK(names_of(given) ==
        Texts{"gemm-m256-n256-k64-fp32-2ranks", "gemm-m512-n256-k64-fp32-2ranks"});
  CHECK(given.points.front().model == Model());
  CHECK_FALSE(given.points.front().layout.tp);
  CHECK(product_flops(given.points.front()) == 2.0 * 256 * 256 * 64);

  const Sweep model = sweep_of(
      "sweep: s\nprobe: gemm\ngrid: {tp: [1, 3], size: [1.3B]}\nfixed: {mbs: 2, ranks: 3}\n");
  CHECK(names_of(model) == Texts{"gemm-1.3b-tp1-mbs2-fp32-3ranks"});
  CHECK_FALSE(model.points.front().model.layers);
  CHECK_FALSE(model.points.front().layout.dp);
  CHECK(reasons_of(model) == Texts{"tp 3 does not divide heads 16"});

  CHECK(reasons_of(sweep_of("sweep: s\nprobe: gemm\npoints: [{m: 2, n: 2, k: 2}, {m: 2}]\n")) ==
        Texts{"m, n and k belong together"});
}

TEST_CASE("bus bandwidth has the factors of nccl-tests") {
  const auto of = [](std::string_view operation, std::int64_t bytes, std::int64_t ranks) {
    return bus_bandwidth_gb_per_s({operation, bytes, "float", ranks}, 1e-3).value_or(0);
  };
  constexpr std::int64_t kMillion = 1'000'000;
  CHECK(of("all_reduce", kMillion, 4) == Approx(1.5));
  CHECK(of("all_gather", kMillion, 4) == Approx(0.75));
  CHECK(of("reduce_scatter", kMillion, 2) == Approx(0.5));
  CHECK(of("all_to_all", kMillion, 2) == Approx(0.5));
  for (const char* whole : {"broadcast", "reduce", "sendrecv"})
    CHECK(of(whole, kMillion, 4) == Approx(1.0));
  CHECK(of("all_reduce", kMillion, 1) == 0);
  CHECK(of("nothing", kMillion, 2) == 0);
}

TEST_CASE("only whole elements are sent, and parts in multiples of 16 bytes") {
  CHECK(bytes_sent({"all_reduce", 11, "float", 2}) == 8);
  CHECK(bytes_sent({"all_gather", 100, "float", 3}) == 96);
  CHECK(bytes_sent({"all_gather", 40, "double", 2}) == 32);
  CHECK(bytes_sent({"all_gather", 8, "float", 2}) == 0);
  CHECK_FALSE(bytes_sent({"all_gather", 8, "int", 2}));
}
