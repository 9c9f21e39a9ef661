-- SPDX-License-Identifier: Apache-2.0
-- Checkpoints stood in logs only: how long saving took was asked of them by hand.
CREATE TABLE checkpoints (
  run INTEGER NOT NULL REFERENCES runs(id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('save', 'load')),
  state TEXT NOT NULL CHECK (state IN ('done', 'begun', 'unfinished', 'failed')),
  step INTEGER,
  seconds REAL,
  derived INTEGER NOT NULL,
  size_bytes INTEGER,
  asynchronous INTEGER,
  began_at REAL,
  path TEXT,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- Of tables of the network only all-reduces out of place were kept.
CREATE TABLE collectives (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  position INTEGER NOT NULL,
  operation TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  in_place INTEGER,
  number_type TEXT,
  time_us REAL NOT NULL,
  algbw_gb_per_s REAL,
  busbw_gb_per_s REAL,
  wrong INTEGER,
  PRIMARY KEY (reading, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW checkpoint_overview AS
SELECT
  runs.id AS run,
  runs.name AS run_name,
  sweeps.name AS sweep,
  campaigns.number AS campaign,
  points.name AS point_name,
  points.id AS point,
  points.trainer, points.size, points.gpus,
  runs.state AS run_state,
  checkpoints.kind,
  checkpoints.state,
  checkpoints.step,
  checkpoints.seconds,
  checkpoints.derived,
  checkpoints.size_bytes,
  checkpoints.size_bytes / 1e9 / nullif(checkpoints.seconds, 0) AS gb_per_s,
  checkpoints.asynchronous,
  datetime(checkpoints.began_at, 'unixepoch') AS began,
  checkpoints.path
FROM checkpoints
JOIN runs ON runs.id = checkpoints.run
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep
WHERE runs.id NOT IN (SELECT run FROM dropped_runs)
  AND (campaigns.id IS NULL OR campaigns.id NOT IN (SELECT campaign FROM dropped_campaigns));

CREATE VIEW collective_overview AS
SELECT
  canary_readings.id AS reading,
  datetime(canary_readings.taken_at, 'unixepoch') AS taken,
  canary_readings.ranks,
  canary_readings.nodes,
  canary_readings.library,
  collectives.operation,
  collectives.size_bytes,
  collectives.in_place,
  collectives.number_type,
  collectives.time_us,
  collectives.algbw_gb_per_s,
  collectives.busbw_gb_per_s,
  collectives.wrong,
  logs.path AS log
FROM collectives
JOIN canary_readings ON canary_readings.id = collectives.reading
LEFT JOIN logs ON logs.id = canary_readings.log
UNION ALL
SELECT
  canary_readings.id,
  datetime(canary_readings.taken_at, 'unixepoch'),
  canary_readings.ranks,
  canary_readings.nodes,
  canary_readings.library,
  'all_reduce',
  canary_all_reduce.size_bytes,
  NULL,
  NULL,
  canary_all_reduce.median_us,
  NULL,
  canary_all_reduce.median_busbw_gb_per_s,
  NULL,
  logs.path
FROM canary_all_reduce
JOIN canary_readings ON canary_readings.id = canary_all_reduce.reading
LEFT JOIN logs ON logs.id = canary_readings.log
WHERE canary_readings.id NOT IN (SELECT reading FROM collectives);
