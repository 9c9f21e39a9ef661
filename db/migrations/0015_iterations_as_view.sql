-- SPDX-License-Identifier: Apache-2.0
-- What was in the tables stands in blocks.
DROP VIEW run_overview;
DROP VIEW samples;
DROP TABLE iterations;
DROP TABLE arguments;

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
  (iterations.flags & 32) <> 0 AS noted
FROM iterations
JOIN runs ON runs.id = iterations.run
JOIN points ON points.id = runs.point
JOIN allocations ON allocations.id = runs.allocation
LEFT JOIN campaigns ON campaigns.id = allocations.campaign
LEFT JOIN sweeps ON sweeps.id = campaigns.sweep
WHERE runs.id NOT IN (SELECT run FROM dropped_runs)
  AND (campaigns.id IS NULL OR campaigns.id NOT IN (SELECT campaign FROM dropped_campaigns));
