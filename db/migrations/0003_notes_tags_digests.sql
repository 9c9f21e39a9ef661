-- SPDX-License-Identifier: Apache-2.0
-- A report over ten million iterations read every one of them; people had nowhere to write what they
-- saw in a run, or which campaign was the one before the upgrade; and nothing said what the machine
-- could do at best.

DROP VIEW run_overview;
DROP VIEW samples;

CREATE TABLE campaign_peaks (
  campaign INTEGER NOT NULL REFERENCES campaigns(id),
  accelerator TEXT NOT NULL,
  number_type TEXT NOT NULL,
  tflops REAL NOT NULL,
  PRIMARY KEY (campaign, number_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  name TEXT PRIMARY KEY,
  campaign INTEGER NOT NULL REFERENCES campaigns(id)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs(id),
  text TEXT NOT NULL,
  written_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_by_run ON notes(run);

CREATE TABLE run_digests (
  run INTEGER PRIMARY KEY REFERENCES runs(id),
  version INTEGER NOT NULL,
  gbs INTEGER,
  batch_grew INTEGER NOT NULL,
  flagged INTEGER NOT NULL,
  slowdown INTEGER NOT NULL,
  unsteady INTEGER NOT NULL,
  clean_lines INTEGER NOT NULL,
  clean_mean_ms REAL,
  clean_sd_ms REAL,
  clean_min_ms REAL,
  clean_p25_ms REAL,
  clean_median_ms REAL,
  clean_p75_ms REAL,
  clean_p95_ms REAL,
  clean_p99_ms REAL,
  clean_max_ms REAL,
  lines INTEGER NOT NULL,
  mean_ms REAL,
  sd_ms REAL,
  min_ms REAL,
  p25_ms REAL,
  median_ms REAL,
  p75_ms REAL,
  p95_ms REAL,
  p99_ms REAL,
  max_ms REAL
) STRICT;

CREATE TABLE axis_values (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  number REAL,
  UNIQUE (name, text)
) STRICT;

CREATE TABLE point_summaries (
  sweep TEXT NOT NULL,
  point TEXT NOT NULL REFERENCES points(id),
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  allocations INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  mean_s REAL,
  low_s REAL,
  high_s REAL,
  sd_s REAL,
  unit TEXT,
  remark TEXT,
  unit_means_s TEXT,
  min_s REAL,
  p25_s REAL,
  p75_s REAL,
  max_s REAL,
  clean INTEGER NOT NULL,
  slowdowns INTEGER NOT NULL,
  unsteady INTEGER NOT NULL,
  noted INTEGER NOT NULL,
  gbs INTEGER,
  recompute TEXT,
  memory_gib REAL,
  started_at INTEGER,
  remarks TEXT,
  axes TEXT NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (sweep, point)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER run_added AFTER INSERT ON runs BEGIN
  DELETE FROM point_summaries WHERE point = NEW.point;
END;

CREATE TRIGGER run_changed AFTER UPDATE ON runs BEGIN
  DELETE FROM point_summaries WHERE point IN (OLD.point, NEW.point);
END;

CREATE TRIGGER run_deleted AFTER DELETE ON runs BEGIN
  DELETE FROM point_summaries WHERE point = OLD.point;
END;

CREATE TRIGGER digest_deleted AFTER DELETE ON run_digests BEGIN
  DELETE FROM point_summaries WHERE point = (SELECT point FROM runs WHERE id = OLD.run);
END;

CREATE TRIGGER warmup_changed AFTER UPDATE OF warmup ON campaigns WHEN OLD.warmup IS NOT NEW.warmup
BEGIN
  DELETE FROM run_digests WHERE run IN (
    SELECT runs.id FROM allocations JOIN runs ON runs.allocation = allocations.id
    WHERE allocations.campaign = NEW.id);
END;

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
  (iterations.flags & 16) <> 0 AS interval_mean,
  (iterations.flags & 32) <> 0 AS noted
FROM iterations
JOIN runs ON runs.id = iterations.run
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep;
