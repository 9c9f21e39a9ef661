// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/evidence.h"
#include "core/records/node_runs.h"
#include "reports/flat_table.h"

namespace pippin {

/// What a sweep's folder says of a node.
struct NodeNote {
  std::string node;
  std::int64_t failed_launches = 0;  ///< of jobs of this one node, also those run again elsewhere
  std::string state;                 ///< "bad", "allowed"; empty: nobody has judged it
  std::string because;               ///< why, and who says so
  std::int64_t lost_runs = 0;        ///< under which it failed, by the scheduler
};

/// What is known of one node.
struct NodeRow {
  std::string node;
  std::int64_t runs = 0, ok = 0, failed = 0;  ///< that count: failed are all that are not ok
  std::int64_t failed_launches = 0, readings = 0;
  std::optional<std::int64_t> last_run = {};  ///< seconds since 1970, UTC
  std::optional<double> gemm_tflops = {};     ///< median of its canaries
  /// That by the median of the other nodes' medians; below 1: slower.
  std::optional<double> gemm_ratio = {};
  /// Median of how its readings' all-reduce compares with the median of those of other nodes by as
  /// many bytes, ranks and nodes; above 1: slower.
  std::optional<double> all_reduce_ratio = {};
  std::string state, because;
  std::int64_t lost_runs = 0;
};

/// A row a node, bad ones first, then by name. Takes time in proportion to runs and readings, but
/// for what sorting takes.
std::vector<NodeRow> node_rows(const std::vector<NodeRuns>& runs, const Evidence& evidence,
                               const std::vector<NodeNote>& notes);

/// Those rows as a table.
FlatTable node_table(const std::vector<NodeRow>& rows);

}  // namespace pippin
