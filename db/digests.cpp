#include "db/digests.h"

namespace pippin::db {

namespace {

LineSummary lines_at(const Statement& row, int column) {
  LineSummary lines;
  lines.lines = row.integer(column);
  for (double* value :
       {&lines.mean_ms, &lines.sd_ms, &lines.min_ms, &lines.p25_ms, &lines.median_ms, &lines.p75_ms,
        &lines.p95_ms, &lines.p99_ms, &lines.max_ms})
    *value = row.maybe_real(++column).value_or(0);
  return lines;
}

/// NULL where there are no lines.
std::optional<double> known(const LineSummary& lines, double value) {
  return lines.lines > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

DigestReader::DigestReader(Connection& connection, std::int64_t version)
    : version_(version),
      row_(connection.prepare(
          "SELECT gbs, batch_grew, flagged, slowdown, unsteady, clean_lines, clean_mean_ms, "
          "clean_sd_ms, "
          "clean_min_ms, clean_p25_ms, clean_median_ms, clean_p75_ms, clean_p95_ms, clean_p99_ms, "
          "clean_max_ms, lines, mean_ms, sd_ms, min_ms, p25_ms, median_ms, p75_ms, p95_ms, p99_ms, "
          "max_ms "
          "FROM run_digests WHERE run = ? AND version = ?")) {}

std::optional<RunDigest> DigestReader::of(std::int64_t run) {
  constexpr int kClean = 5, kAll = 15;  // the first column of each
  if (!row_.bind(run, version_).step()) return std::nullopt;
  RunDigest digest;
  digest.gbs = row_.maybe_integer(0);
  digest.batch_grew = row_.integer(1) != 0;
  digest.flagged = row_.integer(2) != 0;
  digest.slowdown = row_.integer(3) != 0;
  digest.unsteady = row_.integer(4) != 0;
  digest.clean = lines_at(row_, kClean);
  digest.all = lines_at(row_, kAll);
  return digest;
}

void put_digest(Connection& connection, const DigestRecord& record, std::int64_t version) {
  const RunDigest& digest = record.digest;
  const LineSummary &c = digest.clean, &a = digest.all;
  connection
      .prepare(
          "INSERT OR REPLACE INTO run_digests (run, version, gbs, batch_grew, flagged, slowdown, "
          "unsteady, clean_lines, clean_mean_ms, clean_sd_ms, "
          "clean_min_ms, clean_p25_ms, clean_median_ms, clean_p75_ms, clean_p95_ms, clean_p99_ms, "
          "clean_max_ms, lines, mean_ms, sd_ms, min_ms, p25_ms, median_ms, p75_ms, p95_ms, p99_ms, "
          "max_ms) "
          "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? "
          "WHERE EXISTS (SELECT 1 FROM runs WHERE id = ?1) AND (SELECT count(*) FROM iterations "
          "WHERE run = ?1) = ?28")
      .run(record.run, version, digest.gbs, digest.batch_grew, digest.flagged, digest.slowdown,
           digest.unsteady, c.lines, known(c, c.mean_ms), known(c, c.sd_ms), known(c, c.min_ms),
           known(c, c.p25_ms), known(c, c.median_ms), known(c, c.p75_ms), known(c, c.p95_ms),
           known(c, c.p99_ms), known(c, c.max_ms), a.lines, known(a, a.mean_ms), known(a, a.sd_ms),
           known(a, a.min_ms), known(a, a.p25_ms), known(a, a.median_ms), known(a, a.p75_ms),
           known(a, a.p95_ms), known(a, a.p99_ms), known(a, a.max_ms), record.lines);
}

}  // namespace pippin::db
