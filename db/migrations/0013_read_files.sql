-- SPDX-License-Identifier: Apache-2.0
-- A file that is as it was when it was read last is not opened again.
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

-- Runs that fail alike leave logs that are alike, and each was compared with all of them.
ALTER TABLE logs ADD COLUMN of_campaign INTEGER NOT NULL DEFAULT 0;
UPDATE logs SET of_campaign = 1 WHERE id IN (
  SELECT runs.log FROM runs JOIN allocations ON allocations.id = runs.allocation
  WHERE allocations.campaign IS NOT NULL);
DROP INDEX logs_by_size;
DROP INDEX logs_by_head;
DROP INDEX logs_by_first_line;
CREATE INDEX logs_by_content ON logs(size_bytes, content_hash, of_campaign);
CREATE INDEX logs_by_head ON logs(head_hash, of_campaign, first_time_ms, size_bytes);
CREATE INDEX logs_by_first_line ON logs(
  of_campaign, first_time_ms, first_iteration, size_bytes);
DROP INDEX deleted_logs_by_size;
CREATE INDEX deleted_logs_by_content ON deleted_logs(size_bytes, content_hash);
-- Of a run with many attempts the others are looked for by name.
CREATE INDEX runs_by_name ON runs(name);
