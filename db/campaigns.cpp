// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <vector>

#include "core/records/fields.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

std::int64_t put_sweep(Connection& connection, const std::string& name) {
  connection.prepare("INSERT INTO sweeps (name) VALUES (?) ON CONFLICT DO NOTHING").run(name);
  Statement id = connection.prepare("SELECT id FROM sweeps WHERE name = ?");
  id.bind(name).step();
  return id.integer(0);
}

void put_peaks(Connection& connection, std::int64_t id, const CampaignRecord& campaign) {
  connection.prepare("DELETE FROM campaign_peaks WHERE campaign = ?").run(id);
  Statement insert = connection.prepare(
      "INSERT INTO campaign_peaks (campaign, accelerator, number_type, tflops) "
      "VALUES (?, ?, ?, ?)");
  for (const auto& [number_type, tflops] : campaign.peak_tflops)
    insert.run(id, campaign.accelerator, number_type, tflops);
}

std::int64_t put_campaign_row(Connection& connection, const CampaignRecord& campaign) {
  const std::int64_t sweep = put_sweep(connection, campaign.sweep);
  connection
      .prepare(
          "INSERT INTO campaigns (sweep, number, started, cluster, run_order, seed, warmup) "
          "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sweep, number) DO UPDATE SET "
          "started = excluded.started, cluster = excluded.cluster, run_order = excluded.run_order, "
          "seed = excluded.seed, warmup = excluded.warmup")
      .run(sweep, campaign.number, campaign.started, known(campaign.cluster), known(campaign.order),
           std::to_string(campaign.seed), campaign.warmup);
  Statement id = connection.prepare("SELECT id FROM campaigns WHERE sweep = ? AND number = ?");
  id.bind(sweep, campaign.number).step();
  return id.integer(0);
}

void add_axes(Connection& connection, const Point& point) {
  Statement insert = connection.prepare(
      "INSERT INTO point_axes (point, position, name, text, number) VALUES (?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const auto& [name, value] : point.axes)
    insert.run(point.id, ++position, name, value.text, value.number);
}

std::string insert_point() {
  std::size_t columns = kPointTexts;
  for_each_count(Point(), [&](std::string_view, const Count&) { ++columns; });
  std::string places = "?";
  for (std::size_t i = 1; i < columns; ++i) places += ", ?";
  return fmt::format("INSERT INTO points ({}) VALUES ({})", point_columns(), places);
}

/// Of a point without runs a report says what was planned, which changes now.
void forget_planned(Connection& connection, const std::string& sweep) {
  connection
      .prepare("DELETE FROM point_summaries WHERE sweep = ? AND state IN ('not run', 'infeasible')")
      .run(sweep);
}

}  // namespace

void tell_model(Connection& connection, const std::string& point, const Model& model) {
  if (has_usual_shape(model)) {
    if (!model.params) return;
    // A plan's parameters are those of a dense model of its shape.
    connection
        .prepare(
            "UPDATE points SET params = ?2 WHERE id = ?1 AND params ISNULL AND style IS ?3 AND "
            "token_weights ISNULL")
        .run(point, model.params, known(model.style));
    return;
  }
  // Who says the work says all of it. Another may have ended before it said what it had to: of the
  // same style what is known stays.
  connection
      .prepare(
          "UPDATE points SET style = coalesce(?2, style), "
          "params = iif(?5 NOTNULL OR style IS coalesce(?2, style), coalesce(?3, params), ?3), "
          "active_params = iif(?5 ISNULL AND style IS coalesce(?2, style), "
          "coalesce(?4, active_params), ?4), "
          "token_weights = iif(style IS coalesce(?2, style), coalesce(?5, token_weights), ?5), "
          "attention_widths = iif(style IS coalesce(?2, style), "
          "coalesce(?6, attention_widths), ?6) WHERE id = ?1")
      .run(point, known(model.style), model.params, model.active_params, model.token_weights,
           model.attention_widths);
}

void put_point(Connection& connection, const Point& point) {
  Statement known_point = connection.prepare("SELECT 1 FROM points WHERE id = ?");
  if (known_point.bind(point.id).step())  // by its id it is the same in all else
    return tell_model(connection, point.id, point.model);
  static const std::string insert = insert_point();
  std::vector<Count> counts;
  for_each_count(point, [&](std::string_view, const Count& count) { counts.push_back(count); });
  connection.prepare(insert).run(point.id, point.name, point.trainer, known(point.model.size),
                                 known(point.model.style), counts);
  add_axes(connection, point);
}

void put_campaign(Connection& connection, const CampaignRecord& campaign) {
  if (is_deleted(connection, {campaign.sweep, campaign.number}, "")) return;
  const std::int64_t id = put_campaign_row(connection, campaign);
  put_peaks(connection, id, campaign);
  forget_planned(connection, campaign.sweep);
  connection.prepare("DELETE FROM campaign_points WHERE campaign = ?").run(id);
  Statement insert = connection.prepare(
      "INSERT INTO campaign_points (campaign, position, point, state, reason, has_left) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const auto& planned : campaign.points) {
    put_point(connection, planned.point);
    insert.run(id, ++position, planned.point.id, planned.infeasible ? "infeasible" : "planned",
               known(planned.reason), planned.left);
  }
}

}  // namespace pippin::db
