// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/campaigns_in_flight.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"

namespace pippin {

namespace {

void cancel(const Globals& globals, const SweepFolder& folder, const Campaign& campaign) {
  const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
  CampaignMachine machine = observer_of(folder, campaign, *scheduler);
  machine.cancel();
  const RunCounts counts = machine.counts();
  const std::int64_t done = counts.succeeded + counts.failed;
  const std::string rest =
      done == counts.total() ? "no run is left" : "'pippin run' takes up the rest";
  remark(globals,
         fmt::format("{} campaign {}: cancelled with {} of {} runs done; {}",
                     printable(campaign.sweep), campaign.number, done, counts.total(), rest));
}

}  // namespace

ExitCode cancel(const Globals& globals, const std::string& sweep) {
  std::vector<std::string> failures;
  ExitCode code = ExitCode::kDone;
  auto campaigns = campaigns_in_flight(globals, sweep);
  // The newest first: a scheduler that does not answer takes its time, and jobs may begin
  // meanwhile.
  for (auto one = campaigns.rbegin(); one != campaigns.rend(); ++one) {
    const Campaign& campaign = one->second;
    try {
      cancel(globals, one->first, campaign);
    } catch (const Error& error) {
      if (campaigns.size() == 1) throw;
      code = error.exit_code();
      failures.push_back(fmt::format("{} campaign {}: {}", printable(campaign.sweep),
                                     campaign.number, error.what()));
    }
  }
  if (!failures.empty()) throw Error(code, join(failures, "; "));
  return ExitCode::kDone;
}

}  // namespace pippin
