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
  std::size_t best = 0;                  ///< of the smallest mean
  std::vector<RowDifference> from_best;  ///< one for each row; of the best itself nothing
  std::vector<double> p;                 ///< adjusted after Holm; NaN where nothing is known
  std::vector<bool> tied;                ///< the best and all that 5 % does not tell from it
  /// That a row is the fastest. Shape: a bootstrap of allocations whose deviations are stretched by
  /// sqrt(n / chi squared with n - 1): plain, few allocations would promise too much, as a normal
  /// distribution does in place of Student's t.
  std::vector<double> chance;
};

/// Requires a row, and a value of each row. `seed` draws the bootstrap.
BestRow best_row(const std::vector<RowMeans>& rows, std::uint64_t seed);

/// How often each row has the smallest mean when allocations are drawn again: `draws` holds for
/// each time the allocations' numbers. A row that a draw leaves without a value is not compared.
/// Ties share.
std::vector<double> shares_best(const std::vector<RowMeans>& rows,
                                const std::vector<std::vector<std::size_t>>& draws);

}  // namespace pippin
