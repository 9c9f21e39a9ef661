// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/campaigns_in_flight.h"
#include "harness/commands/steps/session.h"
#include "pbs/pbs.h"
#include "reports/values.h"
#include "slurm/slurm.h"

namespace pippin {

namespace {

/// As scontrol takes them: "TimeLimit=00:20:00".
std::vector<std::string> slurm_changes(const UpdateOptions& options) {
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
  return changes;
}

/// As qalter takes them: "-l", "walltime=00:20:00".
std::vector<std::string> pbs_changes(const UpdateOptions& options) {
  std::vector<std::string> changes;
  const auto add = [&](const char* letter, const std::string& value) {
    changes.insert(changes.end(), {letter, value});
  };
  if (!options.partition.empty() || !options.qos.empty())
    bad_input("update: PBS has no partition and no QOS; 'qmove QUEUE ID' moves a job");
  if (!options.time.empty() && options.time.find(':') == std::string::npos)
    bad_input("update: --time {}: PBS would take it for seconds; write 00:20:00",
              printable(options.time));
  if (!options.time.empty()) add("-l", "walltime=" + options.time);
  if (!options.account.empty()) add("-A", options.account);
  constexpr std::int64_t kAll = 1'000'000'000;  // as of 0 PBS lets none run
  if (const auto most = options.max_in_flight)
    add("-W", fmt::format("max_run_subjobs={}", *most > 0 ? *most : kAll));
  for (const auto& change : options.set) {
    if (change.find('=') == std::string::npos)
      bad_input("--set '{}': write RESOURCE=VALUE, as 'qalter -l' has it", printable(change));
    add("-l", change);
  }
  return changes;
}

/// How many jobs that wait were changed, and how; `machine` sees those that are not over.
std::int64_t change(const Campaign& campaign, const SweepFolder& folder,
                    const UpdateOptions& options, std::vector<std::string>& changes) {
  const bool is_pbs = campaign.scheduler == "pbs";
  if (!is_pbs && campaign.scheduler != "slurm")
    bad_input("{}: jobs on '{}' have nothing to change", campaign.sweep, campaign.scheduler);
  changes = is_pbs ? pbs_changes(options) : slurm_changes(options);
  if (changes.empty()) bad_input("update: say what to change, such as --time 00:20:00");
  SlurmScheduler slurm;
  PbsScheduler pbs;
  Scheduler& scheduler = is_pbs ? static_cast<Scheduler&>(pbs) : slurm;
  const auto asked = observer_of(folder, campaign, scheduler).open_jobs();
  return is_pbs ? pbs.update(asked, changes) : slurm.update(asked, changes);
}

std::string changed_in_words(std::int64_t jobs) {
  if (jobs == 0) return "no job, as none waits that takes it";
  return counted(jobs, "job") + (jobs == 1 ? " that waits" : " that wait");
}

}  // namespace

ExitCode update(const Globals& globals, const UpdateOptions& options) {
  for (auto& [folder, campaign] : campaigns_in_flight(globals, options.sweep)) {
    std::vector<std::string> changes;
    const std::int64_t changed = change(campaign, folder, options, changes);
    remark(globals, fmt::format("{} campaign {}: {} for {}; what is submitted later takes its "
                                "options from the cluster file",
                                printable(campaign.sweep), campaign.number,
                                printable(join(changes, " ")), changed_in_words(changed)));
    if (changed == 0 && campaign.scheduler == "pbs" && options.max_in_flight)
      remark(globals, "--max-in-flight is of arrays alone, as PBS has it");
  }
  return ExitCode::kDone;
}

}  // namespace pippin
