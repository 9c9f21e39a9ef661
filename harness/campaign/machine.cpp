#include "harness/campaign/machine.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

// A sender on another machine, of which nobody can tell whether it lives, has given up by then.
constexpr std::int64_t kLongestSending_s = 200;

}  // namespace

CampaignMachine::CampaignMachine(SweepFolder folder, FileSystem& files, Scheduler& scheduler,
                                 Campaign campaign, ScriptWriter script, MachineOptions options)
    : folder_(std::move(folder)),
      files_(files),
      scheduler_(scheduler),
      campaign_(std::move(campaign)),
      script_(std::move(script)),
      options_(std::move(options)),
      began_at_(options_.now()),
      newest_(folder_.newest_submission()),
      newest_before_(newest_),
      given_up_(folder_.given_up()),
      given_up_before_(given_up_) {
  for (const auto& job : campaign_.jobs) {
    jobs_[job.name] = &job;
    for (const auto& run : job.runs) {
      runs_[run.name] = &run;
      fates_[run.name] = {};
    }
  }
  for (const auto& submission : folder_.submissions()) take_up(submission);
  look();
  for (auto& state : submissions_) {
    for (const auto& [task, end] : state.submission.ended) {
      const auto i = static_cast<std::size_t>(task) - 1;
      if (i >= state.settled.size() || state.settled[i]) continue;
      judge(state, i, {JobStatus::Phase::kEnded, end.evidence, end.end, {}, {}}, true);
      state.settled[i] = true;
    }
  }
  redo_failures();
  close_what_left();
}

/// What is not done, and is not under way, will not be any more.
void CampaignMachine::close_what_left() {
  for (const auto& [name, run] : runs_) {
    if (!run->left) continue;
    RunFate& fate = fates_.at(name);
    const bool open = fate.phase == RunPhase::kUnsubmitted || fate.phase == RunPhase::kLost ||
                      fate.phase == RunPhase::kCancelled;
    if (!open) continue;
    fate.phase = RunPhase::kLeft;
    fate.evidence = "it has left the sweep";
  }
}

/// A submission that the folder tells of.
void CampaignMachine::take_up(const Submission& submission) {
  if (submission.refused || !jobs_.count(submission.tasks.front().job)) return;
  for (const auto& task : submission.tasks) {
    for (const auto& run : task.runs) {
      const auto fate = fates_.find(run);
      if (fate == fates_.end()) continue;
      fate->second.submission = submission.number;
      fate->second.phase = RunPhase::kWaiting;
      tries_[run] = submission.cancelled ? 0 : 1;
    }
  }
  const std::size_t tasks = submission.tasks.size();
  submissions_.push_back({submission, std::vector<JobStatus>(tasks),
                          std::vector<bool>(tasks, false), submission.cancelled});
}

bool CampaignMachine::owns(const SubmissionState& state, const std::string& run) const {
  const auto fate = fates_.find(run);
  return fate != fates_.end() && fate->second.submission == state.submission.number;
}

RunCounts CampaignMachine::look() {
  const Outcomes outcomes = folder_.outcomes();
  for (const auto& run : outcomes.succeeded) {
    const auto fate = fates_.find(run);
    if (fate == fates_.end() || !is_true(run, outcomes)) continue;
    fate->second.phase = RunPhase::kDone;
    fate->second.failed = false;
    fate->second.certain = true;
  }
  see_failures(outcomes);
  given_up_ = folder_.given_up();
  for (auto& state : submissions_) settle(state);
  return counts();
}

bool CampaignMachine::is_true(const std::string& success, const Outcomes& outcomes) {
  const RunFate& fate = fates_.at(success);
  const bool refuted = outcomes.refuted.count(success) > 0;
  if (!refuted && !distrusted_.count(success)) return true;
  if (refuted && fate.phase == RunPhase::kDone && fate.failed && fate.certain) return false;
  const auto attempts = folder_.attempts(success);
  const Attempt* attempt = attempt_that_counts(attempts);
  return attempt && attempt->succeeded();
}

void CampaignMachine::distrust(const std::string& run) {
  distrusted_.insert(run);
  RunFate& fate = fates_.at(run);
  fate.phase = RunPhase::kUnsubmitted;
  fate.failed = fate.certain = false;
}

void CampaignMachine::take_as_failed(const std::string& run) {
  RunFate& fate = fates_.at(run);
  fate.failed = fate.phase == RunPhase::kDone;
}

/// A failure counts unless its run has been handed over once more.
void CampaignMachine::see_failures(const Outcomes& outcomes) {
  std::set<std::string, std::less<>> failed = outcomes.failed;
  failed.insert(outcomes.refuted.begin(), outcomes.refuted.end());
  for (const auto& run : failed) {
    const auto found = fates_.find(run);
    if (found == fates_.end() || found->second.certain) continue;
    RunFate& fate = found->second;
    if (fate.phase == RunPhase::kDone || fate.phase == RunPhase::kLost) continue;
    const auto attempts = folder_.attempts(run);
    const Attempt* attempt = attempt_that_counts(attempts);
    if (!attempt || !attempt->done() || attempt->submission < fate.submission) continue;
    if (const auto forgiven = forgiven_.find(run);
        forgiven != forgiven_.end() && attempt->submission <= forgiven->second)
      continue;
    const bool old = fate.submission == 0;  // by hand, before anything was handed over
    fate.phase = RunPhase::kDone;
    fate.failed = !attempt->succeeded();
    fate.evidence = attempt->refuted;
    fate.lost_rank = !lost_rank_of(*attempt).empty();
    fate.certain = old || attempt->exit_code == 0;
  }
}

/// A task is settled where its files leave nothing to ask: all is done, no failures at its end may
/// have come from a node that died, and no run has lost a rank.
void CampaignMachine::settle(SubmissionState& state) {
  for (std::size_t i = 0; i < state.settled.size(); ++i) {
    if (state.settled[i]) continue;
    bool open = false, fails_at_the_end = false, lost_rank = false;
    for (const auto& run : state.submission.tasks[i].runs) {
      if (!owns(state, run)) continue;
      const RunFate& fate = fates_.at(run);
      open = open || fate.phase != RunPhase::kDone;
      fails_at_the_end = fate.failed && !fate.certain;
      lost_rank = lost_rank || (fails_at_the_end && fate.lost_rank);
    }
    state.settled[i] = !open && !fails_at_the_end && !lost_rank;
    if (!state.settled[i]) continue;
    for (const auto& run : state.submission.tasks[i].runs) {
      if (owns(state, run)) fates_.at(run).certain = true;
    }
  }
}

std::map<std::string, std::vector<JobStatus>> CampaignMachine::query() {
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    if (!state.over()) asked.push_back(asked_of(state.submission));
  }
  return asked.empty() ? std::map<std::string, std::vector<JobStatus>>() : scheduler_.query(asked);
}

Asked CampaignMachine::asked_of(const Submission& submission) const {
  Asked asked;
  asked.token = submission.token;
  asked.tasks = static_cast<std::int64_t>(submission.tasks.size());
  asked.handed = submission.handed.has_value();
  asked.owner = submission.owner;
  asked.tried_until = submission.tried_until > 0 ? submission.tried_until
                                                 : submission.journaled_at + kLongestSending_s;
  return asked;
}

RunCounts CampaignMachine::observe() {
  // Asked before the files are read: a job that has ended by now wrote its last marker before.
  look();
  const auto answers = query();
  look();
  for (auto& state : submissions_) {
    const auto answer = answers.find(state.submission.token);
    if (!state.over() && answer != answers.end()) apply(state, answer->second, false);
  }
  close_what_left();
  return counts();
}

RunCounts CampaignMachine::step() {
  look();
  close_senders();
  const auto answers = query();
  look();
  held_back_.clear();
  for (auto& state : submissions_) {
    const auto answer = answers.find(state.submission.token);
    if (!state.over() && answer != answers.end()) apply(state, answer->second, true);
  }
  cancel_late_arrivals();
  cancel_what_waits_in_vain();
  redo_failures();
  close_what_left();
  submit_what_is_due();
  return counts();
}

/// We hold the lock: who was handing over on this machine is dead, and so is what it had started.
void CampaignMachine::close_senders() {
  for (auto& state : submissions_) {
    Submission& one = state.submission;
    if (state.over() || one.handed || one.tried_until > 0) continue;
    if (split(one.sender, ' ').front() != options_.host) continue;
    one.tried_until = options_.now();
    folder_.journal(one);
  }
}

void CampaignMachine::apply(SubmissionState& state, const std::vector<JobStatus>& answers,
                            bool may_write) {
  using Phase = JobStatus::Phase;
  Submission& submission = state.submission;
  state.tasks = answers;
  submission.cancelled =
      submission.cancelled || files_.exists(folder_.directory(submission) / "cancelled");
  const auto is = [](Phase phase) {
    return [phase](const JobStatus& status) { return status.phase == phase; };
  };
  if (std::all_of(answers.begin(), answers.end(), is(Phase::kUnknown))) return;
  // What has begun did arrive, whatever a scheduler remembers that has lost its state.
  const bool arrived = submission.handed || folder_.has_begun(submission) ||
                       !std::all_of(answers.begin(), answers.end(), is(Phase::kAbsent));
  if (!arrived) {
    if (may_write) never_arrived(state);
    return;
  }
  if (may_write && !submission.handed) folder_.mark_handed(submission, "found");
  std::map<std::int64_t, TaskEnd> ends;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (state.settled[i]) continue;
    if (answers[i].phase == Phase::kRunning) see_running(state, i);
    if (answers[i].phase != Phase::kEnded && answers[i].phase != Phase::kAbsent) continue;
    if (judge(state, i, answers[i]))
      ends[static_cast<std::int64_t>(i) + 1] = {answers[i].end, answers[i].evidence};
    state.settled[i] = true;
  }
  if (may_write && !ends.empty()) folder_.mark_ended(submission, ends);
}

/// Journaled, and surely not there: it is handed over again, unless nobody wants it any more.
void CampaignMachine::never_arrived(SubmissionState& state) {
  if (!state.submission.cancelled && !has_given_up()) {
    submit(state);
    return;
  }
  const std::string words =
      state.submission.cancelled ? "cancelled before it arrived" : "given up before it arrived";
  std::map<std::int64_t, TaskEnd> ends;
  for (std::size_t i = 0; i < state.settled.size(); ++i) {
    judge(state, i, {JobStatus::Phase::kEnded, words, End::kUser, {}, {}});
    state.settled[i] = true;
    ends[static_cast<std::int64_t>(i) + 1] = {End::kUser, words};
  }
  folder_.mark_ended(state.submission, ends);
}

/// What was cancelled while it was under way has still to be ended.
void CampaignMachine::cancel_late_arrivals() {
  using Phase = JobStatus::Phase;
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    const bool lives =
        std::any_of(state.tasks.begin(), state.tasks.end(), [](const JobStatus& status) {
          return status.phase == Phase::kWaiting || status.phase == Phase::kRunning;
        });
    if (state.submission.cancelled && lives && !state.over())
      asked.push_back(asked_of(state.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
}

std::optional<GivenUp> CampaignMachine::given_up() const {
  const bool stands = given_up_ && (has_given_up() || given_up_->until >= newest_);
  return stands ? given_up_ : std::nullopt;
}

/// What would only see that nothing is to be launched. What runs ends by itself.
void CampaignMachine::cancel_what_waits_in_vain() {
  if (!has_given_up()) return;
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    bool waits = false, runs = false;
    for (std::size_t i = 0; i < state.tasks.size(); ++i) {
      if (state.settled[i]) continue;
      (state.tasks[i].phase == JobStatus::Phase::kWaiting ? waits : runs) = true;
    }
    if (waits && !runs) asked.push_back(asked_of(state.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
}

/// Runs of a task are launched one after the other: behind the one that runs nothing has begun.
void CampaignMachine::see_running(const SubmissionState& state, std::size_t task) {
  for (const auto& run : state.submission.tasks[task].runs) {
    if (!owns(state, run) || fates_.at(run).phase == RunPhase::kDone) continue;
    if (!left_of(state, run).started) return;
    if (fates_.at(run).phase != RunPhase::kDone) fates_.at(run).phase = RunPhase::kRunning;
  }
}

void CampaignMachine::cancel() {
  std::vector<Asked> asked;
  for (auto& state : submissions_) {
    if (state.over()) continue;
    folder_.mark_cancelled(state.submission);
    asked.push_back(asked_of(state.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
}

RunCounts CampaignMachine::counts() const {
  RunCounts counts;
  for (const auto& [name, fate] : fates_) {
    switch (fate.phase) {
      case RunPhase::kUnsubmitted:
        ++(options_.wanted(*runs_.at(name)) ? counts.unsubmitted : counts.later);
        break;
      case RunPhase::kWaiting:
        ++counts.waiting;
        break;
      case RunPhase::kRunning:
        ++counts.running;
        break;
      case RunPhase::kDone:
        ++(fate.failed ? counts.failed : counts.succeeded);
        counts.unsettled += fate.certain ? 0 : 1;
        break;
      case RunPhase::kLost:
        ++counts.lost;
        break;
      case RunPhase::kCancelled:
        ++counts.cancelled;
        break;
      case RunPhase::kLeft:
        ++counts.left;
        break;
    }
  }
  return counts;
}

}  // namespace pippin
