// SPDX-License-Identifier: Apache-2.0
#include "db/points.h"

#include <fmt/format.h>
#include <set>

#include "core/records/fields.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

PeakTflops peaks_of(Connection& connection, std::int64_t campaign) {
  Statement rows =
      connection.prepare("SELECT number_type, tflops FROM campaign_peaks WHERE campaign = ?");
  PeakTflops peaks;
  for (rows.bind(campaign); rows.step();) peaks.emplace_back(rows.text(0), rows.real(1));
  return peaks;
}

/// A query for the ids of a campaign's points, or of those of foreign logs.
std::string ids_of(std::optional<std::int64_t> campaign) {
  return campaign ? "(SELECT point FROM campaign_points WHERE campaign = ?1)"
                  : "(SELECT point FROM allocations JOIN runs ON runs.allocation = allocations.id "
                    "WHERE campaign IS ?1)";
}

Point point_at(const Statement& row) {
  int column = 0;
  Point point;
  point.id = row.text(column++);
  point.name = row.text(column++);
  point.trainer = row.text(column++);
  Model& model = point.model;
  model.size = row.text(column++);
  model.style = row.text(column++);
  for_each_count(point,
                 [&](std::string_view, Count& count) { count = row.maybe_integer(column++); });
  forget_impossible_counts(point);
  return point;
}

}  // namespace

std::string point_columns() {
  std::string columns = "id, name, trainer, size, style";
  for_each_count(Point(),
                 [&](std::string_view name, const Count&) { columns.append(", ").append(name); });
  return columns;
}

std::vector<CampaignRow> campaigns_of(Connection& connection, const SampleFilter& filter) {
  Statement rows = connection.prepare(
      "SELECT campaigns.id, number, sweeps.name, warmup, cluster FROM campaigns "
      "JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE (?1 IS NULL OR sweeps.name = ?1) AND (?2 IS NULL OR number = ?2) "
      "AND (?2 IS NOT NULL OR ?3 OR campaigns.id NOT IN (SELECT campaign FROM dropped_campaigns)) "
      "ORDER BY sweeps.id, number");
  std::vector<CampaignRow> campaigns;
  for (rows.bind(filter.sweep, filter.campaign, filter.dropped); rows.step();) {
    campaigns.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.maybe_integer(3),
                         rows.text(4), peaks_of(connection, rows.integer(0))});
  }
  return campaigns;
}

PointsById bare_points_of(Connection& connection, std::optional<std::int64_t> campaign) {
  Statement rows = connection.prepare(
      fmt::format("SELECT {} FROM points WHERE id IN {}", point_columns(), ids_of(campaign)));
  PointsById points;
  for (rows.bind(campaign); rows.step();) {
    Point point = point_at(rows);
    std::string id = point.id;
    points.emplace(std::move(id), std::move(point));
  }
  return points;
}

PointsById points_of(Connection& connection, std::optional<std::int64_t> campaign) {
  PointsById points = bare_points_of(connection, campaign);
  Statement axes =
      connection.prepare("SELECT point, name, text, number FROM point_axes WHERE point IN " +
                         ids_of(campaign) + " ORDER BY point, position");
  Point* point = nullptr;
  for (axes.bind(campaign); axes.step();) {
    const std::string id = axes.text(0);
    const auto known = point && point->id == id ? points.end() : points.find(id);
    if (known != points.end()) point = &known->second;
    if (!point || point->id != id) continue;
    point->axes.emplace_back(axes.text(1), Value{axes.text(2), axes.maybe_real(3)});
  }
  return points;
}

std::vector<Point> points_named(Connection& connection, const std::string& name) {
  constexpr std::size_t kLeastOfId = 8;
  Statement rows = connection.prepare(
      fmt::format("SELECT {} FROM points WHERE name = ?1 OR id = ?1 OR (?2 AND substr(id, 1, "
                  "length(?1)) = ?1) ORDER BY id",
                  point_columns()));
  std::vector<Point> points;
  for (rows.bind(name, name.size() >= kLeastOfId ? 1 : 0); rows.step();)
    points.push_back(point_at(rows));
  Statement axes = connection.prepare(
      "SELECT name, text, number FROM point_axes WHERE point = ? ORDER BY position");
  for (auto& point : points) {
    for (axes.bind(point.id); axes.step();)
      point.axes.emplace_back(axes.text(0), Value{axes.text(1), axes.maybe_real(2)});
  }
  return points;
}

std::vector<SampleFilter> selections_of(Connection& connection, const std::string& point_id) {
  std::vector<SampleFilter> selections;
  Statement logs = connection.prepare(
      "SELECT 1 FROM runs JOIN allocations ON allocations.id = runs.allocation "
      "WHERE runs.point = ? AND allocations.campaign IS NULL LIMIT 1");
  if (logs.bind(point_id).step()) selections.push_back({"", {}});
  Statement rows = connection.prepare(
      "SELECT sweeps.name, campaigns.number FROM campaign_points "
      "JOIN campaigns ON campaigns.id = campaign_points.campaign "
      "JOIN sweeps ON sweeps.id = campaigns.sweep WHERE campaign_points.point = ? "
      "ORDER BY campaigns.started, campaigns.id");
  for (rows.bind(point_id); rows.step();) selections.push_back({rows.text(0), rows.integer(1)});
  return selections;
}

Point take_point(PointsById& points, const std::string& id) {
  const auto found = points.find(id);
  if (found != points.end()) return std::move(found->second);
  Point point;
  point.id = id;
  return point;
}

RunState state_in(const Statement& row, int column) {
  return run_state_of(row.text(column)).value_or(RunState::kFailed);
}

PlannedRows::PlannedRows(Connection& connection, const std::vector<CampaignRow>& campaigns,
                         PointsById (*load)(Connection&, std::optional<std::int64_t>)) {
  for (const auto& campaign : campaigns) {
    PointsById points = load(connection, campaign.id);
    Statement planned = connection.prepare(
        "SELECT point, state, reason, has_left FROM campaign_points WHERE campaign = ? "
        "ORDER BY position");
    for (planned.bind(campaign.id); planned.step();) {
      const std::string id = planned.text(0);
      const auto [place, is_new] = places_.try_emplace(id, rows_.size());
      if (is_new) rows_.emplace_back().point = take_point(points, id);
      PlannedRow& row = rows_[place->second];
      row.state = planned.text(1) == "infeasible" ? RunState::kInfeasible : RunState::kNotRun;
      row.reason = planned.text(2);
      // A point that has left may be planned once more, as one that cannot run.
      if (row.state != RunState::kInfeasible) row.left = planned.integer(3) != 0;
      if (!campaign.peak_tflops.empty()) row.peak_tflops = campaign.peak_tflops;
    }
    read_drops(connection, campaign.id);
  }
}

void PlannedRows::read_drops(Connection& connection, std::int64_t campaign) {
  Statement rows = connection.prepare(
      "SELECT runs.point, dropped_runs.reason FROM dropped_runs "
      "CROSS JOIN runs ON runs.id = dropped_runs.run "
      "CROSS JOIN allocations ON allocations.id = runs.allocation WHERE allocations.campaign = ?1 "
      "UNION SELECT campaign_points.point, dropped_campaigns.reason FROM dropped_campaigns "
      "JOIN campaign_points USING (campaign) WHERE campaign = ?1");
  for (rows.bind(campaign); rows.step();) {
    if (const auto place = place_of(rows.text(0))) rows_[*place].dropped = rows.text(1);
  }
}

std::optional<std::size_t> PlannedRows::place_of(const std::string& point) const {
  const auto found = places_.find(point);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::vector<CampaignRow>> by_sweep(const std::vector<CampaignRow>& campaigns) {
  std::vector<std::vector<CampaignRow>> sweeps;
  for (const auto& campaign : campaigns) {
    if (sweeps.empty() || sweeps.back().front().sweep != campaign.sweep) sweeps.emplace_back();
    sweeps.back().push_back(campaign);
  }
  return sweeps;
}

void tell_apart(const std::vector<Point*>& points) {
  constexpr std::size_t kDigits = 4;
  std::unordered_map<std::string, std::set<std::string>> ids;
  for (const auto* point : points) ids[point->name].insert(point->id);
  for (auto* point : points) {
    if (ids[point->name].size() > 1) point->name += "-" + point->id.substr(0, kDigits);
  }
}

}  // namespace pippin::db
