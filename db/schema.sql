-- SPDX-License-Identifier: Apache-2.0
-- The database as it stands after every migration: a new file is made of it. db/README.md says what
-- each column means. A test holds it and migrations/*.sql, which older files go through, together.

CREATE TABLE sweeps (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  folder TEXT
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
  gbs INTEGER,
  active_params INTEGER,
  token_weights INTEGER,
  attention_widths INTEGER
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
  has_left INTEGER NOT NULL DEFAULT 0,
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
  collected_at INTEGER NOT NULL,
  first_iteration INTEGER,
  first_time_ms REAL,
  of_campaign INTEGER NOT NULL DEFAULT 0,
  told TEXT
) STRICT;
CREATE INDEX logs_by_content ON logs(size_bytes, content_hash, of_campaign);
CREATE INDEX logs_by_head ON logs(head_hash, of_campaign, first_time_ms, size_bytes)
WHERE size_bytes >= 4096;
CREATE INDEX logs_by_first_line ON logs(
  of_campaign, first_time_ms, first_iteration, size_bytes);
CREATE INDEX logs_by_path ON logs(path);
CREATE INDEX told_logs ON logs(path) WHERE told IS NOT NULL;
CREATE INDEX logs_by_beginning ON logs(substr(head, 1, 64));

CREATE TABLE read_files (
  path TEXT PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  written_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  scraper_version INTEGER NOT NULL,
  is_log INTEGER NOT NULL,
  log INTEGER REFERENCES logs(id)
) STRICT, WITHOUT ROWID;
CREATE INDEX read_files_by_log ON read_files(log);
CREATE TRIGGER log_deleted BEFORE DELETE ON logs BEGIN
  DELETE FROM read_files WHERE log = OLD.id;
END;

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
  resolution_ms REAL,
  last_iteration INTEGER,
  planned_iterations INTEGER,
  nan_from INTEGER,
  derived TEXT,
  noted_spread_ms REAL,
  UNIQUE (allocation, name)
) STRICT;
CREATE INDEX runs_by_point ON runs(point);
CREATE INDEX runs_by_log ON runs(log);
CREATE INDEX runs_by_name ON runs(name);

-- The lines of runs, some hundred to a row; 'before' lines of the run come before its first. Of
-- each column four fields, or three, say how the line at 'place' reads; db/README.md has the rule.
CREATE TABLE iteration_blocks (
  run INTEGER NOT NULL REFERENCES runs(id),
  before INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  iteration_base INTEGER,
  iteration_width INTEGER,
  iteration_offsets ANY,
  interval_base INTEGER,
  interval_width INTEGER,
  interval_offsets ANY,
  flags_base INTEGER,
  flags_width INTEGER,
  flags_offsets ANY,
  gbs_base INTEGER,
  gbs_width INTEGER,
  gbs_offsets ANY,
  consumed_samples_base INTEGER,
  consumed_samples_width INTEGER,
  consumed_samples_offsets ANY,
  skipped_base INTEGER,
  skipped_width INTEGER,
  skipped_offsets ANY,
  nan_base INTEGER,
  nan_width INTEGER,
  nan_offsets ANY,
  step_time_ms_base ANY,
  step_time_ms_width INTEGER,
  step_time_ms_scale REAL,
  step_time_ms_offsets ANY,
  lm_loss_base ANY,
  lm_loss_width INTEGER,
  lm_loss_scale REAL,
  lm_loss_offsets ANY,
  learning_rate_base ANY,
  learning_rate_width INTEGER,
  learning_rate_scale REAL,
  learning_rate_offsets ANY,
  loss_scale_base ANY,
  loss_scale_width INTEGER,
  loss_scale_scale REAL,
  loss_scale_offsets ANY,
  grad_norm_base ANY,
  grad_norm_width INTEGER,
  grad_norm_scale REAL,
  grad_norm_offsets ANY,
  PRIMARY KEY (run, before)
) STRICT;

-- What else those lines say, by its own name; 'rank' is the name's place in a line.
CREATE TABLE other_blocks (
  run INTEGER NOT NULL REFERENCES runs(id),
  before INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  name TEXT NOT NULL,
  base ANY,
  width INTEGER,
  scale REAL,
  offsets ANY,
  PRIMARY KEY (run, before, rank)
) STRICT;

-- 0 to 1023: the lines of a block.
CREATE TABLE places (
  place INTEGER PRIMARY KEY
) STRICT;
INSERT INTO places (place)
WITH RECURSIVE counted(place) AS (
  VALUES (0) UNION ALL SELECT place + 1 FROM counted WHERE place < 1023)
SELECT place FROM counted;

CREATE TABLE rank_memory (
  run INTEGER NOT NULL REFERENCES runs(id),
  rank INTEGER NOT NULL,
  allocated_mib REAL,
  max_allocated_mib REAL,
  reserved_mib REAL,
  max_reserved_mib REAL,
  PRIMARY KEY (run, rank)
) STRICT, WITHOUT ROWID;

-- The arguments that a run's log has dumped: [["name","value"], …].
CREATE TABLE run_arguments (
  run INTEGER PRIMARY KEY REFERENCES runs(id),
  list TEXT NOT NULL
) STRICT;

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
  max_ms REAL,
  trend REAL,
  times INTEGER NOT NULL DEFAULT 0
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
  median_s REAL,
  p99_s REAL,
  reason TEXT,
  PRIMARY KEY (sweep, campaign, point)
) STRICT, WITHOUT ROWID;

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- On which nodes a run was: node_list, expanded.
CREATE TABLE run_nodes (
  run INTEGER NOT NULL REFERENCES runs(id),
  node INTEGER NOT NULL REFERENCES nodes(id),
  ranks TEXT,
  PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_nodes_by_node ON run_nodes(node);

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
  library TEXT,
  log INTEGER REFERENCES logs(id),
  UNIQUE (allocation, number)
) STRICT;
CREATE INDEX canary_readings_by_log ON canary_readings(log) WHERE log IS NOT NULL;

CREATE TABLE canary_all_reduce (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  size_bytes INTEGER NOT NULL,
  min_us REAL,
  median_us REAL NOT NULL,
  p99_us REAL,
  median_busbw_gb_per_s REAL NOT NULL,
  PRIMARY KEY (reading, size_bytes)
) STRICT, WITHOUT ROWID;

CREATE TABLE canary_pairs (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  node_a TEXT NOT NULL,
  node_b TEXT NOT NULL,
  bandwidth_gb_per_s REAL NOT NULL,
  size_bytes INTEGER,
  repetitions INTEGER,
  PRIMARY KEY (reading, node_a, node_b)
) STRICT, WITHOUT ROWID;

CREATE TABLE canary_nodes (
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  node TEXT NOT NULL,
  ranks TEXT,
  gemm_min_tflops REAL,
  gemm_median_tflops REAL,
  PRIMARY KEY (reading, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_canaries (
  run INTEGER NOT NULL REFERENCES runs(id),
  moment TEXT NOT NULL CHECK (moment IN ('before', 'after')),
  reading INTEGER NOT NULL REFERENCES canary_readings(id),
  PRIMARY KEY (run, moment)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_canaries_by_reading ON run_canaries(reading);

CREATE TABLE slowest_ranks (
  run INTEGER NOT NULL REFERENCES runs(id),
  rank INTEGER NOT NULL,
  node TEXT NOT NULL,
  lines INTEGER NOT NULL,
  computing_ms REAL NOT NULL,
  mean_ms REAL NOT NULL,
  PRIMARY KEY (run, rank, node)
) STRICT, WITHOUT ROWID;

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

CREATE TRIGGER run_added AFTER INSERT ON runs
WHEN EXISTS (SELECT 1 FROM point_summaries WHERE point = NEW.point)
BEGIN
  DELETE FROM point_summaries WHERE point = NEW.point;
END;

CREATE TRIGGER run_changed AFTER UPDATE ON runs
WHEN EXISTS (SELECT 1 FROM point_summaries WHERE point = OLD.point)
  OR EXISTS (SELECT 1 FROM point_summaries WHERE point = NEW.point)
BEGIN
  DELETE FROM point_summaries WHERE point IN (OLD.point, NEW.point);
END;

CREATE TRIGGER run_deleted AFTER DELETE ON runs
WHEN EXISTS (SELECT 1 FROM point_summaries WHERE point = OLD.point)
BEGIN
  DELETE FROM point_summaries WHERE point = OLD.point;
END;

CREATE TRIGGER digest_deleted AFTER DELETE ON run_digests
WHEN EXISTS (SELECT 1 FROM point_summaries
  WHERE point = (SELECT point FROM runs WHERE id = OLD.run))
BEGIN
  DELETE FROM point_summaries WHERE point = (SELECT point FROM runs WHERE id = OLD.run);
END;

CREATE TRIGGER warmup_changed AFTER UPDATE OF warmup ON campaigns WHEN OLD.warmup IS NOT NEW.warmup
BEGIN
  DELETE FROM run_digests WHERE run IN (
    SELECT runs.id FROM allocations JOIN runs ON runs.allocation = allocations.id
    WHERE allocations.campaign = NEW.id);
END;

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
CREATE INDEX deleted_logs_by_content ON deleted_logs(size_bytes, content_hash);

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

CREATE VIEW iterations AS
SELECT
  runs.id AS run,
  before + place + 1 AS position,
  CASE
    WHEN iteration_width IS NULL THEN iteration_base
    WHEN iteration_width > 0 THEN iteration_base
      + CAST(substr(iteration_offsets, place * iteration_width + 1, iteration_width) AS INTEGER)
    WHEN iteration_width = 0 THEN iteration_base + place * iteration_offsets
    ELSE iteration_base
      + CAST(nullif(trim(substr(
        iteration_offsets, 1 - place * iteration_width, -iteration_width)), '') AS INTEGER)
  END AS iteration,
  CASE
    WHEN step_time_ms_width IS NULL THEN step_time_ms_base
    WHEN step_time_ms_width > 0 THEN (step_time_ms_base
      + CAST(substr(
        step_time_ms_offsets, place * step_time_ms_width + 1, step_time_ms_width) AS INTEGER)) / step_time_ms_scale
    WHEN step_time_ms_width = 0 THEN (step_time_ms_base + place * step_time_ms_offsets) / step_time_ms_scale
    WHEN step_time_ms_scale IS NULL THEN
      CAST(nullif(trim(substr(
        step_time_ms_offsets, 1 - place * step_time_ms_width, -step_time_ms_width)), '') AS REAL)
    ELSE (step_time_ms_base
      + CAST(nullif(trim(substr(
        step_time_ms_offsets, 1 - place * step_time_ms_width, -step_time_ms_width)), '') AS INTEGER)) / step_time_ms_scale
  END AS step_time_ms,
  CASE
    WHEN interval_width IS NULL THEN interval_base
    WHEN interval_width > 0 THEN interval_base
      + CAST(substr(interval_offsets, place * interval_width + 1, interval_width) AS INTEGER)
    WHEN interval_width = 0 THEN interval_base + place * interval_offsets
    ELSE interval_base
      + CAST(nullif(trim(substr(
        interval_offsets, 1 - place * interval_width, -interval_width)), '') AS INTEGER)
  END AS interval,
  CASE
    WHEN flags_width IS NULL THEN flags_base
    WHEN flags_width > 0 THEN flags_base
      + CAST(substr(flags_offsets, place * flags_width + 1, flags_width) AS INTEGER)
    WHEN flags_width = 0 THEN flags_base + place * flags_offsets
    ELSE flags_base
      + CAST(nullif(trim(substr(
        flags_offsets, 1 - place * flags_width, -flags_width)), '') AS INTEGER)
  END AS flags,
  CASE
    WHEN gbs_width IS NULL THEN gbs_base
    WHEN gbs_width > 0 THEN gbs_base
      + CAST(substr(gbs_offsets, place * gbs_width + 1, gbs_width) AS INTEGER)
    WHEN gbs_width = 0 THEN gbs_base + place * gbs_offsets
    ELSE gbs_base
      + CAST(nullif(trim(substr(gbs_offsets, 1 - place * gbs_width, -gbs_width)), '') AS INTEGER)
  END AS gbs,
  CASE
    WHEN consumed_samples_width IS NULL THEN consumed_samples_base
    WHEN consumed_samples_width > 0 THEN consumed_samples_base
      + CAST(substr(
        consumed_samples_offsets, place * consumed_samples_width + 1, consumed_samples_width) AS INTEGER)
    WHEN consumed_samples_width = 0 THEN consumed_samples_base + place * consumed_samples_offsets
    ELSE consumed_samples_base
      + CAST(nullif(trim(substr(
        consumed_samples_offsets, 1 - place * consumed_samples_width, -consumed_samples_width)), '') AS INTEGER)
  END AS consumed_samples,
  CASE
    WHEN skipped_width IS NULL THEN skipped_base
    WHEN skipped_width > 0 THEN skipped_base
      + CAST(substr(skipped_offsets, place * skipped_width + 1, skipped_width) AS INTEGER)
    WHEN skipped_width = 0 THEN skipped_base + place * skipped_offsets
    ELSE skipped_base
      + CAST(nullif(trim(substr(
        skipped_offsets, 1 - place * skipped_width, -skipped_width)), '') AS INTEGER)
  END AS skipped,
  CASE
    WHEN nan_width IS NULL THEN nan_base
    WHEN nan_width > 0 THEN nan_base
      + CAST(substr(nan_offsets, place * nan_width + 1, nan_width) AS INTEGER)
    WHEN nan_width = 0 THEN nan_base + place * nan_offsets
    ELSE nan_base
      + CAST(nullif(trim(substr(nan_offsets, 1 - place * nan_width, -nan_width)), '') AS INTEGER)
  END AS nan,
  CASE
    WHEN lm_loss_width IS NULL THEN lm_loss_base
    WHEN lm_loss_width > 0 THEN (lm_loss_base
      + CAST(substr(
        lm_loss_offsets, place * lm_loss_width + 1, lm_loss_width) AS INTEGER)) / lm_loss_scale
    WHEN lm_loss_width = 0 THEN (lm_loss_base + place * lm_loss_offsets) / lm_loss_scale
    WHEN lm_loss_scale IS NULL THEN
      CAST(nullif(trim(substr(
        lm_loss_offsets, 1 - place * lm_loss_width, -lm_loss_width)), '') AS REAL)
    ELSE (lm_loss_base
      + CAST(nullif(trim(substr(
        lm_loss_offsets, 1 - place * lm_loss_width, -lm_loss_width)), '') AS INTEGER)) / lm_loss_scale
  END AS lm_loss,
  CASE
    WHEN learning_rate_width IS NULL THEN learning_rate_base
    WHEN learning_rate_width > 0 THEN (learning_rate_base
      + CAST(substr(
        learning_rate_offsets, place * learning_rate_width + 1, learning_rate_width) AS INTEGER)) / learning_rate_scale
    WHEN learning_rate_width = 0 THEN (learning_rate_base + place * learning_rate_offsets) / learning_rate_scale
    WHEN learning_rate_scale IS NULL THEN
      CAST(nullif(trim(substr(
        learning_rate_offsets, 1 - place * learning_rate_width, -learning_rate_width)), '') AS REAL)
    ELSE (learning_rate_base
      + CAST(nullif(trim(substr(
        learning_rate_offsets, 1 - place * learning_rate_width, -learning_rate_width)), '') AS INTEGER)) / learning_rate_scale
  END AS learning_rate,
  CASE
    WHEN loss_scale_width IS NULL THEN loss_scale_base
    WHEN loss_scale_width > 0 THEN (loss_scale_base
      + CAST(substr(
        loss_scale_offsets, place * loss_scale_width + 1, loss_scale_width) AS INTEGER)) / loss_scale_scale
    WHEN loss_scale_width = 0 THEN (loss_scale_base + place * loss_scale_offsets) / loss_scale_scale
    WHEN loss_scale_scale IS NULL THEN
      CAST(nullif(trim(substr(
        loss_scale_offsets, 1 - place * loss_scale_width, -loss_scale_width)), '') AS REAL)
    ELSE (loss_scale_base
      + CAST(nullif(trim(substr(
        loss_scale_offsets, 1 - place * loss_scale_width, -loss_scale_width)), '') AS INTEGER)) / loss_scale_scale
  END AS loss_scale,
  CASE
    WHEN grad_norm_width IS NULL THEN grad_norm_base
    WHEN grad_norm_width > 0 THEN (grad_norm_base
      + CAST(substr(
        grad_norm_offsets, place * grad_norm_width + 1, grad_norm_width) AS INTEGER)) / grad_norm_scale
    WHEN grad_norm_width = 0 THEN (grad_norm_base + place * grad_norm_offsets) / grad_norm_scale
    WHEN grad_norm_scale IS NULL THEN
      CAST(nullif(trim(substr(
        grad_norm_offsets, 1 - place * grad_norm_width, -grad_norm_width)), '') AS REAL)
    ELSE (grad_norm_base
      + CAST(nullif(trim(substr(
        grad_norm_offsets, 1 - place * grad_norm_width, -grad_norm_width)), '') AS INTEGER)) / grad_norm_scale
  END AS grad_norm,
  (SELECT '{' || group_concat(json_quote(name) || ':' || text, ',') || '}'
    FROM (SELECT name,
        CASE
          WHEN width IS NULL AND typeof(base) = 'integer' THEN CAST(base AS TEXT)
          WHEN width IS NULL THEN rtrim(rtrim(CAST(base AS TEXT), '0'), '.')
          WHEN width = 0 THEN CAST(base + place * offsets AS TEXT)
          WHEN scale IS NULL THEN nullif(trim(substr(offsets, 1 - place * width, -width)), '')
          ELSE rtrim(rtrim(CAST((base + CAST(CASE
            WHEN width > 0 THEN substr(offsets, place * width + 1, width)
            ELSE nullif(trim(substr(offsets, 1 - place * width, -width)), '') END
            AS INTEGER)) / scale AS TEXT), '0'), '.')
        END AS text
      FROM other_blocks
      WHERE other_blocks.run = blocks.run AND other_blocks.before = blocks.before
      ORDER BY rank)
    WHERE text IS NOT NULL) AS other
FROM runs
CROSS JOIN iteration_blocks AS blocks ON blocks.run = runs.id
CROSS JOIN places ON place < lines;

CREATE VIEW other_values AS
SELECT run, position, name, CASE WHEN text NOT LIKE '"%' THEN CAST(text AS REAL) END AS number,
  CASE WHEN text LIKE '"%' THEN json_extract(text, '$') END AS text
FROM (
  SELECT
    runs.id AS run,
    blocks.before + place + 1 AS position,
    other_blocks.name,
    CASE
      WHEN width IS NULL AND typeof(base) = 'integer' THEN CAST(base AS TEXT)
      WHEN width IS NULL THEN rtrim(rtrim(CAST(base AS TEXT), '0'), '.')
      WHEN width = 0 THEN CAST(base + place * offsets AS TEXT)
      WHEN scale IS NULL THEN nullif(trim(substr(offsets, 1 - place * width, -width)), '')
      ELSE rtrim(rtrim(CAST((base + CAST(CASE
        WHEN width > 0 THEN substr(offsets, place * width + 1, width)
        ELSE nullif(trim(substr(offsets, 1 - place * width, -width)), '') END
        AS INTEGER)) / scale AS TEXT), '0'), '.')
    END AS text
  FROM runs
  CROSS JOIN iteration_blocks AS blocks ON blocks.run = runs.id
  CROSS JOIN other_blocks ON other_blocks.run = blocks.run AND other_blocks.before = blocks.before
  CROSS JOIN places ON place < lines)
WHERE text IS NOT NULL;

CREATE VIEW arguments AS
SELECT run_arguments.run, pairs.key + 1 AS position, json_extract(pairs.value, '$[0]') AS name,
  json_extract(pairs.value, '$[1]') AS value
FROM run_arguments CROSS JOIN json_each(run_arguments.list) AS pairs;

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
  (SELECT coalesce(sum(lines), 0) FROM iteration_blocks WHERE run = runs.id) AS iterations,
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
