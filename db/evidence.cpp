// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <utility>

#include "db/operations.h"
#include "db/selected.h"

namespace pippin::db {

namespace {

using ByRun = std::map<std::int64_t, RunEvidence>;

void add_nodes(Connection& connection, const SampleFilter& filter, ByRun& runs) {
  Statement rows = selected(connection, filter, "runs.id, nodes.name",
                            "JOIN run_nodes ON run_nodes.run = runs.id "
                            "JOIN nodes ON nodes.id = run_nodes.node",
                            " ORDER BY runs.id, nodes.name");
  while (rows.step()) runs[rows.integer(0)].nodes.push_back(rows.text(1));
}

void add_slowest_ranks(Connection& connection, const SampleFilter& filter, ByRun& runs) {
  Statement rows =
      selected(connection, filter, "runs.id, s.rank, s.node, s.lines, s.computing_ms, s.mean_ms",
               "JOIN slowest_ranks AS s ON s.run = runs.id", " ORDER BY runs.id, s.rank, s.node");
  while (rows.step()) {
    runs[rows.integer(0)].slowest_ranks.push_back(
        {rows.integer(1), rows.text(2), rows.integer(3), rows.real(4), rows.real(5)});
  }
}

constexpr const char* kReading =
    "r.id, r.taken_at, largest.size_bytes, largest.median_us, r.gemm_m, r.gemm_n, r.gemm_k, "
    "r.gemm_min_tflops, r.gemm_median_tflops, r.gemm_max_tflops, r.gemm_slowest_rank, "
    "r.gemm_slowest_host, r.ranks, r.nodes, (SELECT clustered.cluster FROM allocations AS taken "
    "JOIN campaigns AS clustered ON clustered.id = taken.campaign WHERE taken.id = r.allocation)";
constexpr const char* kLargest =
    " LEFT JOIN canary_all_reduce AS largest ON largest.reading = r.id AND largest.size_bytes = "
    "(SELECT max(size_bytes) FROM canary_all_reduce WHERE reading = r.id) ";

/// A row of kReading, from `column` on.
CanaryEvidence reading_at(const Statement& row, int column) {
  CanaryEvidence reading;
  const auto count = [&](int i) { return row.maybe_integer(column + i).value_or(0); };
  const auto number = [&](int i) { return row.maybe_real(column + i).value_or(0); };
  reading.reading = count(0);
  reading.taken_at = count(1);
  reading.all_reduce_bytes = count(2);
  reading.all_reduce_us = number(3);
  reading.gemm.m = count(4);
  reading.gemm.n = count(5);
  reading.gemm.k = count(6);
  reading.gemm.min_tflops = number(7);
  reading.gemm.median_tflops = number(8);
  reading.gemm.max_tflops = number(9);
  reading.gemm.slowest_rank = count(10);
  reading.gemm.slowest_host = row.text(column + 11);
  reading.ranks = count(12);
  reading.nodes = count(13);
  reading.cluster = row.text(column + 14);
  return reading;
}

/// Readings with figures; those that failed say nothing.
void add_canaries(Connection& connection, const SampleFilter& filter, ByRun& runs) {
  Statement rows = selected(
      connection, filter, fmt::format("runs.id, run_canaries.moment, {}", kReading),
      fmt::format(
          "JOIN run_canaries ON run_canaries.run = runs.id "
          "JOIN canary_readings AS r ON r.id = run_canaries.reading AND r.problem IS NULL{}",
          kLargest),
      "");
  while (rows.step()) {
    RunEvidence& run = runs[rows.integer(0)];
    (rows.text(1) == "before" ? run.before : run.after) = reading_at(rows, 2);
  }
}

/// What readings have in tables of their own.
struct Parts {
  std::map<std::int64_t, std::vector<CanaryPair>> pairs;
  std::map<std::int64_t, std::vector<CanaryNode>> nodes;

  void add_pair(const Statement& row) {
    pairs[row.integer(0)].push_back(
        {row.text(1), row.text(2), row.real(3), row.maybe_integer(4), row.maybe_integer(5)});
  }
  void add_node(const Statement& row) {
    nodes[row.integer(0)].push_back(
        {row.text(1), row.text(2), row.maybe_real(3), row.maybe_real(4)});
  }
  void give(CanaryEvidence& reading) const {
    const auto of_pairs = pairs.find(reading.reading);
    if (of_pairs != pairs.end()) reading.pairs = of_pairs->second;
    const auto of_nodes = nodes.find(reading.reading);
    if (of_nodes != nodes.end()) reading.by_node = of_nodes->second;
  }
};

constexpr const char* kPair =
    "p.reading, p.node_a, p.node_b, p.bandwidth_gb_per_s, p.size_bytes, p.repetitions";
constexpr const char* kNode = "n.reading, n.node, n.ranks, n.gemm_min_tflops, n.gemm_median_tflops";

void add_parts(Connection& connection, const SampleFilter& filter, ByRun& runs) {
  Parts parts;
  const std::string readings = "JOIN run_canaries ON run_canaries.run = runs.id ";
  Statement pairs =
      selected(connection, filter, fmt::format("DISTINCT {}", kPair),
               readings + "JOIN canary_pairs AS p ON p.reading = run_canaries.reading",
               " ORDER BY p.reading, p.node_a, p.node_b");
  while (pairs.step()) parts.add_pair(pairs);
  Statement nodes =
      selected(connection, filter, fmt::format("DISTINCT {}", kNode),
               readings + "JOIN canary_nodes AS n ON n.reading = run_canaries.reading",
               " ORDER BY n.reading, n.node");
  while (nodes.step()) parts.add_node(nodes);
  for (auto& entry : runs) {
    for (auto* reading : {&entry.second.before, &entry.second.after}) {
      if (*reading) parts.give(**reading);
    }
  }
}

std::vector<CanaryEvidence> collected_readings(Connection& connection) {
  std::vector<CanaryEvidence> readings;
  Statement rows = connection.prepare(
      fmt::format("SELECT {} FROM canary_readings AS r{}WHERE r.log IS NOT NULL ORDER BY r.id",
                  kReading, kLargest));
  while (rows.step()) readings.push_back(reading_at(rows, 0));
  if (readings.empty()) return readings;
  Parts parts;
  const auto of = [&](const char* columns, const char* table) {
    return connection.prepare(
        fmt::format("SELECT {} FROM canary_readings AS r JOIN {} ON reading = r.id "
                    "WHERE r.log IS NOT NULL ORDER BY 1, 2, 3",
                    columns, table));
  };
  Statement pairs = of(kPair, "canary_pairs AS p"), nodes = of(kNode, "canary_nodes AS n");
  while (pairs.step()) parts.add_pair(pairs);
  while (nodes.step()) parts.add_node(nodes);
  for (auto& reading : readings) parts.give(reading);
  return readings;
}

}  // namespace

std::string environment_of(Connection& connection, const std::string& point_id) {
  Statement newest = connection.prepare(
      "SELECT environment FROM runs WHERE point = ? AND environment IS NOT NULL "
      "ORDER BY id DESC LIMIT 1");
  return newest.bind(point_id).step() ? newest.text(0) : "";
}

std::unordered_map<std::int64_t, std::string> run_logs(Connection& connection,
                                                       const SampleFilter& filter) {
  std::unordered_map<std::int64_t, std::string> paths;
  Statement rows =
      selected(connection, filter, "runs.id, logs.path", "JOIN logs ON logs.id = runs.log", "");
  while (rows.step()) paths.emplace(rows.integer(0), rows.text(1));
  return paths;
}

Evidence evidence(Connection& connection, const SampleFilter& filter) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  ByRun by_run;
  add_nodes(connection, filter, by_run);
  add_slowest_ranks(connection, filter, by_run);
  add_canaries(connection, filter, by_run);
  add_parts(connection, filter, by_run);
  Evidence result{{}, collected_readings(connection)};
  moment.commit();
  for (auto& [id, run] : by_run) {
    run.run = id;
    result.runs.push_back(std::move(run));
  }
  return result;
}

}  // namespace pippin::db
