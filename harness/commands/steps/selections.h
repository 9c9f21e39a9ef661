// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// The word for logs that no sweep made, where no sweep is called so.
inline constexpr const char* kCollected = "collected";

/// What a report is of.
struct Selected {
  std::string name;  ///< what its reader called it
  SampleFilter filter;
  std::string heading;  ///< which of several campaigns it is; empty where nothing was left out
};

/// Of a sweep file the name of its sweep; any other text as it is. Errors: Error (bad input) where
/// the file names no sweep.
std::string sweep_meant(const std::string& text);

/// The sweep, campaign or tag of that name, or that of a sweep file; everything where it is empty;
/// nothing where there is none.
std::optional<SampleFilter> find_selection_itself(Database& database, const std::string& name);
/// The same; of a run's name or number its campaign.
std::optional<SampleFilter> find_selection(Database& database, const std::string& name);

/// The newest campaign of a sweep, or of all where `name` is empty; what no campaign made where
/// there is none. `pool`: all campaigns together instead.
/// Errors: Error (bad input) naming the nearest where there is no such sweep, campaign or tag.
Selected selected(const Globals& globals, Database& database, const std::string& name, bool pool);

/// Each campaign of a sweep, or of all, the one begun first at the front.
std::vector<Selected> campaigns_of(const Globals& globals, Database& database,
                                   const std::string& name);

}  // namespace pippin
