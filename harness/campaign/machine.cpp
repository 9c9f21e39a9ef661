#include "harness/campaign/machine.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/hash.h"

namespace pippin {

namespace {

std::size_t cancelled_of(const std::vector<Submission>& submissions) {
  return static_cast<std::size_t>(std::count_if(
      submissions.begin(), submissions.end(), [](const Submission& one) { return one.cancelled; }));
}

}  // namespace

CampaignMachine::CampaignMachine(SweepFolder folder, FileSystem& files, Scheduler& scheduler,
                                 Campaign campaign, ScriptWriter script, std::int64_t retries,
                                 Wanted wanted)
    : folder_(std::move(folder)),
      files_(files),
      scheduler_(scheduler),
      campaign_(std::move(campaign)),
      script_(std::move(script)),
      retries_(retries),
      wanted_(std::move(wanted)) {
  for (const auto& plan : campaign_.jobs) {
    const auto submissions = folder_.submissions(plan.name);
    const std::size_t cancelled = cancelled_of(submissions), tried = submissions.size() - cancelled;
    const bool last_may_run = !submissions.empty() && !submissions.back().cancelled;
    jobs_.push_back({&plan, submissions, cancelled, tried - (last_may_run ? 1 : 0), false, {}});
    for (const auto& run : plan.runs) phases_[run.name] = RunPhase::kPlanned;
    look(jobs_.back());
  }
}

std::map<std::string, JobStatus> CampaignMachine::query() {
  std::vector<std::string> tokens;
  for (const auto& job : jobs_) {
    if (!job.over && !job.submissions.empty()) tokens.push_back(job.submissions.back().token);
  }
  return tokens.empty() ? std::map<std::string, JobStatus>() : scheduler_.query(tokens);
}

RunCounts CampaignMachine::observe() {
  const auto answers = query();
  for (auto& job : jobs_) {
    look(job);
    const bool alive = !job.submissions.empty() &&
                       answers.at(job.submissions.back().token).phase == JobStatus::Phase::kRunning;
    for (const auto& run : job.plan->runs) {
      if (!alive && phases_[run.name] == RunPhase::kRunning) phases_[run.name] = RunPhase::kLost;
    }
  }
  return counts();
}

RunCounts CampaignMachine::step() {
  // Asked before the markers are read: a job that has ended by now wrote its last marker before.
  const auto answers = query();
  for (auto& job : jobs_) {
    if (job.over) continue;
    if (job.submissions.empty()) {
      after_its_end(job);
      continue;
    }
    const JobStatus& status = answers.at(job.submissions.back().token);
    switch (status.phase) {
      case JobStatus::Phase::kUnknown:
      case JobStatus::Phase::kWaiting:
        break;
      case JobStatus::Phase::kRunning:
        look(job);
        break;
      case JobStatus::Phase::kAbsent:
        // Journaled, and we died before the scheduler had it.
        if (!job.submissions.back().handed) {
          hand_over(job);
          break;
        }
        [[fallthrough]];
      case JobStatus::Phase::kEnded:
        job.evidence = status.evidence;
        after_its_end(job);
        break;
    }
  }
  return counts();
}

void CampaignMachine::cancel() {
  std::vector<std::string> tokens;
  for (const auto& job : jobs_) {
    if (job.over || job.submissions.empty() || unfinished(job).empty()) continue;
    folder_.mark_cancelled(job.plan->name, job.submissions.back().number);
    tokens.push_back(job.submissions.back().token);
  }
  if (!tokens.empty()) scheduler_.cancel(tokens);
}

/// Reads what the job's runs have left so far.
void CampaignMachine::look(Job& job) {
  for (const auto& run : job.plan->runs) {
    RunPhase& phase = phases_[run.name];
    if (phase == RunPhase::kDone) continue;
    const auto attempts = folder_.attempts(run.name);
    const Attempt* attempt = counted(attempts);
    if (!attempt) continue;
    if (attempt->done()) {
      phase = RunPhase::kDone;
      if (attempt->exit_code != 0) failed_.insert(run.name);
    } else if (!job.submissions.empty() && attempt->submission == job.submissions.back().number) {
      phase = RunPhase::kRunning;  // an older one was lost
    }
  }
}

/// No process of the job is left: what is not done now will not be, unless it is handed over again.
void CampaignMachine::after_its_end(Job& job) {
  look(job);
  const auto rest = unfinished(job);
  if (!job.submissions.empty()) job.submissions = folder_.submissions(job.plan->name);
  const std::size_t cancelled = cancelled_of(job.submissions);
  if (!rest.empty() && cancelled > job.earlier_cancelled) {
    for (const auto& run : rest) phases_[run.name] = RunPhase::kCancelled;
    job.over = true;
    return;
  }
  const std::size_t tried = job.submissions.size() - cancelled - job.earlier_lost;
  const bool retry_left = static_cast<std::int64_t>(tried) <= retries_;
  for (const auto& run : rest) phases_[run.name] = RunPhase::kLost;
  const auto again = retry_left ? to_hand_over(job) : std::vector<PlannedRun>();
  for (const auto& run : again) phases_[run.name] = RunPhase::kPlanned;
  job.over = again.empty();
  if (!job.over) hand_over_next(job, again);
}

void CampaignMachine::hand_over_next(Job& job, const std::vector<PlannedRun>& runs) {
  Submission next;
  next.number = job.submissions.empty() ? 1 : job.submissions.back().number + 1;
  const std::string identity =
      fmt::format("{} {} {}", folder_.root().string(), campaign_.started, campaign_.number);
  next.token =
      fmt::format("{}-s{}-{}", job.plan->name, next.number, hash_of(identity).substr(0, 8));
  for (const auto& run : runs) next.runs.push_back(run.name);
  files_.write(folder_.script(job.plan->name, next.number), script_(*job.plan, runs, next.number));
  folder_.journal(job.plan->name, next);
  job.submissions.push_back(std::move(next));
  hand_over(job);
}

void CampaignMachine::hand_over(Job& job) {
  Submission& submission = job.submissions.back();
  const std::string& name = job.plan->name;
  scheduler_.submit({submission.token, folder_.script(name, submission.number),
                     folder_.job_log(name, submission.number)});
  folder_.mark_handed(name, submission.number);
  submission.handed = true;
}

std::vector<PlannedRun> CampaignMachine::unfinished(const Job& job) const {
  std::vector<PlannedRun> rest;
  for (const auto& run : job.plan->runs) {
    if (phases_.at(run.name) != RunPhase::kDone) rest.push_back(run);
  }
  return rest;
}

std::vector<PlannedRun> CampaignMachine::to_hand_over(const Job& job) const {
  std::vector<PlannedRun> runs = unfinished(job);
  std::erase_if(runs, [&](const PlannedRun& run) { return !wanted_(run); });
  return runs;
}

RunCounts CampaignMachine::counts() const {
  RunCounts counts;
  for (const auto& entry : phases_) {
    switch (entry.second) {
      case RunPhase::kPlanned:
        ++counts.planned;
        break;
      case RunPhase::kRunning:
        ++counts.running;
        break;
      case RunPhase::kDone:
        ++(failed_.count(entry.first) ? counts.failed : counts.succeeded);
        break;
      case RunPhase::kLost:
        ++counts.lost;
        break;
      case RunPhase::kCancelled:
        ++counts.cancelled;
        break;
    }
  }
  return counts;
}

const std::string& CampaignMachine::evidence(const std::string& job) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const Job& one) { return one.plan->name == job; });
  return found->evidence;
}

}  // namespace pippin
