// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "reports/statistics/difference.h"
#include "reports/statistics/linear.h"

namespace pippin {

/// Which nodes each allocation had: numbers below a count, by allocation.
using Members = std::vector<std::vector<std::size_t>>;

/// How much longer an allocation takes that has a node than one that has not, for each node: that
/// node is a fixed effect, all others are random ones that add up (multiple membership), by REML. A
/// plain comparison of with and without blames nodes that chance has kept away from the slow ones.
/// What does not depend on the values is worked out once.
/// Source: Browne, Goldstein and Rasbash, "Multiple membership multiple classification models",
/// 2001; the externally studentised effect: Cook and Weisberg 1982.
class Membership {
 public:
  /// Requires an allocation and a node. Takes time as the cube of their lesser number.
  Membership(const Members& members, std::size_t nodes);
  ~Membership();
  Membership(Membership&&) noexcept;
  Membership& operator=(Membership&&) noexcept;

  /// The effect of each node on `values`, logarithms, one an allocation, adjusted for covariates.
  /// Nothing where fewer than two allocations have the node, or are without it, or others always
  /// stand in for it. Of the nodes `wanted`, in that order; of all where none is named.
  std::vector<std::optional<Difference>> effects(const std::vector<double>& values,
                                                 const Columns& covariates,
                                                 std::vector<std::size_t> wanted = {}) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace pippin
