// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/statistics/best_row.h"
#include "reports/statistics/linear.h"

namespace pippin::test {

/// blocks.csv: 10 allocations that ran 6 configurations each; one item a run.
struct Blocks {
  std::vector<std::size_t> blocks;                        ///< from 0
  std::vector<std::size_t> configurations;                ///< from 0: c1 to c6
  std::vector<double> hours, positions, times, canaries;  ///< the last two logarithms
};

const Blocks& blocks_data();

/// Its configurations, each with a value per allocation.
std::vector<RowMeans> rows_of_blocks();

}  // namespace pippin::test
