#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/records/summary.h"
#include "db/sqlite.h"

namespace pippin::db {

/// A campaign as the readers of results need it.
struct CampaignRow {
  std::int64_t id = 0, number = 0;
  std::string sweep;
  std::optional<std::int64_t> warmup;
  PeakTflops peak_tflops;
};

/// Those of a sweep, or of all where none is named, in the order of sweeps and numbers.
std::vector<CampaignRow> campaigns_of(Connection& connection,
                                      const std::optional<std::string>& sweep,
                                      const std::optional<std::int64_t>& number);

using PointsById = std::unordered_map<std::string, Point>;

/// The points of a campaign, or without one those of foreign logs: in one query, however many.
/// Without axes, and with them.
PointsById bare_points_of(Connection& connection, std::optional<std::int64_t> campaign);
PointsById points_of(Connection& connection, std::optional<std::int64_t> campaign);

/// A point as a campaign planned it.
struct PlannedState {
  std::string point;
  RunState state = RunState::kMissing;  ///< missing or infeasible
  std::string reason;
};

std::vector<PlannedState> planned_of(Connection& connection, std::int64_t campaign);

/// Gives the names that unlike points share the first digits of the points' ids.
void tell_apart(const std::vector<Point*>& points);

}  // namespace pippin::db
