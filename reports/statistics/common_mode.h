// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reports/statistics/best_row.h"

namespace pippin {

/// One configuration as it was measured on two sides: the mean logarithm of each allocation.
struct TwoSides {
  RowMeans base, other;
};

/// A shift that all of these rows share: per allocation the mean over them, then the other side's
/// allocations from the base's. `rows` are indices. Nothing where a side has fewer than two.
/// Rows that miss an allocation count there by what the others show.
RowDifference common_shift(const std::vector<TwoSides>& rows,
                           const std::vector<std::size_t>& of_rows);

/// How far each row moved beside the shift of the rows `of_rows`, its own part in that left out.
/// Where rows share allocations what an allocation does to all of them falls out.
std::vector<RowDifference> beside_shift(const std::vector<TwoSides>& rows,
                                        const std::vector<std::size_t>& of_rows);

/// The rows that one shift explains: two thirds of all, at least three, that agree with their
/// median and with one another. Empty where no shift explains so many: then nothing can be said
/// beside it, for if half of all rows became slower, the others did not become faster.
std::vector<std::size_t> rows_of_one_shift(const std::vector<TwoSides>& rows);

}  // namespace pippin
