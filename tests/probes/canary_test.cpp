#include <nlohmann/json.hpp>
#include <set>

#include "tests/probes/ranks.h"
#include "tests/support/catch.h"

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
                                               "tflops_max", "slowest_rank", "slowest_host"});
  CHECK(gemm["tflops_min"] > 0);
  CHECK(gemm["tflops_min"] <= gemm["tflops_median"]);
  CHECK(gemm["tflops_median"] <= gemm["tflops_max"]);
  CHECK(gemm["slowest_rank"] < reading["ranks"]);
  for (const auto& one : reading["all_reduce"]) {
    CHECK(keys_of(one) == std::set<std::string>{"bytes", "time_us_min", "time_us_median",
                                                "time_us_p99", "busbw_gbs_median"});
    CHECK(one["time_us_min"] <= one["time_us_median"]);
    CHECK(one["time_us_median"] <= one["time_us_p99"]);
  }
  for (const auto& pair : reading["pairs"]) {
    CHECK(keys_of(pair) == std::set<std::string>{"a", "b", "gbs"});
    CHECK(pair["gbs"] > 0);
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
