// SPDX-License-Identifier: Apache-2.0
#include "db/digests.h"

#include <cmath>
#include <fmt/format.h>

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

/// Whether lines can have such figures: what else stands there, damaged or from elsewhere, is no
/// summary, and is made anew of the lines.
bool can_be(const LineSummary& lines) {
  constexpr double kMost_ms = 1e12;  // of a step: thirty years
  const auto is_time = [](double time_ms) { return time_ms >= 0 && time_ms <= kMost_ms; };
  return lines.lines >= 0 && is_time(lines.mean_ms) && is_time(lines.sd_ms) &&
         is_time(lines.min_ms) && is_time(lines.p25_ms) && is_time(lines.median_ms) &&
         is_time(lines.p75_ms) && is_time(lines.p95_ms) && is_time(lines.p99_ms) &&
         is_time(lines.max_ms);
}

/// NULL where there are no lines.
std::optional<double> known(const LineSummary& lines, double value) {
  return lines.lines > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<RunDigest> digest_at(const Statement& row, int column) {
  const int clean = column + 5, all = clean + 10;  // the first column of each
  if (row.null(clean)) return std::nullopt;
  RunDigest digest;
  digest.gbs = row.maybe_integer(column);
  digest.batch_grew = row.integer(column + 1) != 0;
  digest.flagged = row.integer(column + 2) != 0;
  digest.slowdown = row.integer(column + 3) != 0;
  digest.unsteady = row.integer(column + 4) != 0;
  digest.clean = lines_at(row, clean);
  digest.all = lines_at(row, all);
  digest.trend = row.maybe_real(all + 10).value_or(0);
  digest.times = static_cast<LineTimes>(row.integer(all + 11));
  if (digest.gbs && !is_batch(*digest.gbs)) return std::nullopt;
  if (!can_be(digest.clean) || !can_be(digest.all) || !std::isfinite(digest.trend))
    return std::nullopt;
  return digest;
}

namespace {

std::string put_text(const char* how) {
  return fmt::format(
      "{} INTO run_digests (run, version, {}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      how, kDigestColumns);
}

void put_row(Connection& connection, const std::string& sql, const DigestRecord& record,
             std::int64_t version) {
  const RunDigest& digest = record.digest;
  const LineSummary &c = digest.clean, &a = digest.all;
  connection.prepare(sql).run(
      record.run, version, digest.gbs, digest.batch_grew, digest.flagged, digest.slowdown,
      digest.unsteady, c.lines, known(c, c.mean_ms), known(c, c.sd_ms), known(c, c.min_ms),
      known(c, c.p25_ms), known(c, c.median_ms), known(c, c.p75_ms), known(c, c.p95_ms),
      known(c, c.p99_ms), known(c, c.max_ms), a.lines, known(a, a.mean_ms), known(a, a.sd_ms),
      known(a, a.min_ms), known(a, a.p25_ms), known(a, a.median_ms), known(a, a.p75_ms),
      known(a, a.p95_ms), known(a, a.p99_ms), known(a, a.max_ms), digest.trend,
      static_cast<std::int64_t>(digest.times));
}

}  // namespace

void add_digest(Connection& connection, const DigestRecord& record, std::int64_t version) {
  static const std::string text = put_text("INSERT");
  put_row(connection, text, record, version);
}

void put_digest(Connection& connection, const DigestRecord& record, std::int64_t version) {
  static const std::string text = put_text("INSERT OR REPLACE");
  put_row(connection, text, record, version);
}

}  // namespace pippin::db
