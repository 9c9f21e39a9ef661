-- SPDX-License-Identifier: Apache-2.0
-- Whether a run was slow or its machine was could not be told afterwards: what a canary measured
-- beside each run stayed in files that nothing read.

CREATE TABLE canary_readings (
  id INTEGER PRIMARY KEY,
  allocation INTEGER NOT NULL REFERENCES allocations(id),
  number INTEGER NOT NULL,
  taken_at INTEGER NOT NULL,
  problem TEXT,
  duration_s REAL,
  ranks INTEGER,
  nodes INTEGER,
  gemm_m INTEGER,
  gemm_n INTEGER,
  gemm_k INTEGER,
  gemm_min_tflops REAL,
  gemm_median_tflops REAL,
  gemm_max_tflops REAL,
  gemm_slowest_rank INTEGER,
  gemm_slowest_host TEXT,
  UNIQUE (allocation, number)
) STRICT;

CREATE TABLE canary_all_reduce (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  size_bytes INTEGER NOT NULL,
  min_us REAL NOT NULL,
  median_us REAL NOT NULL,
  p99_us REAL NOT NULL,
  median_busbw_gb_per_s REAL NOT NULL,
  PRIMARY KEY (reading, size_bytes)
) STRICT, WITHOUT ROWID;

CREATE TABLE canary_pairs (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  node_a TEXT NOT NULL,
  node_b TEXT NOT NULL,
  bandwidth_gb_per_s REAL NOT NULL,
  PRIMARY KEY (reading, node_a, node_b)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_canaries (
  run INTEGER NOT NULL REFERENCES runs(id),
  moment TEXT NOT NULL CHECK (moment IN ('before', 'after')),
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  PRIMARY KEY (run, moment)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_canaries_by_reading ON run_canaries(reading);

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
