#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/session.h"
#include "reports/values.h"
#include "slurm/slurm.h"

namespace pippin {

namespace {

std::vector<Asked> asked_of(const CampaignMachine& machine) {
  std::vector<Asked> asked;
  for (const auto& state : machine.submissions()) {
    if (state.over()) continue;
    asked.push_back({state.submission.token, static_cast<std::int64_t>(state.tasks.size()), true,
                     state.submission.owner, 0});
  }
  return asked;
}

std::vector<std::string> changes_of(const UpdateOptions& options) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) changes.push_back(fmt::format("{}={}", name, value));
  };
  add("TimeLimit", options.time);
  add("Partition", options.partition);
  add("QOS", options.qos);
  add("Account", options.account);
  if (options.max_in_flight) add("ArrayTaskThrottle", std::to_string(*options.max_in_flight));
  for (const auto& change : options.set) {
    if (change.find('=') == std::string::npos)
      bad_input("--set '{}': write NAME=VALUE, as 'scontrol update' has it", printable(change));
    changes.push_back(change);
  }
  if (changes.empty()) bad_input("update: say what to change, such as --time 00:20:00");
  return changes;
}

}  // namespace

ExitCode update(const Globals& globals, const UpdateOptions& options) {
  const auto changes = changes_of(options);
  for (auto& [folder, campaign] : newest_campaigns(globals, options.sweep)) {
    if (campaign.scheduler != "slurm")
      bad_input("{}: jobs on '{}' have nothing to change", campaign.sweep, campaign.scheduler);
    SlurmScheduler scheduler;
    const CampaignMachine machine = observer_of(folder, campaign, scheduler);
    const std::int64_t changed = scheduler.update(asked_of(machine), changes);
    remark(globals, fmt::format("{} campaign {}: {} for {} that wait; what is submitted later "
                                "takes its options from the cluster file",
                                printable(campaign.sweep), campaign.number, join(changes, " "),
                                counted(static_cast<std::size_t>(changed), "job")));
  }
  return ExitCode::kDone;
}

}  // namespace pippin
