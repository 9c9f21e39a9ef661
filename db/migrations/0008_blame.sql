-- SPDX-License-Identifier: Apache-2.0
-- What the blame for noise needs: the product of each node and which ranks were there, how pairs were
-- measured, who computed longest, and tables of the network that were collected from elsewhere, of
-- which some know but a mean.
CREATE TABLE canary_nodes (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  node TEXT NOT NULL,
  ranks TEXT,
  gemm_min_tflops REAL,
  gemm_median_tflops REAL,
  PRIMARY KEY (reading, node)
) STRICT, WITHOUT ROWID;

ALTER TABLE canary_pairs ADD COLUMN size_bytes INTEGER;
ALTER TABLE canary_pairs ADD COLUMN repetitions INTEGER;

ALTER TABLE canary_readings ADD COLUMN log INTEGER REFERENCES logs(id);
CREATE INDEX canary_readings_by_log ON canary_readings(log) WHERE log IS NOT NULL;

CREATE TABLE kept AS SELECT * FROM canary_all_reduce;
DROP VIEW canary_overview;
DROP TABLE canary_all_reduce;
CREATE TABLE canary_all_reduce (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  size_bytes INTEGER NOT NULL,
  min_us REAL,
  median_us REAL NOT NULL,
  p99_us REAL,
  median_busbw_gb_per_s REAL NOT NULL,
  PRIMARY KEY (reading, size_bytes)
) STRICT, WITHOUT ROWID;
INSERT INTO canary_all_reduce SELECT * FROM kept;
DROP TABLE kept;

ALTER TABLE run_nodes ADD COLUMN ranks TEXT;

CREATE TABLE slowest_ranks (
  run INTEGER NOT NULL REFERENCES runs(id),
  rank INTEGER NOT NULL,
  node TEXT NOT NULL,
  lines INTEGER NOT NULL,
  computing_ms REAL NOT NULL,
  mean_ms REAL NOT NULL,
  PRIMARY KEY (run, rank, node)
) STRICT, WITHOUT ROWID;

CREATE VIEW canary_overview AS
SELECT
  runs.id AS run,
  runs.name AS run_name,
  sweeps.name AS sweep,
  campaigns.number AS campaign,
  points.name AS point_name,
  datetime(before.taken_at, 'unixepoch') AS before_taken,
  before.gemm_median_tflops AS before_gemm_tflops,
  before_largest.size_bytes AS before_all_reduce_bytes,
  before_largest.median_busbw_gb_per_s AS before_all_reduce_busbw_gb_per_s,
  before.problem AS before_problem,
  datetime(after.taken_at, 'unixepoch') AS after_taken,
  after.gemm_median_tflops AS after_gemm_tflops,
  after_largest.size_bytes AS after_all_reduce_bytes,
  after_largest.median_busbw_gb_per_s AS after_all_reduce_busbw_gb_per_s,
  after.problem AS after_problem
FROM runs
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep
LEFT JOIN run_canaries AS has_before ON has_before.run = runs.id AND has_before.moment = 'before'
LEFT JOIN canary_readings AS before ON before.id = has_before.reading
LEFT JOIN canary_all_reduce AS before_largest ON before_largest.reading = before.id
  AND before_largest.size_bytes =
    (SELECT max(size_bytes) FROM canary_all_reduce WHERE reading = before.id)
LEFT JOIN run_canaries AS has_after ON has_after.run = runs.id AND has_after.moment = 'after'
LEFT JOIN canary_readings AS after ON after.id = has_after.reading
LEFT JOIN canary_all_reduce AS after_largest ON after_largest.reading = after.id
  AND after_largest.size_bytes =
    (SELECT max(size_bytes) FROM canary_all_reduce WHERE reading = after.id);
