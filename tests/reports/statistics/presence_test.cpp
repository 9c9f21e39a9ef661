// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/presence.h"

#include <set>
#include <string>

#include "reports/statistics/many_tests.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/slow_nodes.h"

using namespace pippin;
using test::node_effects;
using test::Presence;
using test::reference;

namespace {

/// Nodes above the others at a false discovery rate of 5 %; each effect is checked against R's.
std::set<std::string> suspects(const Presence& presence, const nlohmann::json& r) {
  std::vector<double> p;
  const auto effects = node_effects(presence);
  for (std::size_t node = 0; node < effects.size(); ++node) {
    const std::string name = test::node_name(node);
    CAPTURE(name);
    REQUIRE(effects[node]);
    const double t = effects[node]->estimate / effects[node]->se;
    // Both optimise a flat criterion.
    CHECK(effects[node]->estimate ==
          Approx(r.at("delta_log").at(name).get<double>()).epsilon(1e-4).margin(1e-7));
    CHECK(t == Approx(r.at("t").at(name).get<double>()).epsilon(1e-4).margin(1e-5));
    CHECK(effects[node]->df == r.at("df").get<double>());
    p.push_back(t_above(t, effects[node]->df));
    // Of t = 23 a p of 1e-31 moves by hundred times as much as t.
    CHECK(p.back() == test::within(r.at("p_one_sided").at(name), 1e-2));
  }
  const auto adjusted = benjamini_hochberg(p);
  std::set<std::string> found;
  for (std::size_t node = 0; node < adjusted.size(); ++node) {
    CHECK(adjusted[node] == test::within(r.at("BH").at(test::node_name(node)), 1e-2));
    if (adjusted[node] <= 0.05) found.insert(test::node_name(node));
  }
  return found;
}

}  // namespace

TEST_CASE("slow nodes are told by who was there, and no other is") {
  const auto data = test::slow_nodes();
  const auto& r = reference().at("slow_node");
  CHECK(suspects(data.presence, r.at("leave_one_out")) == std::set<std::string>{"n07", "n12"});
}

TEST_CASE("given the network's canary a slow processor stays, and a slow network goes") {
  auto data = test::slow_nodes();
  const auto& r = reference().at("slow_node");
  data.presence.covariates = {data.all_reduce};
  CHECK(suspects(data.presence, r.at("leave_one_out_given_allreduce")) ==
        std::set<std::string>{"n07"});
}

TEST_CASE("a slow network shows in its own canary") {
  auto data = test::slow_nodes();
  const auto& r = reference().at("slow_node");
  data.presence.values = data.all_reduce;
  CHECK(suspects(data.presence, r.at("leave_one_out_allreduce")) == std::set<std::string>{"n12"});
}

TEST_CASE("a node that is always there, or only once, has no effect of its own") {
  const Presence presence{
      {{0, 1}, {0, 2}, {0, 1}, {0, 2}, {0, 3}}, 4, {0.1, 0.2, 0.1, 0.3, 0.2}, {}};
  const auto effects = node_effects(presence);
  REQUIRE(effects.size() == 4);
  CHECK_FALSE(effects[0]);
  CHECK(effects[1]);
  CHECK(effects[2]);
  CHECK_FALSE(effects[3]);
  CHECK(node_effects({{{0}}, 1, {0.1}, {}}).size() == 1);
}
