#include <fmt/format.h>
#include <map>
#include <utility>

#include "db/operations.h"

namespace pippin::db {

namespace {

/// Runs of a sweep and campaign: of all, where none is named.
constexpr const char* kSelected =
    "FROM runs JOIN allocations ON allocations.id = runs.allocation "
    "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
    "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep {} "
    "WHERE (?1 IS NULL OR coalesce(sweeps.name, '') = ?1) "
    "AND (?2 IS NULL OR campaigns.number = ?2)";

Statement selected(Connection& connection, const SampleFilter& filter, const std::string& columns,
                   const std::string& joins, const std::string& order) {
  Statement rows = connection.prepare("SELECT " + columns + " " +
                                      fmt::format(fmt::runtime(kSelected), joins) + order);
  rows.bind(filter.sweep, filter.campaign);
  return rows;
}

using Evidence = std::map<std::int64_t, RunEvidence>;

void add_nodes(Connection& connection, const SampleFilter& filter, Evidence& evidence) {
  Statement rows = selected(connection, filter, "runs.id, nodes.name",
                            "JOIN run_nodes ON run_nodes.run = runs.id "
                            "JOIN nodes ON nodes.id = run_nodes.node",
                            " ORDER BY runs.id, nodes.name");
  while (rows.step()) evidence[rows.integer(0)].nodes.push_back(rows.text(1));
}

CanaryEvidence reading_at(const Statement& row) {
  CanaryEvidence reading;
  reading.reading = row.integer(2);
  reading.taken_at = row.integer(3);
  reading.all_reduce_bytes = row.maybe_integer(4).value_or(0);
  reading.all_reduce_us = row.maybe_real(5).value_or(0);
  reading.gemm.m = row.integer(6);
  reading.gemm.n = row.integer(7);
  reading.gemm.k = row.integer(8);
  reading.gemm.min_tflops = row.real(9);
  reading.gemm.median_tflops = row.real(10);
  reading.gemm.max_tflops = row.real(11);
  reading.gemm.slowest_rank = row.integer(12);
  reading.gemm.slowest_host = row.text(13);
  return reading;
}

/// Readings with figures; those that failed say nothing.
void add_canaries(Connection& connection, const SampleFilter& filter, Evidence& evidence) {
  Statement rows = selected(
      connection, filter,
      "runs.id, run_canaries.moment, r.id, r.taken_at, largest.size_bytes, largest.median_us, "
      "r.gemm_m, r.gemm_n, r.gemm_k, r.gemm_min_tflops, r.gemm_median_tflops, r.gemm_max_tflops, "
      "r.gemm_slowest_rank, r.gemm_slowest_host",
      "JOIN run_canaries ON run_canaries.run = runs.id "
      "JOIN canary_readings AS r ON r.id = run_canaries.reading AND r.problem IS NULL "
      "LEFT JOIN canary_all_reduce AS largest ON largest.reading = r.id AND largest.size_bytes = "
      "(SELECT max(size_bytes) FROM canary_all_reduce WHERE reading = r.id)",
      "");
  while (rows.step()) {
    RunEvidence& run = evidence[rows.integer(0)];
    (rows.text(1) == "before" ? run.before : run.after) = reading_at(rows);
  }
}

void add_pairs(Connection& connection, const SampleFilter& filter, Evidence& evidence) {
  std::map<std::int64_t, std::vector<CanaryPair>> pairs;
  Statement rows =
      selected(connection, filter, "DISTINCT p.reading, p.node_a, p.node_b, p.bandwidth_gb_per_s",
               "JOIN run_canaries ON run_canaries.run = runs.id "
               "JOIN canary_pairs AS p ON p.reading = run_canaries.reading",
               " ORDER BY p.reading, p.node_a, p.node_b");
  while (rows.step()) pairs[rows.integer(0)].push_back({rows.text(1), rows.text(2), rows.real(3)});
  for (auto& [id, run] : evidence) {
    for (auto* reading : {&run.before, &run.after}) {
      if (!*reading) continue;
      const auto found = pairs.find((*reading)->reading);
      if (found != pairs.end()) (*reading)->pairs = found->second;
    }
  }
}

}  // namespace

std::vector<RunEvidence> evidence(Connection& connection, const SampleFilter& filter) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  Evidence by_run;
  add_nodes(connection, filter, by_run);
  add_canaries(connection, filter, by_run);
  add_pairs(connection, filter, by_run);
  moment.commit();
  std::vector<RunEvidence> result;
  for (auto& [id, run] : by_run) {
    run.run = id;
    result.push_back(std::move(run));
  }
  return result;
}

}  // namespace pippin::db
