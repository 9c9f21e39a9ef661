// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/jobs/protocol.h"
#include "db/database.h"

namespace pippin {

/// A path as it stands in the database, wherever pippin was called.
fs::path known_path(const fs::path& path);
/// A file as it is now; nothing where there is none, or where it may change unseen.
std::optional<ReadFile> file_as_it_is(const fs::path& path);
/// The version under which own logs are known that were read so: the scraper's, and of the
/// campaign's patterns a hash.
std::int64_t reading_version(const Campaign& campaign);
/// An attempt with all its files, under the path of its log.
std::optional<ReadFile> attempt_as_it_is(const Attempt& attempt, std::int64_t version);

/// What is recorded of a sweep's folder and has not changed since: it is not read again.
class KnownRuns {
 public:
  /// Costs a few calls of stat for each run that is recorded.
  KnownRuns(Database& database, SweepFolder& folder);

  /// Nothing is left to be recorded.
  bool all() const { return all_; }
  /// `version`: of its campaign.
  bool has(const std::string& run, std::int64_t version) const {
    const auto known = runs_.find(run);
    return known != runs_.end() && known->second == version;
  }

 private:
  std::unordered_map<std::string, std::int64_t> runs_;  ///< by which version each was read
  bool all_ = false;
};

}  // namespace pippin
