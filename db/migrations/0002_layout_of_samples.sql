-- SPDX-License-Identifier: Apache-2.0
-- "SELECT tp, pp, avg(step_time_ms) FROM samples …" needed a join with points, and run_overview did
-- not tell two models apart.

DROP VIEW run_overview;
DROP VIEW samples;

CREATE VIEW run_overview AS
SELECT
  runs.id AS run,
  runs.name AS run_name,
  sweeps.name AS sweep,
  campaigns.number AS campaign,
  allocations.name AS allocation,
  allocations.attempt AS attempt,
  points.name AS point_name,
  points.id AS point,
  points.trainer, points.size, points.layers, points.hidden, points.params,
  points.gpus, points.tp, points.pp, points.dp, points.mbs, points.gas, points.gbs,
  runs.state,
  runs.evidence,
  datetime(runs.started_at, 'unixepoch') AS started,
  (SELECT count(*) FROM iterations WHERE iterations.run = runs.id) AS iterations,
  (SELECT count(*) FROM iterations WHERE iterations.run = runs.id AND flags = 0)
    AS clean_iterations,
  (SELECT avg(step_time_ms) FROM iterations WHERE iterations.run = runs.id AND flags = 0)
    AS clean_step_time_ms,
  (SELECT avg(step_time_ms) FROM iterations WHERE iterations.run = runs.id) AS step_time_ms,
  (SELECT max(max_allocated_mib) FROM rank_memory WHERE rank_memory.run = runs.id)
    AS max_allocated_mib,
  logs.path AS log
FROM runs
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep
LEFT JOIN logs ON logs.id = runs.log;

CREATE VIEW samples AS
SELECT
  sweeps.name AS sweep,
  campaigns.number AS campaign,
  points.name AS point_name,
  points.id AS point,
  points.trainer, points.gpus, points.tp, points.pp, points.dp, points.mbs, points.gas,
  allocations.name AS allocation,
  runs.name AS run_name,
  runs.id AS run,
  runs.state,
  date(runs.started_at, 'unixepoch') AS day,
  iterations.iteration,
  iterations.step_time_ms,
  iterations.interval,
  iterations.gbs,
  iterations.lm_loss,
  iterations.flags,
  iterations.flags = 0 AS clean,
  (iterations.flags & 1) <> 0 AS first,
  (iterations.flags & 2) <> 0 AS skipped_step,
  (iterations.flags & 4) <> 0 AS after_save,
  (iterations.flags & 8) <> 0 AS after_evaluation,
  (iterations.flags & 16) <> 0 AS interval_mean
FROM iterations
JOIN runs ON runs.id = iterations.run
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep;
