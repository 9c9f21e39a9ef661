#include "db/points.h"

#include <set>

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
  for (Count* count : {&model.layers, &model.hidden, &model.heads, &model.kv_heads, &model.ffn,
                       &model.seq, &model.vocab, &model.padded_vocab, &model.params})
    *count = row.maybe_integer(column++);
  Layout& layout = point.layout;
  for (Count* count : {&layout.tp, &layout.pp, &layout.dp, &layout.cp, &layout.mbs, &layout.gas,
                       &layout.gpus, &layout.gbs})
    *count = row.maybe_integer(column++);
  return point;
}

}  // namespace

std::vector<CampaignRow> campaigns_of(Connection& connection,
                                      const std::optional<std::string>& sweep,
                                      const std::optional<std::int64_t>& number) {
  Statement rows = connection.prepare(
      "SELECT campaigns.id, number, sweeps.name, warmup FROM campaigns "
      "JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE (?1 IS NULL OR sweeps.name = ?1) AND (?2 IS NULL OR number = ?2) "
      "ORDER BY sweeps.id, number");
  std::vector<CampaignRow> campaigns;
  for (rows.bind(sweep, number); rows.step();) {
    campaigns.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.maybe_integer(3),
                         peaks_of(connection, rows.integer(0))});
  }
  return campaigns;
}

PointsById bare_points_of(Connection& connection, std::optional<std::int64_t> campaign) {
  Statement rows = connection.prepare(
      "SELECT id, name, trainer, size, style, layers, hidden, heads, kv_heads, ffn, seq, vocab, "
      "padded_vocab, params, tp, pp, dp, cp, mbs, gas, gpus, gbs FROM points WHERE id IN " +
      ids_of(campaign));
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
    if (!point || point->id != id) point = &points.at(id);
    point->axes.emplace_back(axes.text(1), Value{axes.text(2), axes.maybe_real(3)});
  }
  return points;
}

std::vector<PlannedState> planned_of(Connection& connection, std::int64_t campaign) {
  Statement rows = connection.prepare(
      "SELECT point, state, reason FROM campaign_points WHERE campaign = ? ORDER BY position");
  std::vector<PlannedState> planned;
  for (rows.bind(campaign); rows.step();) {
    const bool infeasible = rows.text(1) == "infeasible";
    planned.push_back(
        {rows.text(0), infeasible ? RunState::kInfeasible : RunState::kMissing, rows.text(2)});
  }
  return planned;
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
