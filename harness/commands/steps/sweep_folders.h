// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/jobs/protocol.h"

namespace pippin {

struct Globals;

/// Where the files of a database's sweeps are. A sweep that was renamed keeps its folder, so that
/// jobs that are under way find it, and logs stay where the database says.
class SweepFolders {
 public:
  /// Reads the database, if there is one. `read_only`: as OpenDatabase has it.
  explicit SweepFolders(const fs::path& db, bool read_only = false);

  /// Errors: Error (bad input) where the folder of that name is another sweep's, by an earlier
  /// name.
  fs::path path_of(const std::string& sweep) const;
  /// Of each sweep that was begun, or was to be, and whose files may be read here.
  std::vector<fs::path> all() const;
  /// Tells of the others.
  void tell_closed(const Globals& globals) const;
  /// The names of those that have a campaign.
  std::vector<std::string> with_campaign() const;
  /// Those that have an attempt at a run of that name.
  std::vector<fs::path> with_run(const std::string& run) const;
  /// A campaign of a folder, under the sweep's name of today.
  Campaign load(SweepFolder& folder, std::int64_t number) const;
  /// … as SweepFolder::load_plan() gives it.
  Campaign load_plan(SweepFolder& folder, std::int64_t number) const;

 private:
  Campaign as_called_today(Campaign campaign, const SweepFolder& folder) const;

  fs::path db_;
  std::map<std::string, std::string> folders_;  ///< of sweeps that were renamed
  std::map<std::string, std::string> sweeps_;   ///< … by folder
};

}  // namespace pippin
