// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/records/whole_run.h"
#include "reports/show/sheet.h"

namespace pippin {

/// Where the figures of a run stand in its log.
struct FigurePlaces {
  struct Place {
    std::string what;  ///< "arguments"
    std::size_t first = 0, last = 0;
  };
  std::vector<std::size_t> steps;  ///< the log's line of each of the run's; 0: not found again
  std::vector<Place> others;
  std::string problem;  ///< why they are not known; empty: they are
};

/// A run, and what is held beside it.
struct RunToShow {
  WholeRun run;
  std::vector<Iteration> lines;  ///< Iterations::bare will do
  FigurePlaces places;
  RunList neighbours;                  ///< of its allocation, in their order
  RunList repeats;                     ///< of its point, the newest first
  std::vector<std::string> files;      ///< beside its log, that are there
  std::vector<std::string> tags = {};  ///< of its campaign
};

Sheet run_sheet(const RunToShow& shown);

// Its parts.

SheetPart steps_part(const RunToShow& shown);
/// Which lines are not in the mean, and why.
SheetPart left_out_part(const RunToShow& shown);
SheetPart places_part(const RunToShow& shown);
SheetPart canaries_part(const WholeRun& run);
SheetPart neighbours_part(const RunToShow& shown);
SheetPart repeats_part(const RunToShow& shown);

}  // namespace pippin
