// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/campaign/machine.h"
#include "harness/commands/steps/output.h"
#include "reports/campaign_status.h"

namespace pippin {

/// How far a campaign is, as a machine that has looked knows it, with the words of the tables.
/// `why`: not all is handed over, as the last who tried has noted it.
CampaignStatus status_of(const Globals& globals, const CampaignMachine& machine,
                         const std::string& why);

}  // namespace pippin
