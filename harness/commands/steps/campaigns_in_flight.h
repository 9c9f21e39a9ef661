// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/commands/steps/newest_campaigns.h"

namespace pippin {

/// newest_campaigns(), and of each sweep that is meant the earlier campaigns of which the scheduler
/// has jobs, or does not say that it has none: 'submit --again' leaves such. Oldest first.
std::vector<OpenCampaign> campaigns_in_flight(const Globals& globals, const std::string& name);

}  // namespace pippin
