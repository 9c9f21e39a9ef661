// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <unistd.h>

#include "core/base/lock.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/campaign_status.h"
#include "harness/commands/steps/campaigns_in_flight.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "reports/campaign_status.h"

namespace pippin {

namespace {

/// What is kept from one look to the next.
struct Watched {
  std::map<std::string, Notifier> notifiers;  ///< by campaign
  std::map<std::string, std::unique_ptr<Scheduler>>
      schedulers;  ///< they know what they have missed
};

/// What a look at the campaigns has found.
struct Seen {
  bool finished = true;          ///< all of them
  bool goes_on = false;          ///< a job waits or runs, or a process is at work
  std::int64_t unsubmitted = 0;  ///< runs
};

/// One look at all campaigns, those under way first.
Seen show(const Globals& globals, const StatusOptions& options, Watched& watched) {
  constexpr std::size_t kDefaultWidth = 100;
  const std::size_t terminal = terminal_width(STDOUT_FILENO);
  Seen seen;
  std::string text, text_of_finished;
  for (auto& [folder, campaign] : campaigns_in_flight(globals, options.sweep)) {
    auto& scheduler = watched.schedulers[campaign.scheduler];
    if (!scheduler) scheduler = scheduler_of(globals.db, campaign.scheduler);
    CampaignMachine machine = observer_of(globals, folder, std::move(campaign), *scheduler);
    const RunCounts counts = machine.observe();
    const CampaignName name{machine.campaign().sweep, machine.campaign().number};
    const bool is_newest = folder.campaigns().back() == machine.campaign().number;
    const std::string told = is_newest ? name.sweep : text_of(name);
    watched.notifiers.try_emplace(text_of(name), options.notify, told).first->second.look(counts);
    seen.finished = seen.finished && counts.finished();
    seen.unsubmitted += counts.unsubmitted;
    seen.goes_on = seen.goes_on || counts.in_flight() > 0 ||
                   (!counts.finished() && is_locked(folder.root() / "lock"));
    const CampaignStatus status = status_of(globals, machine, folder.held_back());
    (counts.finished() ? text_of_finished : text) +=
        status_text(status, terminal > 0 ? terminal : kDefaultWidth,
                    static_cast<std::int64_t>(std::time(nullptr)));
  }
  const bool redraw = options.watch && terminal > 0;
  if (redraw) write_output("\033[H\033[2J");
  write_text(text + text_of_finished);
  return seen;
}

/// Twice in a row: between two jobs of a `run` on another machine nothing may be in flight.
bool ends_unfinished(const Globals& globals, const Seen& before, const Seen& seen) {
  if (before.goes_on || before.finished || seen.goes_on) return false;
  remark(globals,
         fmt::format("nothing waits or runs, and no pippin is at work: {} not submitted; "
                     "'pippin run' or 'submit' takes {} up",
                     counted(seen.unsubmitted, "run"), seen.unsubmitted == 1 ? "it" : "them"));
  return true;
}

}  // namespace

ExitCode status(const Globals& globals, const StatusOptions& options) {
  constexpr double kGrowth = 6;
  Watched watched;
  const Interruptible interruptible;
  PollPace pace(options.poll_s, options.poll_s * kGrowth);
  Seen before{.finished = false, .goes_on = true};
  for (;;) {
    const Seen seen = show(globals, options, watched);
    if (seen.finished || !options.watch || Interruptible::interrupted()) return ExitCode::kDone;
    if (ends_unfinished(globals, before, seen)) return ExitCode::kRunFailed;
    before = seen;
    Interruptible::pause(pace.seconds());
    if (Interruptible::interrupted()) return ExitCode::kDone;
    pace.unchanged();
  }
}

}  // namespace pippin
