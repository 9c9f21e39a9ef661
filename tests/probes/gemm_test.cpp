// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>

#include "probes/common/error.h"
#include "probes/gemm/products.h"
#include "probes/gemm/report.h"
#include "tests/probes/ranks.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::probes;
using namespace pippin::test;
using Catch::Contains;
using nlohmann::json;

namespace {

using Shape = std::vector<std::int64_t>;

/// m, n, k, batch by "layer pass".
std::map<std::string, Shape> shapes_of(const Setup& setup) {
  std::map<std::string, Shape> shapes;
  for (const auto& p : products_of(setup))
    shapes[p.layer + " " + p.pass_name()] = {p.m(), p.n(), p.k(), p.batch()};
  return shapes;
}

Outcome gemm(int ranks, Words options) {
  options.insert(options.begin(), GEMM_PROBE);
  return run_ranks(ranks, options);
}

}  // namespace

TEST_CASE("the products of a GPT-2 layer have the shapes of its matrices") {
  Setup setup;
  setup.hidden = 1024, setup.heads = 16, setup.seq = 512, setup.mbs = 2, setup.tp = 4;
  setup.vocab = 50257;
  const auto shapes = shapes_of(setup);
  CHECK(shapes.size() == 5 * 3 + 2);
  CHECK(shapes.at("qkv forward") == Shape{1024, 768, 1024, 1});
  CHECK(shapes.at("qkv input_gradient") == Shape{1024, 1024, 768, 1});
  CHECK(shapes.at("qkv weight_gradient") == Shape{768, 1024, 1024, 1});
  CHECK(shapes.at("attention forward") == Shape{512, 512, 64, 8});
  CHECK(shapes.at("attention_out forward") == Shape{1024, 1024, 256, 1});
  CHECK(shapes.at("mlp_up forward") == Shape{1024, 1024, 1024, 1});
  CHECK(shapes.at("mlp_down weight_gradient") == Shape{1024, 1024, 1024, 1});
  CHECK(shapes.at("logits forward") == Shape{1024, 50688 / 4, 1024, 1});
}

TEST_CASE("a Llama layer has a gate beside what goes up and fewer keys and values") {
  Setup setup;
  setup.style = "llama", setup.hidden = 4096, setup.heads = 32, setup.kv_heads = 8;
  setup.ffn = 14336, setup.seq = 100, setup.tp = 2;
  const auto shapes = shapes_of(setup);
  CHECK(shapes.at("qkv forward") == Shape{100, (4096 + 2 * 1024) / 2, 4096, 1});
  CHECK(shapes.at("mlp_up forward") == Shape{100, 14336, 4096, 1});
  CHECK(shapes.at("mlp_down forward") == Shape{100, 4096, 7168, 1});
  CHECK(shapes.at("attention backward") == Shape{100, 100, 128, 16});
}

TEST_CASE("operations are counted as by hand") {
  for (const auto& product : linear_products("x", 3, 5, 7)) CHECK(product.flops() == 210);
  Setup setup;
  setup.hidden = 8, setup.heads = 2, setup.seq = 3, setup.mbs = 5;
  std::map<std::string, double> flops;
  for (const auto& p : products_of(setup)) flops[p.layer + " " + p.pass_name()] = p.flops();
  // 10 heads, of each 1 + 2 + 3 scores, 2 products of 2·4 operations a score.
  CHECK(flops.at("attention forward") == 10 * 6 * 2 * 8);
  CHECK(flops.at("attention backward") == 2 * flops.at("attention forward"));
  CHECK(flops.at("qkv forward") == 2 * 15 * 24 * 8);
}

TEST_CASE("a layout that does not divide has an exit code of its own") {
  for (const auto& [options, words] :
       std::map<Words, std::string>{{{"--tp", "3"}, "--tp 3 does not divide --heads 4"},
                                    {{"--tp", "4", "--ffn", "6"}, "does not divide --ffn 6"},
                                    {{"--heads", "5"}, "--heads 5 does not divide --hidden 64"}}) {
    const Outcome outcome = gemm(1, options);
    CHECK(outcome.exit_code == 13);
    CHECK_THAT(outcome.output, Contains(words));
  }
  const Outcome some = gemm(1, {"--m", "3"});
  CHECK(some.exit_code == 2);
  CHECK_THAT(some.output, Contains("--m, --n and --k belong together"));
}

TEST_CASE("speeds of ranks add up to nodes over the time of all products") {
  const auto products = linear_products("x", 100, 100, 100);
  const std::vector<ProductResult> results = {
      {products[0], {{1, 2, 4, 3}, {2, 2, 2, 3}, {1, 1, 1, 3}}},
      {products[1], {{1, 6, 8, 3}, {2, 2, 2, 3}, {1, 1, 1, 3}}}};
  const auto speeds = speeds_of_ranks(results);
  CHECK(speeds[0].median == Approx(3));  // 2 / (1/2 + 1/6)
  CHECK(speeds[0].min == Approx(1));
  CHECK(speeds[0].repetitions == 6);
  const auto nodes = speeds_of_nodes(speeds, nodes_of({"a", "a", "b"}));
  CHECK(nodes[0] == Approx(5));
  CHECK(nodes[1] == Approx(1));
  CHECK(slowest_rank(speeds) == 2);
}

TEST_CASE("every product has its speed on every rank") {
  for (const int ranks : {1, 2}) {
    const Outcome outcome = gemm(ranks, {"--seconds", "0.1", "--threads", "2", "--json", "-"});
    INFO(outcome.output);
    CHECK(outcome.exit_code == 0);
    std::map<std::string, int> records;
    for (const auto& line : lines_of(outcome.output)) {
      const json one = json::parse(line);
      ++records[one.at("record").get<std::string>()];
      CHECK(one.at("tflops_median") > 0);
      if (one.at("record") != "gemm") continue;
      CHECK(one.at("repetitions") >= 3);
      CHECK(one.at("tflops_min") <= one.at("tflops_median"));
      CHECK(one.at("tflops_median") <= one.at("tflops_max"));
    }
    CHECK(records ==
          std::map<std::string, int>{
              {"gemm", 17 * ranks}, {"gemm_rank", ranks}, {"gemm_node", 1}, {"gemm_slowest", 1}});
  }
}

TEST_CASE("one product can be given by its sizes") {
  const Outcome outcome = gemm(1, {"--m", "30", "--n", "20", "--k", "10", "--seconds", "0"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  Words row;
  for (const auto& line : lines_of(outcome.output))
    if (line.find(" given ") != std::string::npos) row = words_of(line);
  REQUIRE(row.size() == 11);
  CHECK(Words(row.begin() + 2, row.begin() + 6) == Words{"30", "20", "10", "1"});
  CHECK_THAT(outcome.output, Contains("# Slowest rank         : 0 on "));
}

TEST_CASE("products are timed step by step with what they count") {
  const Outcome given =
      gemm(2, {"--m", "30", "--n", "20", "--k", "10", "--iterations", "2", "--step-ms", "0.1"});
  INFO(given.output);
  CHECK(given.exit_code == 0);
  CHECK_THAT(given.output, Contains(" > point: m=30 n=20 k=10 precision=fp32 ranks=2 device=cpu "
                                    "flops=12000\n step        1/       2 | time (us): ") &&
                               Contains("\n > done: 2 steps\n"));
  const Outcome layer = gemm(1, {"--iterations", "1", "--step-ms", "0", "--tp", "2"});
  INFO(layer.output);
  CHECK_THAT(layer.output,
             Contains(" > point: tp=2 mbs=1 style=gpt2 hidden=64 ") && Contains("| calls: 1\n"));
  const Outcome refused = gemm(1, {"--iterations", "1", "--json", "-"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.output, Contains("gemm: --iterations prints steps, no --json"));
}
