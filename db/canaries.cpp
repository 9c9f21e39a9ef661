#include "db/operations.h"

namespace pippin::db {

namespace {

/// Stores a reading, or what a stored one has become, and returns its id.
std::int64_t put_reading(Connection& connection, std::int64_t allocation,
                         const CanaryReading& reading) {
  Statement put = connection.prepare(
      "INSERT INTO canary_readings (allocation, number, taken_at, problem, duration_s, ranks, "
      "nodes, gemm_m, gemm_n, gemm_k, gemm_min_tflops, gemm_median_tflops, gemm_max_tflops, "
      "gemm_slowest_rank, gemm_slowest_host, library) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (allocation, number) DO UPDATE SET taken_at = excluded.taken_at, "
      "problem = excluded.problem, duration_s = excluded.duration_s, ranks = excluded.ranks, "
      "nodes = excluded.nodes, gemm_m = excluded.gemm_m, gemm_n = excluded.gemm_n, "
      "gemm_k = excluded.gemm_k, gemm_min_tflops = excluded.gemm_min_tflops, "
      "gemm_median_tflops = excluded.gemm_median_tflops, "
      "gemm_max_tflops = excluded.gemm_max_tflops, "
      "gemm_slowest_rank = excluded.gemm_slowest_rank, "
      "gemm_slowest_host = excluded.gemm_slowest_host, library = excluded.library RETURNING id");
  if (const auto& figures = reading.figures) {
    const CanaryGemm& gemm = figures->gemm;
    put.bind(allocation, reading.number, reading.taken_at, known(reading.problem), figures->seconds,
             figures->ranks, figures->nodes, gemm.m, gemm.n, gemm.k, gemm.min_tflops,
             gemm.median_tflops, gemm.max_tflops, gemm.slowest_rank, gemm.slowest_host,
             known(figures->library));
  } else {
    const std::optional<std::int64_t> count;
    const std::optional<double> number;
    put.bind(allocation, reading.number, reading.taken_at, known(reading.problem), number, count,
             count, count, count, count, number, number, number, count, known(""), known(""));
  }
  put.step();
  const std::int64_t id = put.integer(0);
  put.step();
  return id;
}

void delete_parts(Connection& connection, std::int64_t reading) {
  connection.prepare("DELETE FROM canary_all_reduce WHERE reading = ?").run(reading);
  connection.prepare("DELETE FROM canary_pairs WHERE reading = ?").run(reading);
}

void put_parts(Connection& connection, std::int64_t reading, const CanaryFigures& figures) {
  Statement size = connection.prepare(
      "INSERT INTO canary_all_reduce (reading, size_bytes, min_us, median_us, p99_us, "
      "median_busbw_gb_per_s) VALUES (?, ?, ?, ?, ?, ?)");
  for (const auto& one : figures.all_reduce)
    size.run(reading, one.bytes, one.min_us, one.median_us, one.p99_us, one.median_busbw_gb_per_s);
  Statement pair = connection.prepare(
      "INSERT INTO canary_pairs (reading, node_a, node_b, bandwidth_gb_per_s) VALUES (?, ?, ?, ?)");
  for (const auto& one : figures.pairs) pair.run(reading, one.a, one.b, one.gb_per_s);
}

}  // namespace

void put_canaries(Connection& connection, std::int64_t run, std::int64_t allocation,
                  const RunRecord& record) {
  const auto put = [&](const char* moment, const std::optional<CanaryReading>& reading) {
    if (!reading) return;
    const std::int64_t id = put_reading(connection, allocation, *reading);
    delete_parts(connection, id);
    if (reading->figures) put_parts(connection, id, *reading->figures);
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

}  // namespace pippin::db
