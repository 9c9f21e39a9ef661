// SPDX-License-Identifier: Apache-2.0
#include "db/drops.h"

#include <ctime>
#include <fmt/format.h>

#include "db/operations.h"

namespace pippin::db {

namespace {

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

/// A new reason takes the place of the old one.
void drop_run(Connection& connection, std::int64_t run, const std::string& reason) {
  connection
      .prepare(
          "INSERT INTO dropped_runs (run, reason, dropped_at) VALUES (?, ?, ?) "
          "ON CONFLICT (run) DO UPDATE SET reason = excluded.reason")
      .run(run, reason, now());
}

void drop_campaign(Connection& connection, std::int64_t campaign, const std::string& reason) {
  connection
      .prepare(
          "INSERT INTO dropped_campaigns (campaign, reason, dropped_at) VALUES (?, ?, ?) "
          "ON CONFLICT (campaign) DO UPDATE SET reason = excluded.reason")
      .run(campaign, reason, now());
}

constexpr const char* kRunsOfLogs =
    "SELECT runs.id FROM allocations JOIN runs ON runs.allocation = allocations.id "
    "WHERE allocations.campaign IS NULL";

}  // namespace

std::int64_t id_of(Connection& connection, const CampaignName& campaign) {
  Statement id = connection.prepare(
      "SELECT campaigns.id FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE sweeps.name = ? AND number = ?");
  return id.bind(campaign.sweep, campaign.number).step() ? id.integer(0) : 0;
}

void drop(Connection& connection, const Chosen& chosen, const std::string& reason) {
  for (const auto run : chosen.runs) drop_run(connection, run, reason);
  for (const auto& campaign : chosen.campaigns)
    drop_campaign(connection, id_of(connection, campaign), reason);
  if (!chosen.logs) return;
  connection
      .prepare(fmt::format("INSERT INTO dropped_runs (run, reason, dropped_at) "
                           "SELECT id, ?, ? FROM ({}) WHERE true "
                           "ON CONFLICT (run) DO UPDATE SET reason = excluded.reason",
                           kRunsOfLogs))
      .run(reason, now());
}

std::int64_t take_back(Connection& connection, const Chosen& chosen) {
  const auto changed = [&] { return connection.number("SELECT changes()"); };
  std::int64_t count = 0;
  Statement run = connection.prepare("DELETE FROM dropped_runs WHERE run = ?");
  for (const auto id : chosen.runs) {
    run.run(id);
    count += changed();
  }
  Statement campaign = connection.prepare("DELETE FROM dropped_campaigns WHERE campaign = ?");
  for (const auto& name : chosen.campaigns) {
    campaign.run(id_of(connection, name));
    count += changed();
  }
  if (chosen.logs) {
    connection.run(fmt::format("DELETE FROM dropped_runs WHERE run IN ({})", kRunsOfLogs));
    count += changed();
  }
  return count;
}

std::vector<DroppedRuns> dropped(Connection& connection, const SampleFilter& filter) {
  Statement rows = connection.prepare(
      "SELECT coalesce(d.reason, c.reason), count(*) FROM runs "
      "JOIN allocations ON allocations.id = runs.allocation "
      "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
      "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep "
      "LEFT JOIN dropped_runs AS d ON d.run = runs.id "
      "LEFT JOIN dropped_campaigns AS c ON c.campaign = allocations.campaign "
      "WHERE runs.id IN (SELECT run FROM dropped_runs UNION SELECT runs.id FROM dropped_campaigns "
      "  JOIN allocations USING (campaign) JOIN runs ON runs.allocation = allocations.id) "
      "AND (?1 IS NULL OR coalesce(sweeps.name, '') = ?1) "
      "AND (?2 IS NULL OR campaigns.number = ?2) GROUP BY 1 ORDER BY 2 DESC, 1");
  std::vector<DroppedRuns> result;
  for (rows.bind(filter.sweep, filter.campaign); rows.step();)
    result.push_back({rows.text(0), rows.integer(1)});
  return result;
}

SetAside set_aside(Connection& connection, const CampaignName& campaign) {
  SetAside result;
  Statement reason = connection.prepare("SELECT reason FROM dropped_campaigns WHERE campaign = ?");
  const std::int64_t id = id_of(connection, campaign);
  if (reason.bind(id).step()) result.campaign_reason = reason.text(0);
  Statement runs = connection.prepare(
      "SELECT runs.name FROM dropped_runs JOIN runs ON runs.id = dropped_runs.run "
      "JOIN allocations ON allocations.id = runs.allocation WHERE allocations.campaign = ?1 "
      "UNION SELECT run FROM deleted_runs WHERE sweep = ?2 AND deleted_runs.campaign = ?3");
  for (runs.bind(id, campaign.sweep, campaign.number); runs.step();) {
    result.runs.insert(runs.text(0));
    result.campaign_deleted = result.campaign_deleted || runs.text(0).empty();
  }
  return result;
}

void hand_over(Connection& connection, std::int64_t from, std::int64_t to) {
  connection.prepare("UPDATE notes SET run = ? WHERE run = ?").run(to, from);
  connection
      .prepare(
          "INSERT OR IGNORE INTO dropped_runs SELECT ?, reason, dropped_at FROM dropped_runs "
          "WHERE run = ?")
      .run(to, from);
  connection.prepare("DELETE FROM dropped_runs WHERE run = ?").run(from);
}

void drop_like_others(Connection& connection, std::int64_t log, std::int64_t after) {
  connection
      .prepare(
          "INSERT OR IGNORE INTO dropped_runs (run, reason, dropped_at) "
          "SELECT runs.id, d.reason, d.dropped_at FROM runs JOIN ("
          "  SELECT reason, dropped_at FROM dropped_runs JOIN runs ON runs.id = run "
          "  WHERE log = ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1) AS d "
          "WHERE runs.log = ?1 AND runs.position > ?2 AND NOT EXISTS ("
          "  SELECT 1 FROM runs AS other WHERE other.log = ?1 AND other.position <= ?2 "
          "  AND other.id NOT IN (SELECT run FROM dropped_runs))")
      .run(log, after);
}

}  // namespace pippin::db
