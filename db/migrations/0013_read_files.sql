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
