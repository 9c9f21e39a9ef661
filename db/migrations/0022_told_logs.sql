-- SPDX-License-Identifier: Apache-2.0
-- What was said of a log counts when it is read again, not its patterns alone: asked for by its
-- path, whenever a file is to be read.
DROP INDEX logs_read_by_patterns;
CREATE INDEX told_logs ON logs(path) WHERE told IS NOT NULL;
