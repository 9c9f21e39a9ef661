// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/records/summary.h"
#include "db/database.h"
#include "db/sqlite.h"

namespace pippin::db {

/// A campaign as the readers of results need it.
struct CampaignRow {
  std::int64_t id = 0, number = 0;
  std::string sweep;
  std::optional<std::int64_t> warmup;
  std::string cluster;
  PeakTflops peak_tflops;
};

/// Those of a selection in the order of sweeps and numbers; dropped ones only where they are
/// named or asked for.
std::vector<CampaignRow> campaigns_of(Connection& connection, const SampleFilter& filter);

/// The columns of `points`, as SQL names them: so many texts, then the counts of for_each_count().
std::string point_columns();
inline constexpr std::size_t kPointTexts = 5;

using PointsById = std::unordered_map<std::string, Point>;

/// The points of a campaign, or without one those of foreign logs: in one query, however many.
/// Without axes, and with them.
PointsById bare_points_of(Connection& connection, std::optional<std::int64_t> campaign);
PointsById points_of(Connection& connection, std::optional<std::int64_t> campaign);

/// Takes a point out of them; of one that a damaged file has no more its id is known.
Point take_point(PointsById& points, const std::string& id);

/// What a column says of a run; a word that is no state, as a damaged file may have, is that of a
/// run that failed.
RunState state_in(const Statement& row, int column);

/// A point as the newest campaign that has it planned it.
struct PlannedRow {
  Point point;
  RunState state = RunState::kNotRun;  ///< that, or infeasible
  std::string reason;
  std::string dropped;  ///< why runs of it were set aside; empty where none were
  PeakTflops peak_tflops;
  bool left = false;  ///< the sweep's file has it no more
};

/// The points of one sweep's campaigns, each once, in the order they were planned.
class PlannedRows {
 public:
  /// `load`: bare_points_of or points_of.
  PlannedRows(Connection& connection, const std::vector<CampaignRow>& campaigns,
              PointsById (*load)(Connection&, std::optional<std::int64_t>));

  /// Where a point stands in rows(); nothing where no campaign planned it.
  std::optional<std::size_t> place_of(const std::string& point) const;
  std::vector<PlannedRow>& rows() { return rows_; }

 private:
  void read_drops(Connection& connection, std::int64_t campaign);

  std::vector<PlannedRow> rows_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Campaigns, those of one sweep after those of another, as one list a sweep.
std::vector<std::vector<CampaignRow>> by_sweep(const std::vector<CampaignRow>& campaigns);

/// Gives the names that unlike points share the first digits of the points' ids.
void tell_apart(const std::vector<Point*>& points);

}  // namespace pippin::db
