-- SPDX-License-Identifier: Apache-2.0
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

-- The arguments that a run's log has dumped: [["name","value"], …].
CREATE TABLE run_arguments (
  run INTEGER PRIMARY KEY REFERENCES runs(id),
  list TEXT NOT NULL
) STRICT;

INSERT INTO run_arguments (run, list)
SELECT run, json_group_array(json_array(name, value))
FROM (SELECT run, name, value FROM arguments ORDER BY run, position) GROUP BY run;
