// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reports/statistics/difference.h"

namespace pippin {

/// What was measured of one row: the mean logarithm of each allocation that it ran in.
struct RowMeans {
  std::vector<std::size_t> allocations;  ///< ascending numbers; rows share an allocation's number
  std::vector<double> values;
};

/// How far `row` lies above `base`.
struct RowDifference {
  std::optional<Difference> difference;
  bool paired = false;  ///< within the allocations that both ran in
};

/// Paired within shared allocations where there are two or more of them and either row has no more
/// than as many others; else Welch's on allocation means.
RowDifference row_difference(const RowMeans& base, const RowMeans& row);

/// Which row is the fastest, and which cannot be told from it.
struct BestRow {
  std::size_t best = 0;  ///< of the smallest mean, unless another is surely faster than that one
  std::vector<RowDifference> from_best;  ///< one for each row; of the best itself nothing
  std::vector<double> p;                 ///< adjusted after Holm; of the best itself NaN
  std::vector<bool> tied;                ///< the best and all that 5 % does not tell from it
  /// That a row is the fastest: how often its difference from the best is the least when all
  /// differences are drawn together, each from Student's distribution. Rows move together as far
  /// as they share allocations.
  std::vector<double> chance;
};

/// Requires a row, and two values of each row. `seed` draws the chances.
BestRow best_row(const std::vector<RowMeans>& rows, std::uint64_t seed);

}  // namespace pippin
