#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/jobs/protocol.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// The newest campaign of each sweep of the database, or of the one that is named.
/// Errors: Error (bad input) where there is none of that name.
std::vector<std::pair<SweepFolder, Campaign>> newest_campaigns(const Globals& globals,
                                                               const std::string& sweep);

}  // namespace pippin
