#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/records/run.h"
#include "db/sqlite.h"

namespace pippin::db {

/// One transaction that stores many runs, and what need not be asked or written again for each.
/// Requires that meanwhile nothing else stores points, nodes, campaigns or a campaign's logs.
class Batch {
 public:
  explicit Batch(Connection& connection) : connection_(connection) {}

  Connection& connection() { return connection_; }

  /// As db::put_point().
  void put_point(const Point& point);
  /// To be called when points were deleted.
  void forget_points() { points_.clear(); }

  std::int64_t node_of(const std::string& name);
  std::int64_t campaign_of(const RunPlace& place);
  /// Whether there are logs of campaigns, and logs that were deleted for good.
  bool has_own_logs();
  bool has_deleted_logs();

 private:
  Connection& connection_;
  std::unordered_map<std::string, bool> points_;  ///< by id: whether they came with params
  std::unordered_map<std::string, std::int64_t> nodes_;
  std::string sweep_;  ///< of the campaign that was asked for last
  std::int64_t number_ = 0, campaign_ = 0;
  std::optional<bool> has_own_logs_, has_deleted_logs_;
};

}  // namespace pippin::db
