#pragma once

#include <cstddef>
#include <vector>

#include "reports/statistics/difference.h"
#include "reports/statistics/linear.h"

namespace pippin {

/// Which nodes each allocation had, and what was measured there.
struct Presence {
  std::vector<std::vector<std::size_t>>
      members;  ///< of each allocation, node numbers below `nodes`
  std::size_t nodes = 0;
  std::vector<double> values;  ///< logarithms, one an allocation
  Columns covariates;          ///< what each allocation is adjusted for
};

/// How much longer an allocation takes that has a node than one that has not, for each node: that
/// node is a fixed effect, all others are random ones that add up (multiple membership), by REML.
/// Nothing where fewer than two allocations have the node, or are without it, or others always
/// stand in for it. A plain comparison of with and without blames nodes that chance has kept away
/// from the slow ones.
/// Source: Browne, Goldstein and Rasbash, "Multiple membership multiple classification models",
/// 2001; the externally studentised effect: Cook and Weisberg 1982.
std::vector<std::optional<Difference>> node_effects(const Presence& presence);

}  // namespace pippin
