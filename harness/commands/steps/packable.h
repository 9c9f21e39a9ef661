// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/commands/steps/output.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

/// What of a sweep's folder can be packed, and what cannot be yet.
struct Packable {
  /// Of runs that are done and recorded, and of submissions that are over, by their paths below the
  /// sweep's; no job looks into them any more.
  std::vector<std::string> folders;
  std::int64_t runs = 0;        ///< of the folders those of runs
  std::int64_t unfinished = 0;  ///< runs that are not done, or whose job is not over
  std::int64_t unrecorded = 0;  ///< runs that are done, and not in the database
  std::int64_t on_the_way = 0;  ///< jobs of which the scheduler does not say yet that they are over
};

/// Asks the scheduler for the jobs whose files tell that all is done, too: they may still be at
/// their last lines. Requires the sweep's lock.
Packable packable(const Globals& globals, const SweepFolders& folders, SweepFolder& folder);

}  // namespace pippin
