// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/slow_nodes.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/reports/statistics/series.h"

namespace pippin::test {

std::vector<std::optional<Difference>> node_effects(const Presence& presence) {
  return Membership(presence.members, presence.nodes).effects(presence.values, presence.covariates);
}

SlowNodes slow_nodes() {
  SlowNodes data;
  data.presence.nodes = 16;
  for (const auto& row : csv_rows("slow_node.csv")) {
    auto& members = data.presence.members.emplace_back();
    for (const auto name : split(row.at(3), ';'))
      members.push_back(static_cast<std::size_t>(parse_number(name.substr(1)).value()) - 1);
    data.presence.values.push_back(std::log(parse_number(row.at(4)).value()));
    data.all_reduce.push_back(std::log(parse_number(row.at(5)).value()));
  }
  return data;
}

std::string node_name(std::size_t node) { return fmt::format("n{:02}", node + 1); }

}  // namespace pippin::test
