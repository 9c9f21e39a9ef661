#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "core/jobs/protocol.h"
#include "db/database.h"

namespace pippin {

/// A path as it stands in the database, wherever pippin was called.
fs::path known_path(const fs::path& path);
/// A file as it is now; nothing where there is none, or where it may change unseen.
std::optional<ReadFile> file_as_it_is(const fs::path& path);
/// An attempt with all its files, under the path of its log.
std::optional<ReadFile> attempt_as_it_is(const Attempt& attempt);

/// What is recorded of a sweep's folder and has not changed since: it is not read again.
class KnownRuns {
 public:
  /// Costs a few calls of stat for each run that is recorded.
  KnownRuns(Database& database, SweepFolder& folder);

  /// Nothing is left to be recorded.
  bool all() const { return all_; }
  bool has(const std::string& run) const { return runs_.count(run) != 0; }

 private:
  std::unordered_set<std::string> runs_;
  bool all_ = false;
};

}  // namespace pippin
