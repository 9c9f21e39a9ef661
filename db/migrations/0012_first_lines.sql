-- SPDX-License-Identifier: Apache-2.0
-- A log is known again by its first iteration, whose time hardly two logs share: each new log was
-- compared with all that are stored.
ALTER TABLE logs ADD COLUMN first_iteration INTEGER;
ALTER TABLE logs ADD COLUMN first_time_ms REAL;
UPDATE logs SET (first_iteration, first_time_ms) = (
  SELECT i.iteration, i.step_time_ms FROM runs JOIN iterations AS i ON i.run = runs.id
  WHERE runs.log = logs.id ORDER BY runs.position, i.position LIMIT 1);
DROP INDEX logs_by_head;
CREATE INDEX logs_by_head ON logs(head_hash, first_time_ms, size_bytes);
CREATE INDEX logs_by_first_line ON logs(first_time_ms, first_iteration, size_bytes);
CREATE INDEX logs_by_path ON logs(path);
CREATE INDEX logs_by_beginning ON logs(substr(head, 1, 64));
