// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>

#include "core/base/error.h"
#include "db/digests.h"
#include "db/json.h"
#include "db/listed_runs.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

Provenance provenance_at(const Statement& row, int column) {
  Provenance from;
  for (std::string Provenance::*text :
       {&Provenance::command, &Provenance::script, &Provenance::environment, &Provenance::node_list,
        &Provenance::gpu_model, &Provenance::driver, &Provenance::nccl, &Provenance::git_commit,
        &Provenance::host})
    from.*text = row.text(column++);
  return from;
}

/// What its row has, and those of its campaign and allocation. Requires that there is one.
WholeRun bare_run(Connection& connection, std::int64_t id) {
  Statement row = connection.prepare(
      "SELECT runs.allocation, allocations.number, repeat, campaigns.cluster, "
      "exit_code, recompute, derived, scraper_version, resolution_ms, noted_spread_ms, "
      "last_iteration, planned_iterations, nan_from, command, script, environment, node_list, "
      "gpu_model, driver, nccl, git_commit, host FROM runs "
      "JOIN allocations ON allocations.id = runs.allocation "
      "LEFT JOIN campaigns ON campaigns.id = allocations.campaign WHERE runs.id = ?");
  if (!row.bind(id).step()) bad_input("{}: has no run {}", connection.path().string(), id);
  WholeRun run;
  int column = 0;
  run.allocation_id = row.integer(column++);
  run.allocation_number = row.maybe_integer(column++);
  run.repeat = row.maybe_integer(column++);
  run.cluster = row.text(column++);
  run.exit_code = row.maybe_integer(column++);
  run.recompute = row.text(column++);
  run.derived = row.text(column++);
  run.scraper_version = row.integer(column++);
  run.resolution_ms = row.maybe_real(column++);
  run.noted_spread_ms = row.maybe_real(column++);
  run.last_iteration = row.maybe_integer(column++);
  run.planned_iterations = row.maybe_integer(column++);
  run.nan_from = row.maybe_integer(column++);
  run.provenance = provenance_at(row, column);
  return run;
}

void add_log(Connection& connection, WholeRun& run) {
  Statement row = connection.prepare(
      "SELECT logs.id, path, size_bytes, content_hash, collected_at, told FROM logs "
      "JOIN runs ON runs.log = logs.id WHERE runs.id = ?");
  if (!row.bind(run.listed.id).step()) return;
  RunLog log{row.text(1), row.integer(2), row.text(3), row.integer(4), pairs_in(row.text(5))};
  Statement others = connection.prepare(
      "SELECT count(*), coalesce(sum((position, id) < (?1, ?2)), 0) FROM runs WHERE log = ?3 "
      "AND EXISTS (SELECT 1 FROM iteration_blocks WHERE run = runs.id)");
  others.bind(run.listed.position, run.listed.id, row.integer(0)).step();
  log.runs_with_steps = static_cast<std::size_t>(others.integer(0));
  log.ordinal = static_cast<std::size_t>(others.integer(1));
  run.log = std::move(log);
}

void add_parts(Connection& connection, WholeRun& run) {
  const std::int64_t id = run.listed.id;
  Statement arguments = connection.prepare("SELECT list FROM run_arguments WHERE run = ?");
  if (arguments.bind(id).step()) run.arguments = pairs_in(arguments.text(0));
  Statement memory = connection.prepare(
      "SELECT rank, allocated_mib, max_allocated_mib, reserved_mib, max_reserved_mib "
      "FROM rank_memory WHERE run = ? ORDER BY rank");
  for (memory.bind(id); memory.step();) {
    run.memory.push_back({memory.integer(0), memory.maybe_real(1), memory.maybe_real(2),
                          memory.maybe_real(3), memory.maybe_real(4)});
  }
  Statement nodes = connection.prepare(
      "SELECT nodes.name, ranks FROM run_nodes JOIN nodes ON nodes.id = run_nodes.node "
      "WHERE run = ? ORDER BY nodes.name");
  for (nodes.bind(id); nodes.step();) run.nodes.push_back({nodes.text(0), nodes.text(1)});
  Statement slowest = connection.prepare(
      "SELECT rank, node, lines, computing_ms, mean_ms FROM slowest_ranks WHERE run = ? "
      "ORDER BY lines DESC, rank");
  for (slowest.bind(id); slowest.step();) {
    run.slowest_ranks.push_back({slowest.integer(0), slowest.text(1), slowest.integer(2),
                                 slowest.real(3), slowest.real(4)});
  }
  Statement notes =
      connection.prepare("SELECT text, written_at FROM notes WHERE run = ? ORDER BY id");
  for (notes.bind(id); notes.step();) run.notes.push_back({notes.text(0), notes.integer(1)});
  run.checkpoints = checkpoints_of(connection, id);
}

CanaryGemm gemm_at(const Statement& row, int column) {
  CanaryGemm gemm;
  gemm.m = row.maybe_integer(column).value_or(0);
  gemm.n = row.maybe_integer(column + 1).value_or(0);
  gemm.k = row.maybe_integer(column + 2).value_or(0);
  gemm.min_tflops = row.maybe_real(column + 3).value_or(0);
  gemm.median_tflops = row.maybe_real(column + 4).value_or(0);
  gemm.max_tflops = row.maybe_real(column + 5).value_or(0);
  gemm.slowest_rank = row.maybe_integer(column + 6).value_or(0);
  gemm.slowest_host = row.text(column + 7);
  return gemm;
}

void add_figures(Connection& connection, std::int64_t reading, CanaryFigures& figures) {
  Statement sizes = connection.prepare(
      "SELECT size_bytes, min_us, median_us, p99_us, median_busbw_gb_per_s FROM canary_all_reduce "
      "WHERE reading = ? ORDER BY size_bytes");
  for (sizes.bind(reading); sizes.step();) {
    figures.all_reduce.push_back(
        {sizes.integer(0), sizes.maybe_real(1), sizes.real(2), sizes.maybe_real(3), sizes.real(4)});
  }
  Statement nodes = connection.prepare(
      "SELECT node, ranks, gemm_min_tflops, gemm_median_tflops FROM canary_nodes "
      "WHERE reading = ? ORDER BY node");
  for (nodes.bind(reading); nodes.step();) {
    figures.by_node.push_back(
        {nodes.text(0), nodes.text(1), nodes.maybe_real(2), nodes.maybe_real(3)});
  }
  Statement pairs = connection.prepare(
      "SELECT node_a, node_b, bandwidth_gb_per_s, size_bytes, repetitions FROM canary_pairs "
      "WHERE reading = ? ORDER BY node_a, node_b");
  for (pairs.bind(reading); pairs.step();) {
    figures.pairs.push_back({pairs.text(0), pairs.text(1), pairs.real(2), pairs.maybe_integer(3),
                             pairs.maybe_integer(4)});
  }
}

std::optional<CanaryReading> reading_of(Connection& connection, std::int64_t run,
                                        const char* moment) {
  Statement row = connection.prepare(
      "SELECT r.id, r.number, r.taken_at, r.problem, r.duration_s, r.ranks, r.nodes, r.library, "
      "r.gemm_m, r.gemm_n, r.gemm_k, r.gemm_min_tflops, r.gemm_median_tflops, r.gemm_max_tflops, "
      "r.gemm_slowest_rank, r.gemm_slowest_host FROM run_canaries "
      "JOIN canary_readings AS r ON r.id = run_canaries.reading WHERE run = ? AND moment = ?");
  if (!row.bind(run, moment).step()) return std::nullopt;
  CanaryReading reading{row.integer(1), row.integer(2), row.text(3), {}};
  if (!reading.problem.empty()) return reading;
  constexpr int kFirstOfGemm = 8;
  CanaryFigures figures;
  figures.seconds = row.maybe_real(4).value_or(0);
  figures.ranks = row.maybe_integer(5).value_or(0);
  figures.nodes = row.maybe_integer(6).value_or(0);
  figures.library = row.text(7);
  figures.gemm = gemm_at(row, kFirstOfGemm);
  add_figures(connection, row.integer(0), figures);
  reading.figures = std::move(figures);
  return reading;
}

}  // namespace

WholeRun whole_run(Connection& connection, std::int64_t id, std::int64_t digest_version) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  WholeRun run = bare_run(connection, id);
  run.listed = listed_run(connection, id, digest_version);
  run.point.id = run.listed.point_id;  // of a damaged file all that is known
  for (auto& point : points_named(connection, run.point.id))
    if (point.id == run.point.id) run.point = std::move(point);
  run.provenance.started_at = run.listed.started_at;
  run.provenance.ended_at = run.listed.ended_at;
  add_log(connection, run);
  add_parts(connection, run);
  run.before = reading_of(connection, id, "before");
  run.after = reading_of(connection, id, "after");
  moment.commit();
  return run;
}

}  // namespace pippin::db
