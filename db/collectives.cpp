// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "db/drops.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

/// Readings of runs that are kept, and of no run where no sweep is named.
constexpr const char* kReadings =
    "WITH readings AS (SELECT r.*, (SELECT campaigns.cluster FROM allocations JOIN campaigns "
    "ON campaigns.id = allocations.campaign WHERE allocations.id = r.allocation) AS cluster "
    "FROM canary_readings AS r WHERE r.problem IS NULL AND ("
    "(r.log IS NOT NULL AND (?1 IS NULL OR ?1 = '')) OR r.id IN (SELECT run_canaries.reading "
    "FROM run_canaries JOIN runs ON runs.id = run_canaries.run "
    "JOIN allocations ON allocations.id = runs.allocation "
    "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
    "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep "
    "WHERE (?1 IS NULL OR coalesce(sweeps.name, '') = ?1) "
    "AND (?2 IS NULL OR campaigns.number = ?2) AND {}))) ";

/// What older pippins collected, and canaries take, are all-reduces alone.
constexpr const char* kMeasured =
    "SELECT r.id, r.taken_at, r.ranks, r.nodes, r.library, c.operation, c.size_bytes, c.in_place, "
    "c.number_type, c.time_us, c.algbw_gb_per_s, c.busbw_gb_per_s, c.wrong, c.position, r.cluster "
    "FROM readings AS r JOIN collectives AS c ON c.reading = r.id UNION ALL "
    "SELECT r.id, r.taken_at, r.ranks, r.nodes, r.library, 'all_reduce', a.size_bytes, NULL, NULL, "
    "a.median_us, NULL, a.median_busbw_gb_per_s, NULL, a.size_bytes, r.cluster "
    "FROM readings AS r JOIN canary_all_reduce AS a ON a.reading = r.id "
    "WHERE NOT EXISTS (SELECT 1 FROM collectives WHERE reading = r.id) ORDER BY 1, 14";

CollectiveReading reading_at(const Statement& row) {
  CollectiveReading reading;
  reading.reading = row.integer(0);
  reading.taken_at = row.integer(1);
  reading.ranks = row.maybe_integer(2).value_or(0);
  reading.nodes = row.maybe_integer(3).value_or(0);
  reading.library = row.text(4);
  Collective& measured = reading.measured;
  measured.operation = row.text(5);
  measured.bytes = row.integer(6);
  if (const auto in_place = row.maybe_integer(7)) measured.in_place = *in_place != 0;
  measured.number_type = row.text(8);
  measured.time_us = row.real(9);
  measured.algbw_gb_per_s = row.maybe_real(10);
  measured.busbw_gb_per_s = row.maybe_real(11);
  measured.wrong = row.maybe_integer(12);
  constexpr int kCluster = 14;
  reading.cluster = row.text(kCluster);
  return reading;
}

}  // namespace

std::vector<CollectiveReading> collectives(Connection& connection, const SampleFilter& filter) {
  std::vector<CollectiveReading> readings;
  const std::string kept = filter.dropped ? fmt::format("NOT ({})", kKeptRuns) : kKeptRuns;
  Statement rows = connection.prepare(fmt::format(fmt::runtime(kReadings), kept) + kMeasured);
  rows.bind(filter.sweep, filter.campaign);
  while (rows.step()) readings.push_back(reading_at(rows));
  return readings;
}

}  // namespace pippin::db
