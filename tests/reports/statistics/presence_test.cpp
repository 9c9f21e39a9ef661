#include "reports/statistics/presence.h"

#include <cmath>
#include <set>
#include <string>

#include "core/base/text.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::reference;

namespace {

/// Which nodes each allocation had, and what was measured there.
struct Presence {
  Members members;
  std::size_t nodes = 0;
  std::vector<double> values;
  Columns covariates;
};

std::vector<std::optional<Difference>> node_effects(const Presence& presence) {
  return Membership(presence.members, presence.nodes).effects(presence.values, presence.covariates);
}

/// slow_node.csv: 16 nodes, 60 allocations of 4.
struct SlowNode {
  Presence presence;
  std::vector<double> all_reduce;  ///< logarithms
};

SlowNode slow_node() {
  SlowNode data;
  data.presence.nodes = 16;
  for (const auto& row : test::csv_rows("slow_node.csv")) {
    auto& members = data.presence.members.emplace_back();
    for (const auto name : split(row.at(3), ';'))
      members.push_back(static_cast<std::size_t>(parse_number(name.substr(1)).value()) - 1);
    data.presence.values.push_back(std::log(parse_number(row.at(4)).value()));
    data.all_reduce.push_back(std::log(parse_number(row.at(5)).value()));
  }
  return data;
}

std::string name_of(std::size_t node) { return fmt::format("n{:02}", node + 1); }

/// Nodes above the others at a false discovery rate of 5 %; each effect is checked against R's.
std::set<std::string> suspects(const Presence& presence, const nlohmann::json& r) {
  std::vector<double> p;
  const auto effects = node_effects(presence);
  for (std::size_t node = 0; node < effects.size(); ++node) {
    const std::string name = name_of(node);
    CAPTURE(name);
    REQUIRE(effects[node]);
    const double t = effects[node]->estimate / effects[node]->se;
    // Both optimise a flat criterion.
    CHECK(effects[node]->estimate ==
          Approx(r.at("delta_log").at(name).get<double>()).epsilon(1e-4).margin(1e-7));
    CHECK(t == Approx(r.at("t").at(name).get<double>()).epsilon(1e-4).margin(1e-5));
    CHECK(effects[node]->df == r.at("df").get<double>());
    p.push_back(t_above(t, effects[node]->df));
  }
  const auto adjusted = benjamini_hochberg(p);
  std::set<std::string> found;
  for (std::size_t node = 0; node < adjusted.size(); ++node) {
    if (adjusted[node] <= 0.05) found.insert(name_of(node));
  }
  return found;
}

}  // namespace

TEST_CASE("slow nodes are told by who was there, and no other is") {
  const auto data = slow_node();
  const auto& r = reference().at("slow_node");
  CHECK(suspects(data.presence, r.at("leave_one_out")) == std::set<std::string>{"n07", "n12"});
}

TEST_CASE("given the network's canary a slow processor stays, and a slow network goes") {
  auto data = slow_node();
  const auto& r = reference().at("slow_node");
  data.presence.covariates = {data.all_reduce};
  CHECK(suspects(data.presence, r.at("leave_one_out_given_allreduce")) ==
        std::set<std::string>{"n07"});
}

TEST_CASE("a slow network shows in its own canary") {
  auto data = slow_node();
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
