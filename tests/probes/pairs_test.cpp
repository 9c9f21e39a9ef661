// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/pairs.h"

#include <nlohmann/json.hpp>
#include <set>

#include "probes/comm/nodes.h"
#include "tests/probes/ranks.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::probes;
using namespace pippin::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// All links are 1, but those of `slow` and one more pair.
PairBandwidths links(int players, int slow, double speed, Meeting other = {0, 0},
                     double other_speed = 1) {
  PairBandwidths pairs{players, std::vector<double>(static_cast<std::size_t>(players) * players)};
  for (int a = 0; a < players; ++a)
    for (int b = 0; b < players; ++b) {
      const bool named = (a == other.a && b == other.b) || (a == other.b && b == other.a);
      pairs.gbs[a * players + b] = named ? other_speed : a == slow || b == slow ? speed : 1.0;
    }
  return pairs;
}

}  // namespace

TEST_CASE("a tournament has every pair once and nobody twice in a round") {
  for (int players = 0; players <= 17; ++players) {
    CAPTURE(players);
    const auto rounds = tournament(players);
    std::set<std::pair<int, int>> met;
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const Meeting& meeting : round) {
        CHECK(meeting.a >= 0);
        CHECK(meeting.a < meeting.b);
        CHECK(meeting.b < players);
        CHECK(busy.insert(meeting.a).second);
        CHECK(busy.insert(meeting.b).second);
        CHECK(met.insert({meeting.a, meeting.b}).second);
      }
    }
    CHECK(met.size() == static_cast<std::size_t>(players * (players - 1) / 2));
    // As few rounds as there can be.
    if (players > 1) CHECK(rounds.size() == static_cast<std::size_t>(players - 1 + players % 2));
  }
}

TEST_CASE("the node that slow pairs have in common is suspect") {
  for (const int players : {3, 4, 5, 8})
    for (int slow = 0; slow < players; ++slow)
      CHECK(judge(links(players, slow, 0.5)).suspect == slow);
}

TEST_CASE("one slow pair is named, but no node for it") {
  const auto verdict = judge(links(6, -1, 1, {2, 4}, 0.1));
  CHECK_FALSE(verdict.suspect);
  CHECK(verdict.slowest.a == 2);
  CHECK(verdict.slowest.b == 4);
  CHECK_FALSE(judge(links(2, 0, 0.1)).suspect);  // one pair names neither
  CHECK_FALSE(judge(links(5, 3, 0.9)).suspect);  // that much is noise
}

TEST_CASE("ranks are sorted to their nodes") {
  const Nodes nodes = nodes_of({"b", "b", "a", "b", "a"});
  CHECK(nodes.names == std::vector<std::string>{"b", "a"});
  CHECK(nodes.first_rank == std::vector<int>{0, 2});
  CHECK(nodes.of_rank == std::vector<int>{0, 0, 1, 0, 1});
  CHECK(nodes.local_rank(3) == 2);
  CHECK(nodes.ranks_of(0) == 3);
  CHECK(nodes.name_of(4) == "a");
}

TEST_CASE("every pair of nodes is timed and the slowest named") {
  const Words nodes = {"n1", "n2", "n3"};
  const Outcome table = run_nodes(nodes, {COLLECTIVE_PROBE, "--pairs", "-e", "64K"});
  INFO(table.output);
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.output, Contains("# Pairs: 65536 bytes each way at once, median of 20"));
  CHECK_THAT(table.output, Contains("# Slowest pair         : n"));
  CHECK_THAT(table.output, Contains("# Suspect              : "));
  const Outcome outcome = run_nodes(nodes, {COLLECTIVE_PROBE, "--pairs", "-e", "64K", "--json=-"});
  const Words lines = lines_of(outcome.output);
  REQUIRE(lines.size() == 4);
  std::set<std::string> pairs;
  for (std::size_t i = 0; i < 3; ++i) {
    const json pair = json::parse(lines[i]);
    pairs.insert(pair.at("a").get<std::string>() + pair.at("b").get<std::string>());
    CHECK(pair.at("gbs") > 0);
    CHECK(pair.at("bytes") == 65536);
  }
  CHECK(pairs == std::set<std::string>{"n1n2", "n1n3", "n2n3"});
  CHECK(json::parse(lines[3]).at("record") == "pairs");
}

TEST_CASE("pairs of ranks are as many as a matrix has above its diagonal") {
  const Outcome outcome =
      run_ranks(4, {COLLECTIVE_PROBE, "--pairs", "ranks", "-e", "4K", "--json", "-"});
  INFO(outcome.output);
  CHECK(lines_of(outcome.output).size() == 6 + 1);
  const Outcome one = run_ranks(2, {COLLECTIVE_PROBE, "--pairs"});
  CHECK(one.exit_code == 2);
  CHECK_THAT(one.output, Contains(": --pairs ranks pairs the ranks"));
}
