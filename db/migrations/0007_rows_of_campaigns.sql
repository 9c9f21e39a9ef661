-- SPDX-License-Identifier: Apache-2.0
-- A report is of one campaign unless its reader pools several, so rows are summed up for each; and
-- an interval knows in which steps its log writes times.
ALTER TABLE runs ADD COLUMN resolution_ms REAL;

-- Both only keep what is worked out from iterations.
DROP TABLE run_digests;
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
  max_ms REAL,
  trend REAL
) STRICT;

DROP TABLE point_summaries;
CREATE TABLE point_summaries (
  sweep TEXT NOT NULL,
  campaign INTEGER NOT NULL,
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
  df REAL,
  sd_low_s REAL,
  sd_high_s REAL,
  allocation_means TEXT,
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
  PRIMARY KEY (sweep, campaign, point)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER digest_deleted AFTER DELETE ON run_digests BEGIN
  DELETE FROM point_summaries WHERE point = (SELECT point FROM runs WHERE id = OLD.run);
END;
