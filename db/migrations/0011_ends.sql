-- SPDX-License-Identifier: Apache-2.0
-- How far a run came, of how many iterations, and from where on its loss was no number. A row of a
-- table knows why its runs ended so, and more of its single lines. A point that its sweep's file has
-- no more is known as such.
ALTER TABLE runs ADD COLUMN last_iteration INTEGER;
ALTER TABLE runs ADD COLUMN planned_iterations INTEGER;
ALTER TABLE runs ADD COLUMN nan_from INTEGER;
ALTER TABLE point_summaries ADD COLUMN median_s REAL;
ALTER TABLE point_summaries ADD COLUMN p99_s REAL;
ALTER TABLE point_summaries ADD COLUMN reason TEXT;
ALTER TABLE campaign_points ADD COLUMN has_left INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET last_iteration =
  (SELECT max(iteration) FROM iterations WHERE iterations.run = runs.id);
