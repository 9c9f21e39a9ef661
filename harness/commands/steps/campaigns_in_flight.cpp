// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/campaigns_in_flight.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>

#include "core/base/error.h"
#include "harness/campaign/asked.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

using Submissions = std::vector<Submission>;

std::unordered_set<std::string_view> names_of_jobs(const Campaign& campaign) {
  std::unordered_set<std::string_view> names;
  for (const auto& job : campaign.jobs) names.insert(job.name);
  return names;
}

/// Those of which the files do not say that they are over, but for `campaign`'s.
Submissions open_submissions_but(SweepFolder& folder, const Campaign& campaign) {
  Submissions submissions = folder.submissions();
  const auto own = names_of_jobs(campaign);
  std::erase_if(submissions, [&](const Submission& one) {
    return one.refused || own.count(one.tasks.front().job) > 0;
  });
  if (submissions.empty()) return {};
  RunNames over;
  folder.each_outcome([&](std::string_view run, bool) { over.emplace(run); });
  const auto is_over = [&](const Submission& one, std::size_t task) {
    if (one.ended.count(static_cast<std::int64_t>(task) + 1) > 0) return true;
    const auto& runs = one.tasks[task].runs;
    return std::all_of(runs.begin(), runs.end(),
                       [&](const auto& run) { return over.count(run) > 0; });
  };
  std::erase_if(submissions, [&](const Submission& one) {
    for (std::size_t task = 0; task < one.tasks.size(); ++task)
      if (!is_over(one, task)) return false;
    return true;
  });
  return submissions;
}

/// A campaign before the newest, and what may still be under way of it.
struct Earlier {
  Campaign campaign;
  Submissions open = {};
};

/// Those that have `open` ones, of campaigns before that number, the newest first.
std::vector<Earlier> campaigns_of(SweepFolder& folder, const SweepFolders& folders,
                                  std::int64_t before, Submissions open) {
  std::vector<Earlier> earlier;
  const auto numbers = folder.campaigns();
  for (auto number = numbers.rbegin(); number != numbers.rend() && !open.empty(); ++number) {
    if (*number >= before) continue;
    Earlier one{folders.load_plan(folder, *number)};
    const auto own = names_of_jobs(one.campaign);
    const auto theirs = std::partition(open.begin(), open.end(), [&](const Submission& submission) {
      return own.count(submission.tasks.front().job) == 0;
    });
    one.open.assign(std::make_move_iterator(theirs), std::make_move_iterator(open.end()));
    open.erase(theirs, open.end());
    if (!one.open.empty()) earlier.push_back(std::move(one));
  }
  return earlier;
}

bool may_live(const std::vector<JobStatus>& tasks) {
  using Phase = JobStatus::Phase;
  return std::any_of(tasks.begin(), tasks.end(), [](const JobStatus& task) {
    return task.phase != Phase::kAbsent && task.phase != Phase::kEnded;
  });
}

/// Nobody steps on these campaigns any more, and who looks next need not ask again.
void keep_ends(SweepFolder& folder, Submission& submission, const std::vector<JobStatus>& tasks) {
  std::map<std::int64_t, TaskEnd> ends;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    if (tasks[task].phase != JobStatus::Phase::kEnded) return;
    ends[static_cast<std::int64_t>(task) + 1] = {tasks[task].end, tasks[task].evidence};
  }
  try {
    folder.mark_ended(submission, ends);
  } catch (const Error&) {
    return;  // another user's
  }
}

/// From the scheduler that has them. Where it is elsewhere it would know none of them.
void leave_out_what_is_over(const Globals& globals, SweepFolder& folder,
                            std::vector<Earlier>& earlier) {
  std::map<std::string, std::vector<Asked>> asked;
  for (const auto& one : earlier) {
    for (const auto& submission : one.open)
      asked[one.campaign.scheduler].push_back(asked_of(folder, submission));
  }
  std::map<std::string, std::vector<JobStatus>> answers;
  for (const auto& [name, jobs] : asked) {
    const auto scheduler = scheduler_of(globals.db, name, {}, globals.for_readers);
    if (!why_elsewhere(folder, *scheduler).value_or("").empty()) continue;
    answers.merge(scheduler->query(jobs));
  }
  std::erase_if(earlier, [&](Earlier& one) {
    bool lives = false;
    for (Submission& submission : one.open) {
      const auto answer = answers.find(submission.token);
      const bool may = answer == answers.end() || may_live(answer->second);
      if (!may && !globals.for_readers) keep_ends(folder, submission, answer->second);
      lives = lives || may;
    }
    return !lives;
  });
}

}  // namespace

std::vector<OpenCampaign> campaigns_in_flight(const Globals& globals, const std::string& name) {
  std::vector<OpenCampaign> found;
  const SweepFolders folders(globals.db, globals.for_readers);
  const bool only_that = !name.empty() && !names_a_sweep(globals, name);
  for (auto& [folder, newest] : newest_campaigns(globals, name)) {
    if (!only_that && folder.campaigns().size() > 1) {
      auto earlier =
          campaigns_of(folder, folders, newest.number, open_submissions_but(folder, newest));
      leave_out_what_is_over(globals, folder, earlier);
      for (auto one = earlier.rbegin(); one != earlier.rend(); ++one)
        found.emplace_back(folder, std::move(one->campaign));
    }
    found.emplace_back(folder, std::move(newest));
  }
  return found;
}

}  // namespace pippin
