// SPDX-License-Identifier: Apache-2.0
#include "db/json.h"
#include "db/operations.h"

namespace pippin::db {

void put_read_file(Connection& connection, const ReadFile& file,
                   const std::optional<std::int64_t>& log) {
  connection
      .prepare(
          "INSERT OR REPLACE INTO read_files (path, size_bytes, written_ns, inode, "
          "scraper_version, is_log, log) VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(file.path.string(), file.stamp.size_bytes, file.stamp.written_ns, file.stamp.inode,
           file.scraper_version, file.is_log ? 1 : 0, log);
}

std::unordered_map<std::string, ReadFile> read_files(Connection& connection, const fs::path& path) {
  Statement rows = connection.prepare(
      "SELECT f.path, f.size_bytes, written_ns, inode, scraper_version, is_log, logs.id IS NOT "
      "NULL, "
      "coalesce(logs.path, '') "
      "FROM read_files AS f LEFT JOIN logs ON logs.id = f.log "
      "WHERE f.path = ?1 OR (f.path > ?1 || '/' AND f.path < ?1 || '0')");
  std::unordered_map<std::string, ReadFile> files;
  for (rows.bind(path.string()); rows.step();) {
    files[rows.text(0)] = {
        rows.text(0),         {rows.integer(1), rows.integer(2), rows.integer(3)},
        rows.integer(4),      rows.integer(5) != 0,
        rows.integer(6) != 0, rows.text(7)};
  }
  return files;
}

bool has_told_logs(Connection& connection) {
  return connection
      .prepare("SELECT 1 FROM logs INDEXED BY told_logs WHERE told IS NOT NULL LIMIT 1")
      .step();
}

std::vector<ToldLog> told_logs(Connection& connection, const fs::path& path,
                               const fs::path& read_path) {
  Statement rows = connection.prepare(
      "SELECT told, size_bytes, content_hash FROM ("
      "SELECT id AS log FROM logs INDEXED BY told_logs WHERE path = ?1 AND told IS NOT NULL "
      "UNION SELECT log FROM read_files WHERE path = ?2) AS places "
      "CROSS JOIN logs ON logs.id = places.log "
      "WHERE of_campaign = 0 AND told IS NOT NULL ORDER BY size_bytes DESC");
  std::vector<ToldLog> logs;
  for (rows.bind(path.native(), read_path.native()); rows.step();)
    logs.push_back({pairs_in(rows.text(0)), rows.integer(1), rows.text(2)});
  return logs;
}

}  // namespace pippin::db
