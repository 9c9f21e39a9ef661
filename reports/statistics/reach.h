// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/statistics/nested.h"

namespace pippin {

/// Days that a claim about days may rest on: fewer do not show how much they differ.
inline constexpr std::size_t kDaysForAClaim = 3;

/// What an interval over these runs does not cover, because of when they ran: "all of one day:
/// other days may differ". Empty where nothing is to be said. Requires a run.
std::string reach_of(const std::vector<RunMoments>& runs);

}  // namespace pippin
