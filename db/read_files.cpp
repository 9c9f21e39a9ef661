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

bool has_logs_read_by_patterns(Connection& connection) {
  return connection
      .prepare(
          "SELECT 1 FROM logs INDEXED BY logs_read_by_patterns WHERE instr(told, '\"scrape.') "
          "> 0 LIMIT 1")
      .step();
}

std::optional<ToldLog> log_read_by_patterns(Connection& connection, const fs::path& path) {
  Statement rows = connection.prepare(
      "SELECT told, head FROM logs INDEXED BY logs_read_by_patterns WHERE path = ? AND of_campaign "
      "= 0 AND instr(told, '\"scrape.') > 0 ORDER BY size_bytes DESC LIMIT 1");
  if (!rows.bind(path.native()).step()) return std::nullopt;
  return ToldLog{pairs_in(rows.text(0)), rows.text(1)};
}

}  // namespace pippin::db
