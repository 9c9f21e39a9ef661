// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/campaigns_in_flight.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"

namespace pippin {

ExitCode cancel(const Globals& globals, const std::string& sweep) {
  for (auto& [folder, campaign] : campaigns_in_flight(globals, sweep)) {
    const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
    CampaignMachine machine = observer_of(folder, campaign, *scheduler);
    machine.cancel();
    const RunCounts counts = machine.counts();
    remark(globals,
           fmt::format(
               "{} campaign {}: cancelled with {} of {} runs done; 'pippin run' takes up the rest",
               printable(campaign.sweep), campaign.number, counts.succeeded + counts.failed,
               counts.total()));
  }
  return ExitCode::kDone;
}

}  // namespace pippin
