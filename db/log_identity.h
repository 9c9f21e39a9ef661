// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "db/database.h"
#include "db/sqlite.h"

namespace pippin::db {

/// The first measured line of a log: one that it has in common with what it grows from.
struct FirstLine {
  std::int64_t iteration = 0;
  double step_time_ms = 0;
};

/// Nothing where no run has a line.
std::optional<FirstLine> first_line_of(const std::vector<LogRun>& runs);
std::optional<FirstLine> first_line_of(const LogRun& run);

struct KnownLog {
  std::int64_t id = 0;
  std::int64_t size_bytes = 0;
  std::string path;
};

/// The stored logs from elsewhere that `file` begins with, the longest first; one of equal size is
/// `file` itself. Looked for are those with its first line, with none, and that which was read from
/// its path.
std::vector<KnownLog> foreign_logs_that_begin(Connection& connection, const LogFile& file,
                                              const std::optional<FirstLine>& first);

/// The log of a campaign's run that `file` is, or that has grown to it where it lies.
std::optional<std::int64_t> own_log(Connection& connection, const LogFile& file);

/// The content hashes of the logs, deleted for good, that `file` begins with.
std::vector<std::string> deleted_logs_that_begin(Connection& connection, const LogFile& file);

/// True where `file` is an older copy of a longer log that is stored: it is the beginning of that
/// log's head, or begins like it and all that `runs`, read from it, say is there already. Looked at
/// are logs with its first line; of one without any line the other's file must begin with it.
bool holds_older_copy(Connection& connection, const LogFile& file, const std::vector<LogRun>& runs);

}  // namespace pippin::db
