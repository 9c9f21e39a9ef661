// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/suspects.h"

#include <cmath>

#include "core/base/random.h"
#include "core/base/text.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

double number(const std::string& text) { return parse_number(text).value(); }

/// slow_node.csv: of 16 nodes n07 has a slow processor, n12 a slow network.
std::vector<NoisyAllocation> slow_nodes(bool with_canaries) {
  std::vector<NoisyAllocation> allocations;
  for (const auto& row : test::csv_rows("slow_node.csv")) {
    NoisyAllocation& allocation = allocations.emplace_back();
    allocation.name = row.at(0);
    allocation.day = row.at(1);
    for (const auto name : split(row.at(3), ';')) allocation.nodes.emplace_back(name);
    allocation.effect = std::log(number(row.at(4)));
    if (!with_canaries) continue;
    allocation.all_reduce = std::log(number(row.at(5)));
    allocation.gemm = std::log(number(row.at(6)));
  }
  return allocations;
}

const Suspect* suspect_named(const Blame& blame, const std::string& node) {
  for (const auto& suspect : blame.suspects) {
    if (suspect.nodes == std::vector<std::string>{node}) return &suspect;
  }
  return nullptr;
}

/// Readings of four nodes, always the same; bandwidths by pair, products by node.
struct FourNodes {
  std::vector<double> links{1, 1, 1, 1, 1, 1};  ///< ab ac ad bc bd cd
  std::vector<double> speeds{1, 1, 1, 1};
  double noise = 0.02;

  std::vector<NoisyAllocation> measured(Random& random, int allocations, int readings = 1) const {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    const auto noisy = [&](double value) { return value * std::exp(noise * normal(random)); };
    std::vector<NoisyAllocation> result;
    std::int64_t id = 0;
    for (int i = 0; i < allocations; ++i) {
      NoisyAllocation& allocation = result.emplace_back();
      allocation.name = std::to_string(i);
      allocation.nodes = names;
      allocation.effect = noise * normal(random);
      for (int k = 0; k < readings; ++k) {
        CanaryEvidence& reading = allocation.readings.emplace_back();
        reading.reading = ++id;
        std::vector<double> now;
        for (const double speed : speeds) now.push_back(noisy(speed));
        const auto slowest = std::min_element(now.begin(), now.end());
        reading.gemm.min_tflops = *slowest;
        reading.gemm.slowest_host = names[static_cast<std::size_t>(slowest - now.begin())];
        std::sort(now.begin(), now.end());
        reading.gemm.median_tflops = (now[1] + now[2]) / 2;
        std::size_t link = 0;
        for (std::size_t a = 0; a < 4 && !links.empty(); ++a) {
          for (std::size_t b = a + 1; b < 4; ++b)
            reading.pairs.push_back({names[a], names[b], noisy(links[link++]), {}, {}});
        }
      }
    }
    return result;
  }
};

}  // namespace

TEST_CASE("a slow processor and a slow network are named with their kind, and no other node") {
  const auto blame = blame_for(slow_nodes(true));
  CHECK(blame.suspects.size() == 2);
  const Suspect* compute = suspect_named(blame, "n07");
  REQUIRE(compute);
  CHECK(compute->kind == "compute");
  CHECK(compute->allocations_with == 17);
  CHECK(compute->allocations_without == 43);
  const Suspect* network = suspect_named(blame, "n12");
  REQUIRE(network);
  CHECK(network->kind == "network");
  CHECK_FALSE(network->evidence.empty());
  CHECK(network->p_adjusted < 0.05);
}

TEST_CASE("without canaries slow nodes are named, and of what they suffer is open") {
  const auto blame = blame_for(slow_nodes(false));
  REQUIRE(blame.suspects.size() == 2);
  CHECK(suspect_named(blame, "n07"));
  CHECK(suspect_named(blame, "n12")->kind == "unknown");
}

TEST_CASE("nodes that were always together are suspected together") {
  auto allocations = slow_nodes(false);
  for (auto& allocation : allocations) {
    const auto slow = std::find(allocation.nodes.begin(), allocation.nodes.end(), "n07");
    if (slow != allocation.nodes.end()) allocation.nodes.insert(slow, "n07b");
  }
  const auto blame = blame_for(allocations);
  bool found = false;
  for (const auto& suspect : blame.suspects)
    found = found || suspect.nodes == std::vector<std::string>{"n07", "n07b"};
  CHECK(found);
}

TEST_CASE("of four nodes that are always the same the pairs name the slow one") {
  Random random(1);
  FourNodes nodes;
  nodes.links = {1, 0.1, 1, 0.1, 1, 0.1};  // c's
  const auto blame = blame_for(nodes.measured(random, 5));
  REQUIRE(blame.suspects.size() == 1);
  CHECK(blame.suspects[0].nodes == std::vector<std::string>{"c"});
  CHECK(blame.suspects[0].kind == "network");
  CHECK(std::exp(blame.suspects[0].effect) == Approx(10).epsilon(0.1));
  CHECK(blame.suspects[0].effect_on == "bandwidth");
}

TEST_CASE("one slow link is a link, not its nodes") {
  Random random(2);
  FourNodes nodes;
  nodes.links = {1, 1, 1, 1, 0.3, 1};  // b to d
  const auto blame = blame_for(nodes.measured(random, 5));
  REQUIRE(blame.suspects.size() == 1);
  CHECK(blame.suspects[0].is_link);
  CHECK(blame.suspects[0].nodes == std::vector<std::string>{"b", "d"});
}

TEST_CASE("the node of the slowest product is a compute suspect, in one allocation, too") {
  Random random(3);
  FourNodes nodes;
  nodes.speeds = {1, 0.5, 1, 1};
  for (const auto& [allocations, readings] : {std::pair(5, 1), std::pair(1, 6)}) {
    const auto blame = blame_for(nodes.measured(random, allocations, readings));
    REQUIRE(blame.suspects.size() == 1);
    CHECK(blame.suspects[0].nodes == std::vector<std::string>{"b"});
    CHECK(blame.suspects[0].kind == "compute");
  }
}

TEST_CASE("healthy nodes are hardly ever named") {
  Random random(4);
  int named = 0;
  for (int i = 0; i < 200; ++i)
    named += static_cast<int>(!blame_for(FourNodes{}.measured(random, 5)).suspects.empty());
  CHECK(named <= 16);  // 5 %, and three sd
}

TEST_CASE("where nobody can be named it says why") {
  CHECK_THAT(blame_for({}).none_because, Contains("not known"));
  Random random(5);
  auto same = FourNodes{}.measured(random, 8, 0);
  CHECK_THAT(blame_for(same).none_because, Contains("the same nodes"));
  std::vector<NoisyAllocation> healthy;
  for (int i = 0; i < 60; ++i) {
    NoisyAllocation& allocation = healthy.emplace_back();
    allocation.name = std::to_string(i);
    std::vector<std::string> nodes;
    for (int n = 0; n < 16; ++n) nodes.push_back("n" + std::to_string(n));
    random.shuffle(nodes);
    allocation.nodes.assign(nodes.begin(), nodes.begin() + 4);
    allocation.effect = 0.05 * normal(random);
  }
  const auto blame = blame_for(healthy);
  CHECK(blame.suspects.empty());
  CHECK_THAT(blame.none_because, Contains("longer would have been in 4 of 5 cases"));
}

namespace {

/// Tables of the network without runs: readings of FourNodes, by node.
std::vector<NoisyAllocation> collected_from(std::vector<NoisyAllocation> allocations) {
  for (auto& allocation : allocations) allocation.name.clear();
  return allocations;
}

}  // namespace

TEST_CASE("the product of each node names the slow one in one reading") {
  Random random(1);
  FourNodes nodes;
  nodes.links.clear();
  auto allocations = nodes.measured(random, 1);
  CanaryEvidence& reading = allocations[0].readings[0];
  reading.gemm = {};
  reading.by_node = {
      {"a", "0", 10, 10}, {"b", "1", 10.1, 10.1}, {"c", "2", 5, 5}, {"d", "3", 9.9, 9.9}};
  const auto blame = blame_for(allocations);
  REQUIRE(blame.suspects.size() == 1);
  CHECK(blame.suspects[0].nodes == std::vector<std::string>{"c"});
  CHECK(blame.suspects[0].kind == "compute");
  CHECK(blame.suspects[0].effect_on == "GEMM");
  reading.by_node[2].min_tflops = 9.8;
  CHECK(blame_for(allocations).suspects.empty());
}

TEST_CASE("one table of pairs that was collected names a slow node, and a slow link") {
  Random random(2);
  FourNodes runs, table;
  runs.links.clear();
  table.links = {1, 0.1, 1, 0.1, 1, 0.1};  // c's
  auto blame = blame_for(runs.measured(random, 5), collected_from(table.measured(random, 1)));
  REQUIRE(blame.suspects.size() == 1);
  CHECK(blame.suspects[0].nodes == std::vector<std::string>{"c"});
  CHECK(blame.suspects[0].kind == "network");
  CHECK_THAT(blame.suspects[0].evidence.at(0), Contains("collected"));

  table.links = {1, 0.1, 1, 1, 1, 1};  // a – c
  blame = blame_for(runs.measured(random, 5), collected_from(table.measured(random, 1)));
  REQUIRE(blame.suspects.size() == 1);
  CHECK(blame.suspects[0].is_link);
  CHECK(blame.suspects[0].nodes == std::vector<std::string>{"a", "c"});

  table.links = {1, 1, 1, 1, 1, 1};
  CHECK(blame_for(runs.measured(random, 5), collected_from(table.measured(random, 1)))
            .suspects.empty());
}

TEST_CASE("a node whose ranks compute longest is named") {
  Random random(3);
  FourNodes nodes;
  nodes.links.clear();
  auto allocations = nodes.measured(random, 6);
  for (auto& allocation : allocations) {
    allocation.readings.clear();
    allocation.computing = {
        {"a", 0.002}, {"b", 0.001}, {"c", 0.2 + 0.01 * normal(random)}, {"d", 0}};
  }
  const auto blame = blame_for(allocations);
  REQUIRE(blame.suspects.size() == 1);
  CHECK(blame.suspects[0].nodes == std::vector<std::string>{"c"});
  CHECK(blame.suspects[0].kind == "compute");
}

TEST_CASE("equal nodes that take turns as the slowest are not blamed for it") {
  Random random(4);
  FourNodes nodes;
  nodes.links.clear();
  for (int round = 0; round < 20; ++round) {
    auto allocations = nodes.measured(random, 6);
    for (auto& allocation : allocations) {
      allocation.readings.clear();
      // Of 20 lines each node is the slowest in about five, by 30 %.
      for (const auto& node : allocation.nodes) allocation.computing[node] = 0;
      for (int line = 0; line < 20; ++line)
        allocation.computing[allocation.nodes[random.below(4)]] += 0.3 / 20;
    }
    CHECK(blame_for(allocations).suspects.empty());
  }
}

TEST_CASE("a link much slower than its nodes' others is named in their place") {
  Random random(5);
  FourNodes nodes;
  nodes.links = {1, 1, 1, 1, 1, 0.4};  // c – d
  for (int round = 0; round < 20; ++round) {
    const auto blame = blame_for(nodes.measured(random, 6));
    REQUIRE(blame.suspects.size() == 1);
    CHECK(blame.suspects[0].is_link);
    CHECK(blame.suspects[0].nodes == std::vector<std::string>{"c", "d"});
    CHECK(blame.suspects[0].kind == "network");
  }
}
