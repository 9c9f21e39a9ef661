// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "db/database.h"
#include "harness/commands/steps/rank_names.h"
#include "harness/commands/steps/told_values.h"

namespace pippin {

/// Reads logs into the database: files as they are named, folders with all below them. What cannot
/// be read and, named, is no log has a line on `errors`, each once; the rest goes on, and what was
/// read stays. Errors: as Database.
class PathCollector {
 public:
  /// `own_runs`: where runs of campaigns lie, which are known again by others than this.
  /// `verbose`: all files that look like logs and gave nothing are named, known or not. `told`:
  /// what people say of logs, which are read again for it; `ranks`: which files are of one job.
  PathCollector(Database& database, std::vector<fs::path> paths, const fs::path& own_runs,
                std::ostream& errors, bool verbose = false, ToldValues told = {},
                RankNames ranks = {});
  ~PathCollector();

  struct Found {
    ExitCode code = ExitCode::kDone;   ///< kBadInput where a file that was named holds no log or
                                       ///< cannot be read; kMachine where another cannot, as a
                                       ///< machine fails; else a folder may hold anything
    std::string summary;               ///< for people; may be empty
    std::vector<std::string> remarks;  ///< for people, before the summary: what looks like a log
                                       ///< and gave nothing, lines that could not be used
  };

  /// `bar_width`: of the terminal that shows how far it is; 0 for none.
  Found read(std::size_t bar_width = 0);
  /// Again, what has changed or come since; of a file that goes on only what came.
  /// Shape: the summary is empty where nothing was added.
  Found read_on();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pippin
