// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/records/cluster.h"
#include "harness/commands/commands.h"
#include "sweeps/estimate/search_layouts.h"

namespace pippin {

/// The layout that a launch has of its own.
struct OwnLayout {
  std::optional<FoundLayout> found;
  std::string why_not;  ///< where there is none
};

/// Lets the space have the model of the launch behind '--', with its GPUs and batch where the
/// options say none. Requires the space's machine and rates.
/// Errors: Error (bad input) where that is not known, or not searched.
OwnLayout take_launch(const Globals& globals, const SearchOptions& options, const Cluster& cluster,
                      SearchSpace& space);

/// How it stands beside those that were found. Requires that it is one.
std::string words_on_own(const FoundLayout& own, const SearchResult& result,
                         const SearchSpace& space);

}  // namespace pippin
