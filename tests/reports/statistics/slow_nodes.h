// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/statistics/presence.h"

namespace pippin::test {

/// Which nodes each allocation had, and what was measured there.
struct Presence {
  Members members;
  std::size_t nodes = 0;
  std::vector<double> values;  ///< logarithms, one an allocation
  Columns covariates;          ///< what each allocation is adjusted for
};

std::vector<std::optional<Difference>> node_effects(const Presence& presence);

/// slow_node.csv: 16 nodes, 60 allocations of 4; n07 has a slow processor, n12 a slow network.
struct SlowNodes {
  Presence presence;               ///< with the logarithms of run means
  std::vector<double> all_reduce;  ///< logarithms of that canary
};
SlowNodes slow_nodes();

/// "n07" of node 6.
std::string node_name(std::size_t node);

}  // namespace pippin::test
