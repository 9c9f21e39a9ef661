// SPDX-License-Identifier: Apache-2.0
// The rows of another database, copied under the ids that the maps give them.
#include <fmt/format.h>

#include "db/merge.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

std::string columns_but(Connection& connection, const char* table, const std::string& key) {
  Statement columns = connection.prepare(
      "SELECT group_concat('c.' || name, ', ') FROM pragma_table_info(?) "
      "WHERE name <> ?");
  columns.bind(table, key).step();
  return columns.text(0);
}

/// Copies the rows of a table whose first column is a run's, or a reading's, id.
void copy_parts(Connection& connection, const char* table, const std::string& key,
                const std::string& from) {
  connection.run(
      fmt::format("INSERT INTO main.{0} SELECT m.ours, {1} FROM {2} AS m "
                  "CROSS JOIN other.{0} AS c ON c.{3} = m.theirs ORDER BY m.ours",
                  table, columns_but(connection, table, key), from, key));
}

/// Rows of reports say what all runs of a sweep come to.
void forget_rows(Connection& connection) {
  connection.run(R"(
    DELETE FROM main.point_summaries WHERE sweep IN (
      SELECT sweeps.name FROM campaign_map JOIN main.campaigns ON campaigns.id = ours
      JOIN main.sweeps ON sweeps.id = campaigns.sweep)
    OR (sweep = '' AND EXISTS (SELECT 1 FROM foreign_logs WHERE how > 0)))");
}

/// Of one that is here already, what is not known of it: of a plan, what its trainer said.
void copy_points(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE needed (point TEXT PRIMARY KEY) WITHOUT ROWID;
    INSERT OR IGNORE INTO needed SELECT point FROM run_map
      JOIN other.runs ON runs.id = run_map.theirs WHERE how > 0;
    INSERT OR IGNORE INTO needed SELECT point FROM campaign_map
      JOIN other.campaign_points ON campaign = campaign_map.theirs;
    INSERT OR IGNORE INTO main.points
      SELECT p.* FROM needed JOIN other.points AS p ON p.id = needed.point;
    INSERT OR IGNORE INTO main.point_axes
      SELECT x.* FROM needed JOIN other.point_axes AS x ON x.point = needed.point;
    UPDATE main.points AS p SET style = t.style,
        params = CASE WHEN t.token_weights NOTNULL AND p.token_weights ISNULL
          THEN coalesce(t.params, p.params) WHEN p.style IS t.style
          THEN coalesce(p.params, t.params) ELSE t.params END,
        active_params = coalesce(p.active_params, t.active_params),
        token_weights = coalesce(p.token_weights, t.token_weights),
        attention_widths = coalesce(p.attention_widths, t.attention_widths)
      FROM needed JOIN other.points AS t ON t.id = needed.point
      WHERE p.id = t.id AND iif(p.style IS t.style,
        (t.params NOTNULL AND p.params ISNULL) OR
        (t.active_params NOTNULL AND p.active_params ISNULL) OR
        (t.token_weights NOTNULL AND p.token_weights ISNULL),
        p.token_weights ISNULL AND p.active_params ISNULL AND
          (t.token_weights NOTNULL OR t.style IN ('moe', 'hybrid')));
    DROP TABLE needed)");
}

/// Points that a campaign was given later stand behind those it had.
void copy_plans(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE known AS SELECT campaign, point FROM campaign_map
      JOIN main.campaign_points ON campaign = campaign_map.ours;
    CREATE INDEX temp.known_points ON known(campaign, point);
    INSERT INTO main.campaign_points (campaign, position, point, state, reason, has_left)
      SELECT m.ours, coalesce((SELECT max(position) FROM main.campaign_points
          WHERE campaign = m.ours), 0) + row_number() OVER (PARTITION BY m.ours ORDER BY t.position),
        t.point, t.state, t.reason, t.has_left
      FROM campaign_map AS m JOIN other.campaign_points AS t ON t.campaign = m.theirs
      WHERE (m.ours, t.point) NOT IN (SELECT campaign, point FROM known);
    UPDATE main.campaign_points SET has_left = 1 WHERE has_left = 0 AND state = 'planned'
      AND (campaign, point) IN (SELECT m.ours, t.point FROM campaign_map AS m
        JOIN other.campaign_points AS t ON t.campaign = m.theirs WHERE t.has_left = 1);
    DROP TABLE known;
    INSERT OR IGNORE INTO main.campaign_peaks
      SELECT m.ours, t.accelerator, t.number_type, t.tflops FROM campaign_map AS m
      JOIN other.campaign_peaks AS t ON t.campaign = m.theirs)");
}

void copy_logs_and_allocations(Connection& connection) {
  copy_parts(connection, "logs", "id", "(SELECT * FROM log_map WHERE is_new)");
  connection.run(R"(
    INSERT INTO main.allocations (id, campaign, name, attempt, number)
      SELECT m.ours, c.ours, m.name, a.attempt, a.number FROM allocation_map AS m
      JOIN other.allocations AS a ON a.id = m.theirs
      LEFT JOIN campaign_map AS c ON c.theirs = a.campaign WHERE m.is_new ORDER BY m.ours)");
}

/// Where a log is called otherwise here, so are its runs: "main_log-2" as "main_log-1f0c22aa-2".
constexpr const char* kTheirRuns = R"(
    SELECT m.ours, m.how, CASE WHEN a.is_new AND o.campaign IS NULL
        THEN a.name || substr(r.name, length(o.name) + 1)
        WHEN o.campaign IS NULL THEN h.name || substr(r.name, length(o.name) + 1)
        ELSE r.name END AS our_name,
      a.ours AS our_allocation, l.ours AS our_log, r.*
    FROM run_map AS m CROSS JOIN other.runs AS r ON r.id = m.theirs
    CROSS JOIN other.allocations AS o ON o.id = r.allocation
    CROSS JOIN allocation_map AS a ON a.theirs = r.allocation
    LEFT JOIN main.allocations AS h ON h.id = a.ours
    LEFT JOIN log_map AS l ON l.theirs = r.log)";

void copy_runs(Connection& connection) {
  const std::string same =
      "point, repeat, position, state, evidence, exit_code, recompute, started_at, ended_at, "
      "command, script, environment, node_list, gpu_model, driver, nccl, git_commit, host, "
      "scraper_version, resolution_ms, last_iteration, planned_iterations, nan_from, derived, "
      "noted_spread_ms";
  connection.run(fmt::format(
      "INSERT INTO main.runs (id, name, allocation, log, {0}) "
      "SELECT ours, our_name, our_allocation, our_log, {0} FROM ({1}) WHERE how = 1 ORDER BY ours;"
      "CREATE TEMP TABLE old_logs AS SELECT DISTINCT log FROM main.runs WHERE log IS NOT NULL "
      "AND id IN (SELECT ours FROM run_map WHERE how = 2);"
      "UPDATE main.runs SET (name, allocation, log, {0}) = (SELECT our_name, our_allocation, "
      "our_log, {0} FROM ({1}) AS t WHERE t.ours = main.runs.id) "
      "WHERE id IN (SELECT ours FROM run_map WHERE how = 2);"
      "DELETE FROM main.logs WHERE id IN (SELECT log FROM old_logs) "
      "AND id NOT IN (SELECT log FROM main.runs WHERE log IS NOT NULL);"
      "DROP TABLE old_logs",
      same, kTheirRuns));
}

void copy_records(Connection& connection) {
  for (const char* table : {"iteration_blocks", "other_blocks", "rank_memory", "run_arguments",
                            "slowest_ranks", "checkpoints", "run_digests"}) {
    connection.run(fmt::format(
        "DELETE FROM main.{} WHERE run IN (SELECT ours FROM run_map WHERE how = 2)", table));
    copy_parts(connection, table, "run", "(SELECT * FROM run_map WHERE how > 0)");
  }
  connection.run(R"(
    DELETE FROM main.run_nodes WHERE run IN (SELECT ours FROM run_map WHERE how = 2);
    INSERT INTO main.run_nodes (run, node, ranks)
      SELECT m.ours, n.ours, t.ranks FROM run_map AS m
      CROSS JOIN other.run_nodes AS t ON t.run = m.theirs
      CROSS JOIN node_map AS n ON n.theirs = t.node WHERE m.how > 0)");
}

void copy_readings(Connection& connection) {
  connection.run(
      fmt::format("INSERT INTO main.canary_readings (id, allocation, log, {0}) "
                  "SELECT m.ours, a.ours, l.ours, {0} FROM reading_map AS m "
                  "JOIN other.canary_readings AS t ON t.id = m.theirs "
                  "JOIN allocation_map AS a ON a.theirs = t.allocation "
                  "LEFT JOIN log_map AS l ON l.theirs = t.log WHERE m.is_new ORDER BY m.ours",
                  "number, taken_at, problem, duration_s, ranks, nodes, gemm_m, gemm_n, gemm_k, "
                  "gemm_min_tflops, gemm_median_tflops, gemm_max_tflops, gemm_slowest_rank, "
                  "gemm_slowest_host, library"));
  for (const char* table : {"canary_all_reduce", "canary_pairs", "canary_nodes", "collectives"})
    copy_parts(connection, table, "reading", "(SELECT * FROM reading_map WHERE is_new)");
  connection.run(R"(
    INSERT OR REPLACE INTO main.run_canaries (run, moment, reading)
      SELECT m.ours, t.moment, r.ours FROM run_map AS m
      CROSS JOIN other.run_canaries AS t ON t.run = m.theirs
      CROSS JOIN reading_map AS r ON r.theirs = t.reading WHERE m.how > 0)");
}

/// The newest note counts: those of both are written down anew, in the order of their times.
void copy_notes(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE fresh AS SELECT m.ours AS run, t.text, t.written_at, 1 AS theirs, t.id
      FROM other.notes AS t JOIN run_map AS m ON m.theirs = t.run
      WHERE NOT EXISTS (SELECT 1 FROM main.notes AS o WHERE o.run = m.ours
        AND o.text = t.text AND o.written_at = t.written_at);
    INSERT INTO fresh SELECT run, text, written_at, 0, id FROM main.notes
      WHERE run IN (SELECT run FROM fresh);
    DELETE FROM main.notes WHERE run IN (SELECT run FROM fresh);
    INSERT INTO main.notes (run, text, written_at)
      SELECT run, text, written_at FROM fresh ORDER BY written_at, theirs, id;
    DROP TABLE fresh)");
}

void copy_drops(Connection& connection) {
  connection.run(R"(
    INSERT OR IGNORE INTO main.dropped_runs (run, reason, dropped_at)
      SELECT m.ours, t.reason, t.dropped_at FROM other.dropped_runs AS t
      JOIN run_map AS m ON m.theirs = t.run;
    INSERT OR IGNORE INTO main.dropped_campaigns (campaign, reason, dropped_at)
      SELECT m.ours, t.reason, t.dropped_at FROM other.dropped_campaigns AS t
      JOIN campaign_map AS m ON m.theirs = t.campaign)");
  Statement grown = connection.prepare(
      "SELECT m.ours, o.position FROM foreign_logs AS l JOIN log_map AS m ON m.theirs = l.theirs "
      "JOIN (SELECT t.log, max(t.position) AS position FROM run_map JOIN other.runs AS t ON "
      "t.id = run_map.theirs WHERE how = 2 GROUP BY t.log) AS o ON o.log = l.theirs "
      "WHERE l.how = 2");
  while (grown.step()) drop_like_others(connection, grown.integer(0), grown.integer(1));
}

/// A tag that is here stays where it is, and one may not be called like a sweep.
void copy_tags(Connection& connection, Merged& merged) {
  Statement taken = connection.prepare(
      "SELECT t.name FROM other.tags AS t JOIN campaign_map AS m ON m.theirs = t.campaign "
      "WHERE t.name IN (SELECT name FROM main.sweeps) OR EXISTS (SELECT 1 FROM main.tags AS o "
      "WHERE o.name = t.name AND o.campaign <> m.ours) ORDER BY 1");
  while (taken.step()) merged.tags_left.push_back(taken.text(0));
  connection.run(R"(
    INSERT OR IGNORE INTO main.tags (name, campaign)
      SELECT t.name, m.ours FROM other.tags AS t JOIN campaign_map AS m ON m.theirs = t.campaign
      WHERE t.name NOT IN (SELECT name FROM main.sweeps))");
}

/// A log from elsewhere that turns out to be a campaign's own gives way to it.
void give_way(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE copies AS
      SELECT r.id AS run, own.id AS heir FROM log_map AS m
      JOIN main.runs AS own ON own.log = m.ours
      JOIN main.allocations AS oa ON oa.id = own.allocation AND oa.campaign IS NOT NULL
      JOIN main.logs AS l ON l.id = m.ours
      JOIN main.logs AS c ON c.size_bytes = l.size_bytes AND c.content_hash = l.content_hash
        AND c.id <> l.id
      JOIN main.runs AS r ON r.log = c.id
      JOIN main.allocations AS a ON a.id = r.allocation AND a.campaign IS NULL)");
  Chosen copies;
  for (Statement rows = connection.prepare("SELECT run, heir FROM copies"); rows.step();) {
    hand_over(connection, rows.integer(0), rows.integer(1));
    copies.runs.push_back(rows.integer(0));
  }
  connection.run("DROP TABLE copies");
  if (!copies.runs.empty()) delete_runs(connection, copies);
}

}  // namespace

void copy_rows(Connection& connection, Merged& merged) {
  if (merged.campaigns + merged.runs + merged.grown > 0) forget_rows(connection);
  copy_points(connection);
  copy_plans(connection);
  copy_logs_and_allocations(connection);
  copy_runs(connection);
  copy_records(connection);
  copy_readings(connection);
  copy_notes(connection);
  copy_drops(connection);
  copy_tags(connection, merged);
  give_way(connection);
}

}  // namespace pippin::db
