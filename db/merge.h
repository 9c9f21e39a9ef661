// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "db/database.h"
#include "db/sqlite.h"

/// Merging another database, attached as `other` in today's version. First temporary tables are
/// made that say what of it is which row here; then rows are copied, table by table: no step is
/// done for one run at a time.
///
///   campaign_map    theirs, ours, is_new
///   run_map         theirs, ours, how: 0 known here, 1 new, 2 known, and theirs has more
///   log_map, allocation_map, node_map, reading_map   theirs, ours, is_new: those that runs need
namespace pippin::db {

/// A database opened to be merged into another.
class Other {
 public:
  /// Attaches `path`, which is only read; one of an older version is copied beside the database and
  /// brought up to date there.
  /// Errors: Error (bad input) where it is missing, no database of pippin's, or of a newer version.
  Other(Connection& connection, const fs::path& path, std::chrono::milliseconds patience);
  ~Other();
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

 private:
  Connection& connection_;
  fs::path copy_;  ///< the folder of a copy; empty: none was needed
};

/// Fills campaign_map and stores new campaigns. `begun`: the largest number of each sweep's
/// campaigns that were begun here; they may not be stored yet.
/// Errors: Error (bad input) where a sweep was noted by hand in one and measured in the other, or
/// noted in both and not the same.
void map_campaigns(Connection& connection, const std::map<std::string, std::int64_t>& begun,
                   Merged& merged);
/// Fills run_map and what runs need. Requires campaign_map.
void map_runs(Connection& connection, Merged& merged);
/// Copies rows. Requires the maps.
void copy_rows(Connection& connection, Merged& merged);

}  // namespace pippin::db
