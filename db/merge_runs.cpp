// SPDX-License-Identifier: Apache-2.0
// Which run, log, allocation, node and reading of another database is which here.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "db/merge.h"
#include "db/stored_lines.h"

namespace pippin::db {

namespace {

/// Runs of campaigns that are here, too: known by campaign and name. The later attempt counts; of
/// one attempt the longer log, or the one that a better scraper read.
void map_runs_of_campaigns(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE run_map (theirs INTEGER PRIMARY KEY, ours INTEGER, how INTEGER);
    CREATE TEMP TABLE known_runs (campaign INTEGER, name TEXT, run INTEGER, attempt INTEGER,
      size_bytes INTEGER, version INTEGER,
      PRIMARY KEY (campaign, name)) WITHOUT ROWID;
    INSERT OR REPLACE INTO known_runs
      SELECT m.ours, runs.name, runs.id, a.attempt, coalesce(logs.size_bytes, -1),
        runs.scraper_version
      FROM campaign_map AS m CROSS JOIN main.allocations AS a ON a.campaign = m.ours
      CROSS JOIN main.runs ON runs.allocation = a.id
      LEFT JOIN main.logs ON logs.id = runs.log
      WHERE NOT m.is_new;
    INSERT INTO run_map
      SELECT t.id, k.run, CASE
        WHEN k.run IS NULL THEN 1
        WHEN (a.attempt, coalesce(logs.size_bytes, -1), t.scraper_version)
          > (k.attempt, k.size_bytes, k.version) THEN 2
        ELSE 0 END
      FROM other.runs AS t CROSS JOIN other.allocations AS a ON a.id = t.allocation
      CROSS JOIN campaign_map AS m ON m.theirs = a.campaign
      CROSS JOIN main.campaigns AS c ON c.id = m.ours
      CROSS JOIN main.sweeps AS s ON s.id = c.sweep
      LEFT JOIN other.logs ON logs.id = t.log
      LEFT JOIN known_runs AS k ON k.campaign = m.ours AND k.name = t.name
      WHERE NOT EXISTS (SELECT 1 FROM main.deleted_runs AS d
        WHERE d.sweep = s.name AND d.campaign = c.number AND d.run = t.name);
    DROP TABLE known_runs)");
}

/// Logs from elsewhere, by content: `ours` where the same is here, or NULL.
void map_logs_of_elsewhere(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE foreign_logs (theirs INTEGER PRIMARY KEY, ours INTEGER, how INTEGER);
    INSERT OR IGNORE INTO foreign_logs
      SELECT t.id, (SELECT min(o.id) FROM main.logs AS o
        WHERE o.size_bytes = t.size_bytes AND o.content_hash = t.content_hash), 1
      FROM other.allocations AS a JOIN other.runs AS r ON r.allocation = a.id
      JOIN other.logs AS t ON t.id = r.log
      WHERE a.campaign IS NULL AND NOT EXISTS (SELECT 1 FROM main.deleted_logs AS d
        WHERE d.head_hash = t.head_hash AND d.size_bytes = t.size_bytes
          AND d.content_hash = t.content_hash);
    UPDATE foreign_logs SET how = 0 WHERE ours IS NOT NULL)");
}

/// The first line of each log from elsewhere in a database: copies of a log that was still growing
/// share it.
struct FirstLines {
  std::int64_t log, size_bytes;
  std::string head;
  std::optional<double> lm_loss;
};
using ByFirstLine = std::map<std::pair<double, std::int64_t>, std::vector<FirstLines>>;

/// By time and number. `which`: a condition on the log.
ByFirstLine first_lines(Connection& connection, const std::string& file, const char* which) {
  Statement logs = connection.prepare(fmt::format(
      "SELECT logs.id, size_bytes, head, runs.id FROM {0}.logs "
      "CROSS JOIN {0}.runs ON runs.log = logs.id AND runs.position = 1 "
      "CROSS JOIN {0}.allocations AS a ON a.id = runs.allocation AND a.campaign IS NULL "
      "WHERE {1} ORDER BY logs.id",
      file, which));
  ByFirstLine lines;
  while (logs.step()) {
    StoredLines stored(connection, file, logs.integer(3));
    if (!stored.next()) continue;
    lines[{stored.step_time_ms(), stored.number()}].push_back(
        {logs.integer(0), logs.integer(1), logs.text(2), stored.lm_loss()});
  }
  return lines;
}

/// Whether every line of the shorter log stands in the longer one. `shorter`, `longer`: the
/// databases they are in.
bool is_beginning(Connection& connection, const std::string& shorter, const FirstLines& s,
                  const std::string& longer, const FirstLines& l) {
  const auto common = std::min(static_cast<std::size_t>(s.size_bytes), l.head.size());
  if (std::string_view(l.head).substr(0, common) != s.head) return false;
  Statement runs = connection.prepare(
      fmt::format("SELECT s.id, l.id FROM {}.runs AS s LEFT JOIN {}.runs AS l ON l.log = ? "
                  "AND l.position = s.position WHERE s.log = ?",
                  shorter, longer));
  for (runs.bind(l.log, s.log); runs.step();) {
    StoredLines some(connection, shorter, runs.integer(0));
    if (runs.null(1)) {
      if (some.next()) return false;
      continue;
    }
    StoredLines more(connection, longer, runs.integer(1));
    while (some.next()) {
      if (!more.next() || more.number() != some.number() ||
          more.step_time_ms() != some.step_time_ms() || more.lm_loss() != some.lm_loss())
        return false;
    }
  }
  return true;
}

/// Of a log that has grown the longer copy counts.
void map_grown_logs(Connection& connection) {
  const ByFirstLine theirs = first_lines(connection, "other",
                                         "logs.id IN (SELECT theirs FROM foreign_logs WHERE ours "
                                         "IS NULL)");
  if (theirs.empty()) return;
  const ByFirstLine ours = first_lines(connection, "main", "true");
  Statement found =
      connection.prepare("UPDATE foreign_logs SET ours = ?, how = ? WHERE theirs = ?");
  for (const auto& [first, logs] : theirs) {
    const auto alike = ours.find(first);
    if (alike == ours.end()) continue;
    for (const auto& t : logs) {
      std::optional<std::int64_t> longer, shorter;
      for (const auto& o : alike->second) {
        if (o.lm_loss != t.lm_loss) continue;
        if (!longer && t.size_bytes < o.size_bytes &&
            is_beginning(connection, "other", t, "main", o))
          longer = o.log;
        if (!shorter && o.size_bytes < t.size_bytes &&
            is_beginning(connection, "main", o, "other", t))
          shorter = o.log;
      }
      if (longer) {
        found.run(*longer, 0, t.log);
      } else if (shorter) {
        found.run(*shorter, 2, t.log);
      }
    }
  }
}

void map_runs_of_elsewhere(Connection& connection) {
  connection.run(R"(
    INSERT INTO run_map
      SELECT t.id, o.id, CASE WHEN l.how = 0 THEN 0 WHEN o.id IS NULL THEN 1 ELSE 2 END
      FROM foreign_logs AS l CROSS JOIN other.runs AS t ON t.log = l.theirs
      LEFT JOIN main.runs AS o ON o.log = l.ours AND o.position = t.position
      WHERE l.how > 0 OR o.id IS NOT NULL)");
}

/// New rows keep the order of their ids, behind all that are here.
std::string behind(const char* table) {
  return fmt::format("(SELECT coalesce(max(id), 0) FROM main.{})", table);
}

void map_logs(Connection& connection) {
  connection.run(fmt::format(
      "CREATE TEMP TABLE log_map (theirs INTEGER PRIMARY KEY, ours INTEGER, is_new INTEGER);"
      "INSERT OR IGNORE INTO log_map SELECT log, log + {0}, 1 FROM run_map "
      "JOIN other.runs ON runs.id = run_map.theirs WHERE how > 0 AND log IS NOT NULL;"
      "INSERT OR IGNORE INTO log_map SELECT t.id, t.id + {0}, 1 FROM other.canary_readings AS r "
      "JOIN other.logs AS t ON t.id = r.log WHERE NOT EXISTS (SELECT 1 FROM main.logs AS o "
      "WHERE o.size_bytes = t.size_bytes AND o.content_hash = t.content_hash)",
      behind("logs")));
}

/// A foreign log's allocation is named like its file, and gets digits of its content where another
/// log here is called so.
void map_allocations(Connection& connection) {
  connection.run(fmt::format(
      R"(
    CREATE TEMP TABLE allocation_map (theirs INTEGER PRIMARY KEY, ours INTEGER, is_new INTEGER,
      name TEXT);
    CREATE TEMP TABLE needed AS
      SELECT DISTINCT runs.allocation AS id FROM run_map
      JOIN other.runs ON runs.id = run_map.theirs WHERE how > 0
      UNION SELECT allocation FROM other.canary_readings JOIN log_map ON log_map.theirs = log;
    INSERT INTO allocation_map
      SELECT a.id, o.id, 0, a.name FROM needed CROSS JOIN other.allocations AS a USING (id)
      CROSS JOIN campaign_map AS m ON m.theirs = a.campaign
      CROSS JOIN main.allocations AS o
        ON o.campaign = m.ours AND o.name = a.name AND o.attempt = a.attempt;
    INSERT OR IGNORE INTO allocation_map
      SELECT t.allocation, o.allocation, 0, '' FROM run_map AS m
      CROSS JOIN other.runs AS t ON t.id = m.theirs
      CROSS JOIN foreign_logs AS l ON l.theirs = t.log
      CROSS JOIN main.runs AS o ON o.id = m.ours WHERE m.how = 2;
    CREATE TEMP TABLE taken AS SELECT DISTINCT name FROM main.allocations WHERE campaign IS NULL;
    CREATE INDEX temp.taken_by_name ON taken(name);
    INSERT OR IGNORE INTO allocation_map
      SELECT a.id, a.id + {}, 1, CASE
        WHEN a.campaign IS NOT NULL OR a.name NOT IN (SELECT name FROM taken) THEN a.name
        ELSE a.name || '-' || substr(coalesce(
          (SELECT content_hash FROM other.runs JOIN other.logs ON logs.id = runs.log
            WHERE runs.allocation = a.id LIMIT 1),
          (SELECT content_hash FROM other.canary_readings AS r JOIN other.logs ON logs.id = r.log
            WHERE r.allocation = a.id LIMIT 1), a.id), 1, 8) END
      FROM needed CROSS JOIN other.allocations AS a USING (id);
    DROP TABLE needed;
    DROP TABLE taken;
    UPDATE run_map SET ours = theirs + {} WHERE how = 1)",
      behind("allocations"), behind("runs")));
}

void map_nodes_and_readings(Connection& connection) {
  connection.run(fmt::format(
      R"(
    INSERT OR IGNORE INTO main.nodes (name) SELECT DISTINCT n.name FROM run_map
      CROSS JOIN other.run_nodes AS rn ON rn.run = run_map.theirs
      CROSS JOIN other.nodes AS n ON n.id = rn.node WHERE how > 0;
    CREATE TEMP TABLE node_map (theirs INTEGER PRIMARY KEY, ours INTEGER);
    INSERT INTO node_map SELECT t.id, o.id FROM other.nodes AS t JOIN main.nodes AS o USING (name);
    CREATE TEMP TABLE reading_map (theirs INTEGER PRIMARY KEY, ours INTEGER, is_new INTEGER);
    CREATE TEMP TABLE needed AS
      SELECT DISTINCT reading AS id FROM run_map
      JOIN other.run_canaries ON run = run_map.theirs WHERE how > 0
      UNION SELECT r.id FROM other.canary_readings AS r JOIN log_map ON log_map.theirs = r.log;
    INSERT INTO reading_map
      SELECT t.id, coalesce(o.id, t.id + {}), o.id IS NULL
      FROM needed CROSS JOIN other.canary_readings AS t USING (id)
      CROSS JOIN allocation_map AS a ON a.theirs = t.allocation
      LEFT JOIN main.canary_readings AS o ON o.allocation = a.ours AND o.number = t.number;
    DROP TABLE needed)",
      behind("canary_readings")));
}

}  // namespace

void map_runs(Connection& connection, Merged& merged) {
  map_runs_of_campaigns(connection);
  map_logs_of_elsewhere(connection);
  map_grown_logs(connection);
  map_runs_of_elsewhere(connection);
  map_logs(connection);
  map_allocations(connection);
  map_nodes_and_readings(connection);
  merged.runs = connection.number("SELECT count(*) FROM run_map WHERE how = 1");
  merged.grown = connection.number("SELECT count(*) FROM run_map WHERE how = 2");
  merged.left_out = connection.number(
      "SELECT count(*) FROM other.runs WHERE id NOT IN (SELECT theirs FROM run_map)");
}

}  // namespace pippin::db
