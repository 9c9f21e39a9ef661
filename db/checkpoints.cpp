// SPDX-License-Identifier: Apache-2.0
#include "core/records/checkpoint.h"
#include "db/operations.h"
#include "db/selected.h"
#include "db/stored_lines.h"

namespace pippin::db {

namespace {

/// A row of the query below, from `column` on.
Checkpoint checkpoint_at(const Statement& row, int column) {
  Checkpoint one;
  one.kind = checkpoint_kind_of(row.text(column));
  one.state = checkpoint_state_of(row.text(column + 1));
  one.step = row.maybe_integer(column + 2);
  one.seconds = row.maybe_real(column + 3);
  one.derived = row.integer(column + 4) != 0;
  one.bytes = row.maybe_integer(column + 5);
  if (const auto asynchronous = row.maybe_integer(column + 6))
    one.asynchronous = *asynchronous != 0;
  one.began_at = row.maybe_real(column + 7);
  one.path = row.text(column + 8);
  return one;
}

RunCheckpoints run_at(const Statement& row) {
  RunCheckpoints run;
  run.run = row.integer(0);
  run.sweep = row.text(1);
  run.point_id = row.text(2);
  run.point_name = row.text(3);
  run.trainer = row.text(4);
  run.size = row.text(5);
  run.gpus = row.maybe_integer(6);
  if (const std::int64_t nodes = row.integer(7); nodes > 0) run.nodes = nodes;
  return run;
}

constexpr int kFirstOfCheckpoint = 8;
constexpr const char* kOfRun =
    "runs.id, coalesce(sweeps.name, ''), points.id, points.name, points.trainer, points.size, "
    "points.gpus, (SELECT count(*) FROM run_nodes WHERE run_nodes.run = runs.id), ";
constexpr const char* kOfCheckpoint =
    "c.kind, c.state, c.step, c.seconds, c.derived, c.size_bytes, c.asynchronous, c.began_at, "
    "c.path";

/// What all lines of a run say; a line may stand for several steps.
std::optional<double> steps_s(Connection& connection, std::int64_t run) {
  constexpr double kMsPerSecond = 1e3;
  double ms = 0;
  each_line(connection, run, [&](const Iteration& line) {
    ms += line.step_time_ms * static_cast<double>(line.interval);
  });
  return ms > 0 ? std::optional(ms / kMsPerSecond) : std::nullopt;
}

}  // namespace

std::vector<RunCheckpoints> checkpoints(Connection& connection, const SampleFilter& filter) {
  std::vector<RunCheckpoints> runs;
  Statement rows = selected(connection, filter, std::string(kOfRun) + kOfCheckpoint,
                            "JOIN points ON points.id = runs.point "
                            "JOIN checkpoints AS c ON c.run = runs.id",
                            " ORDER BY runs.id, c.position");
  while (rows.step()) {
    if (runs.empty() || runs.back().run != rows.integer(0)) runs.push_back(run_at(rows));
    runs.back().checkpoints.push_back(checkpoint_at(rows, kFirstOfCheckpoint));
  }
  for (auto& run : runs) run.steps_s = steps_s(connection, run.run);
  return runs;
}

std::vector<Checkpoint> checkpoints_of(Connection& connection, std::int64_t run) {
  std::vector<Checkpoint> checkpoints;
  Statement rows = connection.prepare(std::string("SELECT ") + kOfCheckpoint +
                                      " FROM checkpoints AS c WHERE c.run = ? ORDER BY c.position");
  for (rows.bind(run); rows.step();) checkpoints.push_back(checkpoint_at(rows, 0));
  return checkpoints;
}

}  // namespace pippin::db
