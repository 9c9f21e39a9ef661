-- SPDX-License-Identifier: Apache-2.0
-- What people set aside, with their reason, and what they deleted for good, so that collecting does
-- not bring it back. Rows of reports are dropped by point, run by run: they get an index for that.
CREATE TABLE dropped_runs (
  run INTEGER PRIMARY KEY REFERENCES runs(id),
  reason TEXT NOT NULL,
  dropped_at INTEGER NOT NULL
) STRICT;

CREATE TABLE dropped_campaigns (
  campaign INTEGER PRIMARY KEY REFERENCES campaigns(id),
  reason TEXT NOT NULL,
  dropped_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deleted_runs (
  sweep TEXT NOT NULL,
  campaign INTEGER NOT NULL,
  run TEXT NOT NULL,
  campaign_started TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (sweep, campaign, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE deleted_logs (
  head_hash TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (head_hash, size_bytes, content_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_logs_by_size ON deleted_logs(size_bytes);

CREATE INDEX point_summaries_by_point ON point_summaries(point);

CREATE TRIGGER run_dropped AFTER INSERT ON dropped_runs BEGIN
  DELETE FROM point_summaries WHERE point = (SELECT point FROM runs WHERE id = NEW.run);
END;

CREATE TRIGGER run_taken_back AFTER DELETE ON dropped_runs BEGIN
  DELETE FROM point_summaries WHERE point = (SELECT point FROM runs WHERE id = OLD.run);
END;

CREATE TRIGGER campaign_dropped AFTER INSERT ON dropped_campaigns BEGIN
  DELETE FROM point_summaries WHERE point IN (
    SELECT point FROM campaign_points WHERE campaign = NEW.campaign);
END;

CREATE TRIGGER campaign_taken_back AFTER DELETE ON dropped_campaigns BEGIN
  DELETE FROM point_summaries WHERE point IN (
    SELECT point FROM campaign_points WHERE campaign = OLD.campaign);
END;

DROP VIEW run_overview;
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
  coalesce(dropped_runs.reason, dropped_campaigns.reason) AS dropped,
  (SELECT text FROM notes WHERE notes.run = runs.id ORDER BY notes.id DESC LIMIT 1) AS note,
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
LEFT JOIN logs ON logs.id = runs.log
LEFT JOIN dropped_runs ON dropped_runs.run = runs.id
LEFT JOIN dropped_campaigns ON dropped_campaigns.campaign = campaigns.id;

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
  (iterations.flags & 32) <> 0 AS noted
FROM iterations
JOIN runs ON runs.id = iterations.run
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep
WHERE runs.id NOT IN (SELECT run FROM dropped_runs)
  AND (campaigns.id IS NULL OR campaigns.id NOT IN (SELECT campaign FROM dropped_campaigns));
