// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "db/database.h"
#include "db/sqlite.h"

namespace pippin::db {

/// One transaction that stores many runs, and what need not be asked or written again for each.
/// Requires that meanwhile nothing else stores points, nodes, campaigns or a campaign's logs.
class Batch {
 public:
  /// `digester`: sums up the lines of what is stored; it must outlive the batch.
  explicit Batch(Connection& connection, const std::optional<Digester>& digester = std::nullopt)
      : connection_(connection), digester_(digester ? &*digester : nullptr) {}

  Connection& connection() { return connection_; }

  /// As db::put_point() and db::tell_model().
  void put_point(const Point& point);
  void tell_model(const std::string& point, const Model& model);
  /// To be called when points were deleted.
  void forget_points() { points_.clear(); }

  /// Stores what the lines of a run come to that has no digest, where that is asked for; those of a
  /// long run are left to who asks for them, once its lines are out of memory.
  /// `warmup`: of its campaign.
  void add_digest(std::int64_t run, const Iterations& lines,
                  const std::optional<std::int64_t>& warmup);

  struct StoredCampaign {
    std::int64_t id = 0;
    std::optional<std::int64_t> warmup;
  };
  std::int64_t node_of(const std::string& name);
  const StoredCampaign& campaign_of(const RunPlace& place);
  /// Whether there are logs of campaigns, and logs and runs that were deleted for good.
  bool has_own_logs();
  bool has_deleted_logs();
  bool has_deleted_runs();

 private:
  /// Whether this batch has not yet stored all that the model says.
  bool is_news(const std::string& point, const Model& model);

  Connection& connection_;
  const Digester* digester_;
  std::unordered_map<std::string, Model> points_;  ///< by id: what was said last of their models
  std::unordered_map<std::string, std::int64_t> nodes_;
  std::string sweep_;  ///< of the campaign that was asked for last
  std::int64_t number_ = 0;
  StoredCampaign campaign_;
  std::optional<bool> has_own_logs_, has_deleted_logs_, has_deleted_runs_;
};

}  // namespace pippin::db
