// SPDX-License-Identifier: Apache-2.0
#include "core/records/run.h"
#include "db/operations.h"

namespace pippin::db {

StoredRun stored_run(Connection& connection, std::int64_t run) {
  Statement row = connection.prepare(
      "SELECT runs.name, points.name, coalesce(sweeps.name, ''), campaigns.number, runs.state, "
      "points.gpus, logs.path, runs.command, runs.script, runs.environment, runs.started_at, "
      "runs.ended_at "
      "FROM runs JOIN points ON points.id = runs.point "
      "JOIN allocations ON allocations.id = runs.allocation "
      "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
      "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep "
      "LEFT JOIN logs ON logs.id = runs.log WHERE runs.id = ?");
  row.bind(run).step();
  StoredRun stored;
  stored.id = run;
  int column = 0;
  for (std::string* text : {&stored.name, &stored.point, &stored.sweep}) *text = row.text(column++);
  stored.campaign = row.maybe_integer(column++);
  stored.state = run_state_of(row.text(column++)).value_or(RunState::kMissing);
  stored.ranks = row.maybe_integer(column++);
  for (std::string* text : {&stored.log, &stored.command, &stored.script, &stored.environment})
    *text = row.text(column++);
  stored.started_at = row.maybe_integer(column++);
  stored.ended_at = row.maybe_integer(column);
  return stored;
}

}  // namespace pippin::db
