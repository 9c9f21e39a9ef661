// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "db/operations.h"

namespace pippin::db {

namespace {

/// Stores a reading, or what a stored one has become, and returns its id. `log`: that it was
/// collected in; nothing for those of our own jobs.
std::int64_t put_reading(Connection& connection, std::int64_t allocation,
                         const CanaryReading& reading, std::optional<std::int64_t> log) {
  Statement put = connection.prepare(
      "INSERT INTO canary_readings (allocation, number, taken_at, problem, duration_s, ranks, "
      "nodes, gemm_m, gemm_n, gemm_k, gemm_min_tflops, gemm_median_tflops, gemm_max_tflops, "
      "gemm_slowest_rank, gemm_slowest_host, library, log) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (allocation, number) DO UPDATE SET taken_at = excluded.taken_at, "
      "problem = excluded.problem, duration_s = excluded.duration_s, ranks = excluded.ranks, "
      "nodes = excluded.nodes, gemm_m = excluded.gemm_m, gemm_n = excluded.gemm_n, "
      "gemm_k = excluded.gemm_k, gemm_min_tflops = excluded.gemm_min_tflops, "
      "gemm_median_tflops = excluded.gemm_median_tflops, "
      "gemm_max_tflops = excluded.gemm_max_tflops, "
      "gemm_slowest_rank = excluded.gemm_slowest_rank, "
      "gemm_slowest_host = excluded.gemm_slowest_host, library = excluded.library "
      "RETURNING id");
  const auto& figures = reading.figures;
  const CanaryGemm* gemm = figures && figures->gemm.m > 0 ? &figures->gemm : nullptr;
  const auto count = [](bool is_known, std::int64_t value) {
    return is_known ? std::optional(value) : std::nullopt;
  };
  const auto speed = [&](double CanaryGemm::*value) {
    return gemm ? std::optional(gemm->*value) : std::nullopt;
  };
  put.bind(allocation, reading.number, reading.taken_at, known(reading.problem),
           figures && figures->seconds > 0 ? std::optional(figures->seconds) : std::nullopt,
           count(figures.has_value(), figures ? figures->ranks : 0),
           count(figures.has_value(), figures ? figures->nodes : 0),
           count(gemm, gemm ? gemm->m : 0), count(gemm, gemm ? gemm->n : 0),
           count(gemm, gemm ? gemm->k : 0), speed(&CanaryGemm::min_tflops),
           speed(&CanaryGemm::median_tflops), speed(&CanaryGemm::max_tflops),
           count(gemm, gemm ? gemm->slowest_rank : 0), known(gemm ? gemm->slowest_host : ""),
           known(figures ? figures->library : ""), log);
  put.step();
  const std::int64_t id = put.integer(0);
  put.step();
  return id;
}

void delete_parts(Connection& connection, std::int64_t reading) {
  for (const char* table : {"canary_all_reduce", "canary_pairs", "canary_nodes", "collectives"})
    connection.prepare(fmt::format("DELETE FROM {} WHERE reading = ?", table)).run(reading);
}

void put_collectives(Connection& connection, std::int64_t reading,
                     const std::vector<Collective>& collectives) {
  Statement put = connection.prepare(
      "INSERT INTO collectives (reading, position, operation, size_bytes, in_place, number_type, "
      "time_us, algbw_gb_per_s, busbw_gb_per_s, wrong) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const auto& one : collectives) {
    std::optional<std::int64_t> in_place;
    if (one.in_place.has_value()) in_place = one.in_place.value() ? 1 : 0;
    put.run(reading, ++position, one.operation, one.bytes, in_place, known(one.number_type),
            one.time_us, one.algbw_gb_per_s, one.busbw_gb_per_s, one.wrong);
  }
}

void put_parts(Connection& connection, std::int64_t reading, const CanaryFigures& figures) {
  Statement size = connection.prepare(
      "INSERT INTO canary_all_reduce (reading, size_bytes, min_us, median_us, p99_us, "
      "median_busbw_gb_per_s) VALUES (?, ?, ?, ?, ?, ?)");
  for (const auto& one : figures.all_reduce)
    size.run(reading, one.bytes, one.min_us, one.median_us, one.p99_us, one.median_busbw_gb_per_s);
  Statement pair = connection.prepare(
      "INSERT INTO canary_pairs (reading, node_a, node_b, bandwidth_gb_per_s, size_bytes, "
      "repetitions) VALUES (?, ?, ?, ?, ?, ?)");
  for (const auto& one : figures.pairs)
    pair.run(reading, one.a, one.b, one.gb_per_s, one.bytes, one.repetitions);
  Statement node = connection.prepare(
      "INSERT INTO canary_nodes (reading, node, ranks, gemm_min_tflops, gemm_median_tflops) "
      "VALUES (?, ?, ?, ?, ?)");
  for (const auto& one : figures.by_node)
    node.run(reading, one.name, known(one.ranks), one.min_tflops, one.median_tflops);
  put_collectives(connection, reading, figures.collectives);
}

/// Where a reading's ranks are as many as the run's, they were where the run's were.
void put_places(Connection& connection, std::int64_t run, const CanaryFigures& figures) {
  Statement same = connection.prepare(
      "SELECT 1 FROM runs JOIN points ON points.id = runs.point "
      "WHERE runs.id = ? AND points.gpus = ?");
  if (!same.bind(run, figures.ranks).step()) return;
  Statement put = connection.prepare(
      "UPDATE run_nodes SET ranks = ? WHERE run = ? AND ranks IS NULL "
      "AND node = (SELECT id FROM nodes WHERE name = ?)");
  for (const auto& node : figures.by_node) put.run(known(node.ranks), run, node.name);
}

}  // namespace

void put_canaries(Connection& connection, std::int64_t run, std::int64_t allocation,
                  const RunRecord& record) {
  const auto put = [&](const char* moment, const std::optional<CanaryReading>& reading) {
    if (!reading) return;
    const std::int64_t id = put_reading(connection, allocation, *reading, std::nullopt);
    delete_parts(connection, id);
    if (reading->figures) {
      put_parts(connection, id, *reading->figures);
      put_places(connection, run, *reading->figures);
    }
    connection
        .prepare(
            "INSERT INTO run_canaries (run, moment, reading) VALUES (?, ?, ?) "
            "ON CONFLICT (run, moment) DO UPDATE SET reading = excluded.reading")
        .run(run, moment, id);
  };
  put("before", record.canary_before);
  put("after", record.canary_after);
}

void delete_canaries(Connection& connection, std::int64_t run) {
  Statement readings = connection.prepare("SELECT reading FROM run_canaries WHERE run = ?");
  std::vector<std::int64_t> had;
  for (readings.bind(run); readings.step();) had.push_back(readings.integer(0));
  connection.prepare("DELETE FROM run_canaries WHERE run = ?").run(run);
  Statement others = connection.prepare("SELECT 1 FROM run_canaries WHERE reading = ?");
  for (const auto reading : had) {
    if (others.bind(reading).step()) continue;
    delete_parts(connection, reading);
    connection.prepare("DELETE FROM canary_readings WHERE id = ?").run(reading);
  }
}

void put_collected_readings(Connection& connection, std::int64_t allocation, std::int64_t log,
                            std::int64_t taken_at, const std::vector<CanaryFigures>& readings) {
  Statement old = connection.prepare("SELECT id FROM canary_readings WHERE log = ?");
  for (old.bind(log); old.step();) delete_parts(connection, old.integer(0));
  connection.prepare("DELETE FROM canary_readings WHERE log = ?").run(log);
  std::int64_t number = 0;
  for (const auto& figures : readings) {
    const CanaryReading reading{++number, taken_at, {}, figures};
    put_parts(connection, put_reading(connection, allocation, reading, log), figures);
  }
}

}  // namespace pippin::db
