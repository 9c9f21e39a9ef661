-- SPDX-License-Identifier: Apache-2.0
-- Each row of a run that was written looked for a report's rows to delete by way of a temporary table.
DROP TRIGGER run_added;
DROP TRIGGER run_changed;
DROP TRIGGER run_deleted;
DROP TRIGGER digest_deleted;
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

-- A log shorter than a head is all head: its content says as much.
DROP INDEX logs_by_head;
CREATE INDEX logs_by_head ON logs(head_hash, of_campaign, first_time_ms, size_bytes)
WHERE size_bytes >= 4096;
