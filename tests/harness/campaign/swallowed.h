// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "harness/campaign/machine.h"
#include "harness/scrape/probe_endings.h"
#include "tests/harness/campaign/world.h"
#include "tests/support/left_by_jobs.h"

namespace pippin::test {

/// What a campaign of one run counts.
constexpr RunCounts kUnsubmitted{1, 0, 0, 0, 0, 0, 0, 0}, kWaiting{0, 1, 0, 0, 0, 0, 0, 0},
    kRunning{0, 0, 1, 0, 0, 0, 0, 0}, kFailed{0, 0, 0, 0, 1, 0, 0, 0},
    kLost{0, 0, 0, 0, 0, 1, 0, 0};

/// A scheduler that loses every job.
class BlackHole : public Scheduler {
 public:
  Handed submit(const JobRequest& request) override {
    tokens.push_back(request.token);
    if (live + request.tasks > most_tasks) return {Handed::Answer::kNoRoom, "full"};
    live += request.tasks;
    return {answer, is_strange ? "site: no budget" : "1", is_strange};
  }
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    std::map<std::string, std::vector<JobStatus>> answers;
    for (const auto& one : asked)
      answers[one.token].assign(static_cast<std::size_t>(one.tasks), {phase, words, end, {}, at});
    return answers;
  }
  void cancel(const std::vector<Asked>& asked) override {
    for (const auto& one : asked) cancelled.push_back(one.token);
  }
  Room room() override {
    if (is_missing) throw MissingProgram("sbatch");
    if (is_shut) return {most_tasks, 0, "MaxSubmitJobs is 0", true};
    return {most_tasks, INT64_MAX, {}};
  }
  std::string place() override {
    if (is_silent) machine_failed("no answer");
    return where;
  }

  std::string where;  ///< place()
  bool is_silent = false, is_shut = false, is_strange = false, is_missing = false;
  std::vector<std::string> tokens, cancelled;
  Handed::Answer answer = Handed::Answer::kTaken;
  JobStatus::Phase phase = JobStatus::Phase::kEnded;
  End end = End::kInfrastructure;
  std::optional<std::int64_t> at = {};  ///< its clock
  std::string words = "swallowed";
  std::int64_t live = 0, most_tasks = 1000;  ///< that it has; that it takes, which it does not say
};

inline Campaign one_run() {
  Campaign campaign;
  campaign.sweep = "s";
  campaign.jobs = {{"job", 1, 1, {{"run-a1", "p", 1, 1}}}};
  return campaign;
}

/// One job of runs a, b, …
inline Campaign runs_of(const std::vector<std::string>& names) {
  Campaign campaign = one_run();
  campaign.jobs[0].runs.clear();
  for (const auto& name : names) campaign.jobs[0].runs.push_back({name, "p", 1, 1});
  return campaign;
}

/// What a job leaves of a run that it ended, or only began.
inline void leave(MemoryFiles& files, const std::string& run, const std::string& attempt,
                  std::optional<int> exit_code) {
  const fs::path folder = fs::path("/s") / run / attempt;
  files.write(folder / "run", record_of(exit_code));
  if (!exit_code) return;
  const fs::path outcomes = "/s/outcomes/n1-1";
  files.write(outcomes, files.read(outcomes).value_or("") + run +
                            (*exit_code == 0 ? "\tok\n" : "\tfailed\n"));
}

inline CampaignMachine machine_on(MemoryFiles& files, Scheduler& scheduler,
                                  const Campaign& campaign = one_run(),
                                  MachineOptions options = {}) {
  options.lost_rank_words = lost_rank_words;
  return {SweepFolder(files, "/s"),
          files,
          scheduler,
          campaign,
          [](auto&&...) {
            return JobFiles{"script", {}};
          },
          std::move(options)};
}

}  // namespace pippin::test
