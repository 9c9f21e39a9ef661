// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <map>
#include <unistd.h>

#include "harness/commands/commands.h"
#include "harness/commands/steps/campaign_status.h"
#include "harness/commands/steps/campaigns_in_flight.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "reports/campaign_status.h"

namespace pippin {

namespace {

/// One look at all campaigns, those under way first; true where all are finished.
bool show(const Globals& globals, const StatusOptions& options,
          std::map<std::string, Notifier>& notifiers) {
  constexpr std::size_t kDefaultWidth = 100;
  const std::size_t terminal = terminal_width(STDOUT_FILENO);
  bool finished = true;
  std::string text, text_of_finished;
  for (auto& [folder, campaign] : campaigns_in_flight(globals, options.sweep)) {
    const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
    CampaignMachine machine = observer_of(folder, std::move(campaign), *scheduler);
    const RunCounts counts = machine.observe();
    const CampaignName name{machine.campaign().sweep, machine.campaign().number};
    const bool is_newest = folder.campaigns().back() == machine.campaign().number;
    const std::string told = is_newest ? name.sweep : text_of(name);
    notifiers.try_emplace(text_of(name), options.notify, told).first->second.look(counts);
    finished = finished && counts.finished();
    const CampaignStatus status = status_of(globals, machine, folder.held_back());
    (counts.finished() ? text_of_finished : text) +=
        status_text(status, terminal > 0 ? terminal : kDefaultWidth,
                    static_cast<std::int64_t>(std::time(nullptr)));
  }
  const bool redraw = options.watch && terminal > 0;
  if (redraw) write_output("\033[H\033[2J");
  write_text(text + text_of_finished);
  return finished;
}

}  // namespace

ExitCode status(const Globals& globals, const StatusOptions& options) {
  constexpr double kGrowth = 6;
  std::map<std::string, Notifier> notifiers;
  const Interruptible interruptible;
  PollPace pace(options.poll_s, options.poll_s * kGrowth);
  while (!show(globals, options, notifiers) && options.watch && !Interruptible::interrupted()) {
    Interruptible::pause(pace.seconds());
    if (Interruptible::interrupted()) break;
    pace.unchanged();
  }
  return ExitCode::kDone;
}

}  // namespace pippin
