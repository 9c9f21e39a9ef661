-- SPDX-License-Identifier: Apache-2.0
-- Logs that are read by a person's patterns are asked for by their paths, whenever a file is to be
-- read; whether there are any, too.
CREATE INDEX logs_read_by_patterns ON logs(path) WHERE instr(told, '"scrape.') > 0;
