// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/records/evidence.h"
#include "reports/flat_table.h"

namespace pippin {

/// What readings of one operation and size on as many ranks come to. Bandwidths in 1e9 bytes a
/// second; over readings, of which each counts once, with its mean.
struct CollectiveRow {
  CollectiveReading of;  ///< what they share; its numbers are those of the first
  std::int64_t readings = 0, days = 0, wrong = 0, unchecked = 0;  ///< wrong: results
  std::optional<double> busbw_median, busbw_mean, busbw_sd, busbw_min, busbw_max;
  std::optional<double> algbw_median, algbw_mean;
};

/// By operation, place, number type, ranks, nodes and size, in that order. An algbw that is not
/// printed is size by time, as nccl-tests define it.
/// Takes time in proportion to the number of readings, but for sorting.
std::vector<CollectiveRow> collective_rows(const std::vector<CollectiveReading>& readings);

/// Those rows as a table.
FlatTable collective_table(const std::vector<CollectiveRow>& rows);

}  // namespace pippin
