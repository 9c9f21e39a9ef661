// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/checkpoint.h"
#include "reports/flat_table.h"

namespace pippin {

/// What a point's checkpoints of one kind come to.
struct CheckpointRow {
  RunCheckpoints of;  ///< the point; of its runs the most nodes. Its checkpoints are left empty
  CheckpointKind kind = CheckpointKind::kSave;
  std::int64_t runs = 0, count = 0, timed = 0, derived = 0, asynchronous = 0;
  std::int64_t begun = 0, unfinished = 0, failed = 0;
  std::optional<double> mean_s, sd_s, slowest_s;  ///< of the timed; sd of two at least
  std::optional<double> bytes, gb_per_s;          ///< means of those whose size is known
  /// What of the time of their steps those runs stood still for them that tell of both.
  std::optional<double> share;
};

/// A row for each point and kind, in the order of the points' first runs.
/// Takes time and memory in proportion to the number of checkpoints.
std::vector<CheckpointRow> checkpoint_rows(const std::vector<RunCheckpoints>& runs);

/// Those rows as a table.
FlatTable checkpoint_table(const std::vector<CheckpointRow>& rows);

}  // namespace pippin
