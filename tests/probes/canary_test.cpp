// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/files.h"
#include "tests/probes/ranks.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::test;
using Catch::StartsWith;
using nlohmann::json;

namespace {

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items()) keys.insert(item.key());
  return keys;
}

/// The last line, after what the contract says of all of them.
json reading_of(const Outcome& outcome) {
  INFO(outcome.output);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE_THAT(outcome.output, StartsWith(" > probe: pippin canary 1\n"));
  const json reading = json::parse(lines_of(outcome.output).back());
  CHECK(keys_of(reading) == std::set<std::string>{"canary", "seconds", "ranks", "nodes", "library",
                                                  "gemm", "all_reduce", "pairs"});
  CHECK(reading["canary"] == 1);
  const json& gemm = reading["gemm"];
  CHECK(keys_of(gemm) == std::set<std::string>{"m", "n", "k", "tflops_min", "tflops_median",
                                               "tflops_max", "slowest_rank", "slowest_host",
                                               "by_node"});
  CHECK(gemm["tflops_min"] > 0);
  CHECK(gemm["tflops_min"] <= gemm["tflops_median"]);
  CHECK(gemm["tflops_median"] <= gemm["tflops_max"]);
  CHECK(gemm["slowest_rank"] < reading["ranks"]);
  REQUIRE(gemm["by_node"].size() == reading["nodes"]);
  double lowest = gemm["tflops_max"];
  for (const auto& node : gemm["by_node"]) {
    CHECK(keys_of(node) == std::set<std::string>{"node", "ranks", "tflops_min", "tflops_median"});
    lowest = std::min(lowest, node["tflops_min"].get<double>());
  }
  CHECK(lowest == gemm["tflops_min"]);
  for (const auto& one : reading["all_reduce"]) {
    CHECK(keys_of(one) == std::set<std::string>{"bytes", "time_us_min", "time_us_median",
                                                "time_us_p99", "busbw_gbs_median"});
    CHECK(one["time_us_min"] <= one["time_us_median"]);
    CHECK(one["time_us_median"] <= one["time_us_p99"]);
  }
  for (const auto& pair : reading["pairs"]) {
    CHECK(keys_of(pair) == std::set<std::string>{"a", "b", "bytes", "iterations", "gbs"});
    CHECK(pair["gbs"] > 0);
    CHECK(pair["bytes"] >= 64 * 1024);
    CHECK(pair["iterations"] >= 3);
  }
  return reading;
}

}  // namespace

TEST_CASE("a canary alone reads its product within its seconds") {
  const json reading = reading_of(run_ranks(1, {CANARY_PROBE, "--seconds", "0.5"}));
  CHECK(reading["ranks"] == 1);
  CHECK(reading["nodes"] == 1);
  CHECK(reading["all_reduce"].empty());
  CHECK(reading["pairs"].empty());
  CHECK(reading["seconds"] > 0.2);
  CHECK(reading["seconds"] < 0.5 + 1.5);  // a busy machine may keep it from its processor
}

TEST_CASE("a canary of several ranks reads latency and bandwidth") {
  for (const int ranks : {2, 4}) {
    const json reading =
        reading_of(run_ranks(ranks, {CANARY_PROBE, "--seconds", "0.5", "--threads", "1"}));
    CHECK(reading["ranks"] == ranks);
    CHECK(reading["nodes"] == 1);
    REQUIRE(reading["all_reduce"].size() == 2);
    CHECK(reading["all_reduce"][0]["bytes"] == 8);
    CHECK(reading["all_reduce"][1]["bytes"] >= 64 * 1024);
    CHECK(reading["pairs"].empty());
  }
}

TEST_CASE("a canary of several nodes reads every pair of them") {
  const json reading =
      reading_of(run_nodes({"n1", "n2", "n3"}, {CANARY_PROBE, "--seconds", "0.8"}));
  CHECK(reading["nodes"] == 3);
  REQUIRE(reading["pairs"].size() == 3);
  CHECK(reading["pairs"][0]["a"] == "n1");
  CHECK(reading["pairs"][0]["b"] == "n2");
  CHECK(reading["pairs"][2]["a"] == "n2");
  CHECK(reading["pairs"][2]["b"] == "n3");
  CHECK(reading["gemm"]["slowest_host"].get<std::string>()[0] == 'n');
}

TEST_CASE("a canary says which ranks were on which node") {
  const json reading =
      reading_of(run_nodes({"a", "a", "b", "a"}, {CANARY_PROBE, "--seconds", "0.5"}));
  const json& by_node = reading["gemm"]["by_node"];
  CHECK(by_node[0]["node"] == "a");
  CHECK(by_node[0]["ranks"] == "0-1,3");
  CHECK(by_node[1]["node"] == "b");
  CHECK(by_node[1]["ranks"] == "2");
}

TEST_CASE("the first reading of a folder sets the sizes of those of its shape") {
  const TemporaryDirectory folder;
  const fs::path kept = folder / "canary-sizes-cpu-2-ranks-2-nodes";
  const auto read = [&](const std::vector<std::string>& nodes) {
    return run_nodes(nodes,
                     {CANARY_PROBE, "--seconds", "0.3", "--sizes-in", folder.path().string()});
  };
  const json first = reading_of(read({"a", "b"}));
  CHECK(read_input(kept) == "side=" + first["gemm"]["m"].dump() +
                                " bytes=" + first["all_reduce"][1]["bytes"].dump() +
                                " pair_bytes=" + first["pairs"][0]["bytes"].dump() + "\n");

  // Sizes that no reading would have chosen are taken over, and stay.
  disk().write(kept, "side=96 bytes=65536 pair_bytes=131072\n");
  const json second = reading_of(read({"a", "b"}));
  CHECK(second["gemm"]["m"] == 96);
  CHECK(second["all_reduce"][1]["bytes"] == 65536);
  CHECK(second["pairs"][0]["bytes"] == 131072);
  CHECK(read_input(kept) == "side=96 bytes=65536 pair_bytes=131072\n");

  // Another shape has its own.
  CHECK(reading_of(read({"a", "a"}))["all_reduce"].size() == 2);
  CHECK(fs::exists(folder / "canary-sizes-cpu-2-ranks-1-nodes"));

  disk().write(kept, "side=96 bytes=-1 pair_bytes=131072\n");
  const Outcome bad = read({"a", "b"});
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.output, Catch::Contains("holds no sizes of a canary"));
}

TEST_CASE("a canary's message has the size that is asked for") {
  const json reading =
      reading_of(run_nodes({"a", "b"}, {CANARY_PROBE, "--seconds", "0.3", "--bytes", "8M"}));
  CHECK(reading["all_reduce"][1]["bytes"] == 8 << 20);
  CHECK(reading["pairs"][0]["bytes"] == 8 << 20);
}
