#include <fmt/format.h>

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

std::optional<ToldLog> log_read_by_patterns(Connection& connection, const fs::path& path) {
  Statement rows = connection.prepare(
      "SELECT told, head, max(size_bytes) FROM logs INDEXED BY logs_by_path WHERE path = ? "
      "AND of_campaign = 0 AND instr(told, ?) > 0");
  if (!rows.bind(path.native(), fmt::format("\"{}", kPatternPrefix)).step() || rows.null(0))
    return std::nullopt;
  return ToldLog{pairs_in(rows.text(0)), rows.text(1)};
}

}  // namespace pippin::db
