// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/log_identity.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

/// The runs to delete, in `doomed`.
void gather_runs(Connection& connection, const Chosen& chosen) {
  connection.run("CREATE TEMP TABLE IF NOT EXISTS doomed (run INTEGER PRIMARY KEY)");
  connection.run("DELETE FROM doomed");
  Statement add = connection.prepare("INSERT OR IGNORE INTO doomed VALUES (?)");
  for (const auto run : chosen.runs) add.run(run);
  Statement of_campaign = connection.prepare(
      "INSERT OR IGNORE INTO doomed SELECT runs.id FROM allocations "
      "JOIN runs ON runs.allocation = allocations.id WHERE allocations.campaign = ?");
  for (const auto& campaign : chosen.campaigns) of_campaign.run(id_of(connection, campaign));
  if (chosen.logs) {
    connection.run(
        "INSERT OR IGNORE INTO doomed SELECT runs.id FROM allocations "
        "JOIN runs ON runs.allocation = allocations.id WHERE allocations.campaign IS NULL");
  }
}

/// A log that grows brings all of its runs: they go together or not at all.
void refuse_parts_of_logs(Connection& connection) {
  Statement part = connection.prepare(
      "SELECT gone.name, kept.name FROM doomed JOIN runs AS gone ON gone.id = doomed.run "
      "JOIN runs AS kept ON kept.log = gone.log AND kept.id NOT IN (SELECT run FROM doomed) "
      "LIMIT 1");
  if (!part.step()) return;
  bad_input(
      "{}: '{}' is of the same log as '{}'; runs of one log can be deleted only together: name "
      "both, or drop it without --forever",
      connection.path().string(), printable(part.text(0)), printable(part.text(1)));
}

/// So that collecting knows what is not to come back. Tables noted by hand do when their document
/// is imported again.
void remember(Connection& connection, const Chosen& chosen) {
  Statement whole = connection.prepare(
      "INSERT OR IGNORE INTO deleted_runs (sweep, campaign, run, campaign_started, deleted_at) "
      "SELECT sweeps.name, campaigns.number, '', campaigns.started, ? FROM campaigns "
      "JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE campaigns.id = ? AND run_order IS NOT 'noted'");
  for (const auto& campaign : chosen.campaigns) whole.run(now(), id_of(connection, campaign));
  connection
      .prepare(
          "INSERT OR IGNORE INTO deleted_runs (sweep, campaign, run, campaign_started, deleted_at) "
          "SELECT sweeps.name, campaigns.number, runs.name, campaigns.started, ? FROM doomed "
          "JOIN runs ON runs.id = doomed.run JOIN allocations ON allocations.id = runs.allocation "
          "JOIN campaigns ON campaigns.id = allocations.campaign "
          "JOIN sweeps ON sweeps.id = campaigns.sweep WHERE run_order IS NOT 'noted' "
          "AND (sweeps.name, campaigns.number, '') NOT IN (SELECT sweep, campaign, run FROM "
          "deleted_runs)")
      .run(now());
  connection
      .prepare(
          "INSERT OR IGNORE INTO deleted_logs (head_hash, size_bytes, content_hash, deleted_at) "
          "SELECT head_hash, size_bytes, content_hash, ? FROM doomed "
          "JOIN runs ON runs.id = doomed.run JOIN logs ON logs.id = runs.log")
      .run(now());
}

/// Readings that no run has any more; those that were collected have none.
void delete_readings(Connection& connection) {
  connection.run(
      "CREATE TEMP TABLE IF NOT EXISTS doomed_readings (reading INTEGER PRIMARY KEY);"
      "DELETE FROM doomed_readings;"
      "INSERT INTO doomed_readings SELECT DISTINCT reading FROM run_canaries "
      "WHERE run IN (SELECT run FROM doomed);"
      "DELETE FROM run_canaries WHERE run IN (SELECT run FROM doomed);"
      "DELETE FROM doomed_readings WHERE reading IN (SELECT reading FROM run_canaries)");
  for (const char* table : {"canary_all_reduce", "canary_pairs", "canary_nodes", "collectives"}) {
    connection.run(fmt::format(
        "DELETE FROM {} WHERE reading IN (SELECT reading FROM doomed_readings)", table));
  }
  connection.run("DELETE FROM canary_readings WHERE id IN (SELECT reading FROM doomed_readings)");
}

void delete_runs(Connection& connection) {
  delete_readings(connection);
  for (const char* table :
       {"iteration_blocks", "other_blocks", "rank_memory", "run_arguments", "slowest_ranks",
        "checkpoints", "run_digests", "notes", "run_nodes", "dropped_runs"}) {
    connection.run(fmt::format("DELETE FROM {} WHERE run IN (SELECT run FROM doomed)", table));
  }
  connection.run(
      "CREATE TEMP TABLE IF NOT EXISTS doomed_logs (log INTEGER PRIMARY KEY);"
      "DELETE FROM doomed_logs;"
      "INSERT OR IGNORE INTO doomed_logs SELECT log FROM runs "
      "WHERE id IN (SELECT run FROM doomed) AND log IS NOT NULL;"
      "DELETE FROM runs WHERE id IN (SELECT run FROM doomed);"
      "DELETE FROM logs WHERE id IN (SELECT log FROM doomed_logs)");
}

void delete_campaign(Connection& connection, std::int64_t campaign) {
  connection
      .prepare(
          "DELETE FROM point_summaries WHERE (sweep, campaign) IN (SELECT sweeps.name, number "
          "FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep WHERE campaigns.id = ?)")
      .run(campaign);
  for (const char* table : {"campaign_points", "campaign_peaks", "tags", "dropped_campaigns"})
    connection.prepare(fmt::format("DELETE FROM {} WHERE campaign = ?", table)).run(campaign);
  connection.prepare("DELETE FROM allocations WHERE campaign = ?").run(campaign);
  connection.prepare("DELETE FROM campaigns WHERE id = ?").run(campaign);
}

/// What nothing refers to any more.
void delete_unused(Connection& connection) {
  connection.run(
      "DELETE FROM allocations WHERE id NOT IN (SELECT allocation FROM runs) "
      "AND id NOT IN (SELECT allocation FROM canary_readings);"
      "DELETE FROM point_summaries WHERE sweep <> '' AND sweep NOT IN (SELECT name FROM sweeps "
      "  JOIN campaigns ON campaigns.sweep = sweeps.id);"
      "DELETE FROM sweeps WHERE id NOT IN (SELECT sweep FROM campaigns);"
      "CREATE TEMP TABLE IF NOT EXISTS used (point TEXT PRIMARY KEY) WITHOUT ROWID;"
      "DELETE FROM used;"
      "INSERT OR IGNORE INTO used SELECT point FROM runs;"
      "INSERT OR IGNORE INTO used SELECT point FROM campaign_points;"
      "DELETE FROM point_summaries WHERE point NOT IN (SELECT point FROM used);"
      "DELETE FROM point_axes WHERE point NOT IN (SELECT point FROM used);"
      "DELETE FROM points WHERE id NOT IN (SELECT point FROM used)");
}

}  // namespace

void delete_runs(Connection& connection, const Chosen& chosen) {
  gather_runs(connection, chosen);
  delete_runs(connection);
  delete_unused(connection);
}

std::int64_t delete_forever(Connection& connection, const Chosen& chosen) {
  gather_runs(connection, chosen);
  refuse_parts_of_logs(connection);
  const std::int64_t count = connection.number("SELECT count(*) FROM doomed");
  remember(connection, chosen);
  delete_runs(connection);
  for (const auto& campaign : chosen.campaigns)
    delete_campaign(connection, id_of(connection, campaign));
  delete_unused(connection);
  return count;
}

bool is_deleted(Connection& connection, const CampaignName& campaign, const std::string& run) {
  Statement row =
      connection.prepare("SELECT 1 FROM deleted_runs WHERE sweep = ? AND campaign = ? AND run = ?");
  return row.bind(campaign.sweep, campaign.number, "").step() ||
         row.bind(campaign.sweep, campaign.number, run).step();
}

void forgive_run(Connection& connection, const CampaignName& campaign, const std::string& run) {
  connection.prepare("DELETE FROM deleted_runs WHERE sweep = ? AND campaign = ? AND run = ?")
      .run(campaign.sweep, campaign.number, run);
}

bool is_deleted_log(Connection& connection, const LogFile& file) {
  return !deleted_logs_that_begin(connection, file).empty();
}

void forgive_log(Connection& connection, const LogFile& file) {
  Statement forgive = connection.prepare("DELETE FROM deleted_logs WHERE content_hash = ?");
  for (const auto& hash : deleted_logs_that_begin(connection, file)) forgive.run(hash);
}

}  // namespace pippin::db
