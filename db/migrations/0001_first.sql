-- SPDX-License-Identifier: Apache-2.0
-- The first schema.

CREATE TABLE sweeps (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweeps(id),
  number INTEGER NOT NULL,
  started TEXT NOT NULL,
  cluster TEXT,
  run_order TEXT,
  seed TEXT,
  warmup INTEGER,
  UNIQUE (sweep, number)
) STRICT;

CREATE TABLE points (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  trainer TEXT NOT NULL,
  size TEXT,
  style TEXT,
  layers INTEGER,
  hidden INTEGER,
  heads INTEGER,
  kv_heads INTEGER,
  ffn INTEGER,
  seq INTEGER,
  vocab INTEGER,
  padded_vocab INTEGER,
  params INTEGER,
  tp INTEGER,
  pp INTEGER,
  dp INTEGER,
  cp INTEGER,
  mbs INTEGER,
  gas INTEGER,
  gpus INTEGER,
  gbs INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE point_axes (
  point TEXT NOT NULL REFERENCES points(id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  number REAL,
  PRIMARY KEY (point, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign_points (
  campaign INTEGER NOT NULL REFERENCES campaigns(id),
  position INTEGER NOT NULL,
  point TEXT NOT NULL REFERENCES points(id),
  state TEXT NOT NULL CHECK (state IN ('planned', 'infeasible')),
  reason TEXT,
  PRIMARY KEY (campaign, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE allocations (
  id INTEGER PRIMARY KEY,
  campaign INTEGER REFERENCES campaigns(id),
  name TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 1,
  number INTEGER,
  UNIQUE (campaign, name, attempt)
) STRICT;

CREATE TABLE logs (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  head_hash TEXT NOT NULL,
  head BLOB NOT NULL,
  collected_at INTEGER NOT NULL
) STRICT;
CREATE INDEX logs_by_head ON logs(head_hash, size_bytes);
CREATE INDEX logs_by_size ON logs(size_bytes);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  point TEXT NOT NULL REFERENCES points(id),
  allocation INTEGER NOT NULL REFERENCES allocations(id),
  repeat INTEGER,
  position INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ok', 'failed', 'timeout', 'oom', 'cancelled', 'missing')),
  evidence TEXT,
  exit_code INTEGER,
  recompute TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  log INTEGER REFERENCES logs(id),
  command TEXT,
  script TEXT,
  environment TEXT,
  node_list TEXT,
  gpu_model TEXT,
  driver TEXT,
  nccl TEXT,
  git_commit TEXT,
  host TEXT,
  scraper_version INTEGER NOT NULL,
  UNIQUE (allocation, name)
) STRICT;
CREATE INDEX runs_by_point ON runs(point);
CREATE INDEX runs_by_log ON runs(log);

CREATE TABLE iterations (
  run INTEGER NOT NULL REFERENCES runs(id),
  position INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  step_time_ms REAL NOT NULL,
  interval INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  gbs INTEGER,
  consumed_samples INTEGER,
  skipped INTEGER,
  nan INTEGER,
  lm_loss REAL,
  learning_rate REAL,
  loss_scale REAL,
  grad_norm REAL,
  other TEXT,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE rank_memory (
  run INTEGER NOT NULL REFERENCES runs(id),
  rank INTEGER NOT NULL,
  allocated_mib REAL,
  max_allocated_mib REAL,
  reserved_mib REAL,
  max_reserved_mib REAL,
  PRIMARY KEY (run, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE arguments (
  run INTEGER NOT NULL REFERENCES runs(id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

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
  points.trainer, points.gpus, points.tp, points.pp, points.dp, points.mbs, points.gas, points.gbs,
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
  allocations.name AS allocation,
  runs.name AS run_name,
  runs.id AS run,
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
