-- SPDX-License-Identifier: Apache-2.0
-- The lines of other trainers than Megatron's may be means of a window, or of a whole run.
ALTER TABLE run_digests ADD COLUMN times INTEGER NOT NULL DEFAULT 0;
-- What of a run's point its log does not say in so many words, and by which law it follows.
ALTER TABLE runs ADD COLUMN derived TEXT;
-- What a person said of a log that does not say it: [["tp","4"], …].
ALTER TABLE logs ADD COLUMN told TEXT;

DROP VIEW samples;
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
  (iterations.flags & 16) <> 0 AS interval_mean,
  (iterations.flags & 32) <> 0 AS noted,
  (iterations.flags & 64) <> 0 AS moving_mean,
  (iterations.flags & 128) <> 0 AS whole_run
FROM iterations
JOIN runs ON runs.id = iterations.run
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep
WHERE runs.id NOT IN (SELECT run FROM dropped_runs)
  AND (campaigns.id IS NULL OR campaigns.id NOT IN (SELECT campaign FROM dropped_campaigns));
