// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/machine.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/batch.h"
#include "harness/campaign/asked.h"

namespace pippin {

CampaignMachine::CampaignMachine(SweepFolder folder, FileSystem& files, Scheduler& scheduler,
                                 Campaign campaign, ScriptWriter script, MachineOptions options)
    : folder_(std::move(folder)),
      files_(files),
      scheduler_(scheduler),
      campaign_(std::move(campaign)),
      script_(std::move(script)),
      options_(std::move(options)),
      newest_(folder_.newest_submission()),
      newest_before_(newest_),
      nodes_(files_, folder_.root()),
      given_up_(folder_.given_up()),
      cancelled_before_(folder_.cancelled()),
      given_up_before_(given_up_) {
  track_runs();
  for (auto& submission : folder_.submissions()) take_up(std::move(submission));
  look();
  read_nodes(false);
  for (auto& state : submissions_) {
    for (const auto& [task, end] : state.submission.ended) {
      const auto i = static_cast<std::size_t>(task) - 1;
      if (i >= state.settled.size() || state.settled[i]) continue;
      judge(state, i, {JobStatus::Phase::kEnded, end.evidence, end.end, {}, {}}, true);
      state.settled[i] = true;
    }
  }
  redo_failures();
  forgive_failures_of_nodes();
  close_what_left();
}

void CampaignMachine::track_runs() {
  std::size_t count = 0;
  for (const auto& job : campaign_.jobs) count += job.runs.size();
  runs_.reserve(count);
  names_ = NameTable(count);
  for (const auto& job : campaign_.jobs) {
    jobs_[job.name] = &job;
    for (const auto& run : job.runs) {
      if (names_.add(run.name)) runs_.push_back({&run});
    }
  }
}

const TrackedRun* CampaignMachine::find(std::string_view run) const {
  const auto number = names_.find(run);
  return number ? &runs_[*number] : nullptr;
}

TrackedRun* CampaignMachine::tracked_or_none(std::string_view run) {
  const auto number = names_.find(run);
  return number ? &runs_[*number] : nullptr;
}

/// A task's runs mostly stand in the campaign's order: the one behind `before` is tried first.
TrackedRun* CampaignMachine::find_near(std::string_view run, const TrackedRun* before) {
  const std::size_t next = before ? static_cast<std::size_t>(before - runs_.data()) + 1 : 0;
  if (next < runs_.size() && runs_[next].planned->name == run) return &runs_[next];
  return tracked_or_none(run);
}

/// What is not done, and is not under way, will not be any more.
void CampaignMachine::close_what_left() {
  for (auto& run : runs_) {
    if (!run.planned->left) continue;
    RunFate& fate = run.fate;
    const bool open = fate.phase == RunPhase::kUnsubmitted || fate.phase == RunPhase::kLost ||
                      fate.phase == RunPhase::kCancelled;
    if (!open) continue;
    fate.phase = RunPhase::kLeft;
    fate.evidence = "it has left the sweep";
  }
}

/// A submission that the folder tells of.
void CampaignMachine::take_up(Submission submission) {
  if (submission.refused || !jobs_.count(submission.tasks.front().job)) return;
  const std::size_t tasks = submission.tasks.size();
  const bool cancelled = submission.cancelled;
  SubmissionState state{std::move(submission), std::vector<JobStatus>(tasks),
                        std::vector<bool>(tasks, false), cancelled};
  find_runs(state);
  for (const auto& runs : state.runs) {
    for (TrackedRun* run : runs) {
      run->fate.submission = state.submission.number;
      run->fate.phase = RunPhase::kWaiting;
      run->tries = cancelled ? 0 : 1;
    }
  }
  submissions_.push_back(std::move(state));
}

void CampaignMachine::find_runs(SubmissionState& state) {
  const TrackedRun* before = nullptr;
  for (const auto& task : state.submission.tasks) {
    std::vector<TrackedRun*>& runs = state.runs.emplace_back();
    runs.reserve(task.runs.size());
    for (const auto& name : task.runs) {
      TrackedRun* run = find_near(name, before);
      if (!run) continue;
      runs.push_back(run);
      before = run;
    }
  }
}

bool CampaignMachine::owns(const SubmissionState& state, const TrackedRun& run) {
  return run.fate.submission == state.submission.number;
}

RunCounts CampaignMachine::look() {
  std::vector<bool> succeeded(runs_.size());
  RunNames failed;
  folder_.each_outcome([&](std::string_view run, bool ok) {
    const auto number = names_.find(run);
    if (!number) return;
    if (ok)
      succeeded[*number] = true;
    else
      failed.emplace(run);
  });
  folder_.look_anew();
  const RunNames refuted = folder_.refuted();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (!succeeded[i] || !is_true(runs_[i], refuted)) continue;
    RunFate& fate = runs_[i].fate;
    fate.phase = RunPhase::kDone;
    fate.failed = fate.stored = false;
    fate.certain = true;
  }
  see_failures(std::move(failed), refuted);
  refuted_ = refuted;
  for (TrackedRun& run : runs_)
    if (run.fate.phase == RunPhase::kUnsubmitted) take_as_stored(run);
  given_up_ = folder_.given_up();
  for (auto& state : submissions_) settle(state);
  return counts();
}

bool CampaignMachine::is_true(const TrackedRun& success, const RunNames& refuted) {
  const std::string& name = success.planned->name;
  const bool is_refuted = refuted.count(name) > 0;
  if (!is_refuted && !distrusted_.count(name)) return true;
  const RunFate& fate = success.fate;
  if (is_refuted && fate.phase == RunPhase::kDone && fate.failed && fate.certain) return false;
  const auto attempts = folder_.attempts(name);
  const Attempt* attempt = attempt_that_counts(attempts);
  return attempt && attempt->succeeded();
}

/// What was measured and is kept is not measured again, as somebody has removed its files, or
/// brought back those of an earlier day. False where nothing is kept.
bool CampaignMachine::take_as_stored(TrackedRun& run) {
  const std::string& name = run.planned->name;
  const bool is_doubted =
      run.forgiven > 0 || refuted_.count(name) > 0 || found_bad_.count(name) > 0;
  if (is_doubted || !options_.is_stored(name)) return false;
  RunFate& fate = run.fate;
  fate.phase = RunPhase::kDone;
  fate.failed = false;
  fate.certain = fate.stored = true;
  return true;
}

void CampaignMachine::distrust(const std::string& run) {
  if (take_as_stored(tracked(run))) return;
  distrusted_.insert(run);
  RunFate& fate = tracked(run).fate;
  fate.phase = RunPhase::kUnsubmitted;
  fate.failed = fate.certain = false;
}

void CampaignMachine::take_as_failed(const std::string& run) {
  found_bad_.insert(run);
  RunFate& fate = tracked(run).fate;
  fate.failed = fate.phase == RunPhase::kDone;
}

/// A failure counts unless its run has been handed over once more.
void CampaignMachine::see_failures(RunNames failed, const RunNames& refuted) {
  failed.insert(refuted.begin(), refuted.end());
  for (const auto& run : failed) {
    TrackedRun* found = tracked_or_none(run);
    if (!found || found->fate.certain) continue;
    RunFate& fate = found->fate;
    const bool is_late = fate.end == End::kCompleted;  // and its job has nothing left to say
    if (fate.phase == RunPhase::kDone || (fate.phase == RunPhase::kLost && !is_late)) continue;
    const auto attempts = folder_.attempts(run);
    const Attempt* attempt = attempt_that_counts(attempts);
    if (!attempt || !attempt->done() || attempt->submission < fate.submission) continue;
    if (attempt->submission <= found->forgiven) continue;
    const bool old = fate.submission == 0;  // by hand, before anything was handed over
    fate.phase = RunPhase::kDone;
    fate.failed = !attempt->succeeded();
    fate.evidence = attempt->refuted;
    fate.lost_rank = !lost_rank_of(*attempt).empty();
    fate.certain = old || is_late || attempt->exit_code == 0;
  }
}

/// A task is settled where its files leave nothing to ask: all is done, no failures at its end may
/// have come from a node that died, and no run has lost a rank.
void CampaignMachine::settle(SubmissionState& state) {
  for (std::size_t i = 0; i < state.settled.size(); ++i) {
    if (state.settled[i]) continue;
    bool open = false, fails_at_the_end = false, lost_rank = false;
    for (const TrackedRun* run : state.runs[i]) {
      if (!owns(state, *run)) continue;
      const RunFate& fate = run->fate;
      open = open || fate.phase != RunPhase::kDone;
      fails_at_the_end = fate.failed && !fate.certain;
      lost_rank = lost_rank || (fails_at_the_end && fate.lost_rank);
    }
    state.settled[i] = !open && !fails_at_the_end && !lost_rank;
    if (!state.settled[i]) continue;
    for (TrackedRun* run : state.runs[i]) {
      if (owns(state, *run)) run->fate.certain = true;
    }
  }
}

std::map<std::string, std::vector<JobStatus>> CampaignMachine::query() {
  const std::vector<Asked> asked = open_jobs();
  if (asked.empty()) return {};
  const std::string why = why_elsewhere();
  if (why.empty()) return scheduler_.query(asked);
  std::map<std::string, std::vector<JobStatus>> answers;
  for (const auto& one : asked) answers[one.token] = unknown_tasks(one, why);
  return answers;
}

bool CampaignMachine::has_open_but(const std::string& token) const {
  return std::any_of(submissions_.begin(), submissions_.end(), [&](const SubmissionState& state) {
    return !state.over() && state.submission.token != token;
  });
}

/// Empty, too, where nobody has any.
std::string CampaignMachine::why_elsewhere() {
  if (!why_elsewhere_ && !has_open_but("")) return "";
  if (!why_elsewhere_) why_elsewhere_ = pippin::why_elsewhere(folder_, scheduler_);
  return why_elsewhere_.value_or("");
}

std::vector<Asked> CampaignMachine::open_jobs() const {
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    if (!state.over()) asked.push_back(asked_of(state.submission));
  }
  return asked;
}

Asked CampaignMachine::asked_of(const Submission& submission) const {
  Asked asked = pippin::asked_of(folder_, submission);
  for (const auto& [task, times] : submission.missed.tasks)
    if (goes_on_missing(submission.missed, times))
      asked.missed_s[task] = options_.now() - times.first;
  return asked;
}

/// Whether it was missed by this machine's clock, and a short while ago: in a longer one it may
/// have been there.
bool CampaignMachine::goes_on_missing(const Missed& missed, const Missed::Times& times) const {
  constexpr std::int64_t kLongest_s = 600;
  const std::int64_t now = options_.now();
  return missed.host == options_.host && times.last <= now && now - times.last <= kLongest_s;
}

RunCounts CampaignMachine::observe() {
  const auto answers = query();
  // Asked before the files are read: a job that has ended by now wrote its last marker before.
  if (!answers.empty()) look();
  read_nodes(false);
  for (auto& state : submissions_) {
    const auto answer = answers.find(state.submission.token);
    if (!state.over() && answer != answers.end()) apply(state, answer->second, false);
  }
  close_what_left();
  return counts();
}

RunCounts CampaignMachine::step() {
  if (const std::string why = why_elsewhere(); !why.empty()) bad_input("{}", why);
  look();
  close_senders();
  const auto answers = query();
  look();
  read_nodes(false);
  held_back_.clear();
  for (auto& state : submissions_) {
    const auto answer = answers.find(state.submission.token);
    if (!state.over() && answer != answers.end()) apply(state, answer->second, true);
  }
  cancel_late_arrivals();
  cancel_what_waits_in_vain();
  redo_failures();
  blame_nodes();
  close_what_left();
  submit_what_is_due();
  note_what_is_held_back();
  return counts();
}

/// For who only looks.
void CampaignMachine::note_what_is_held_back() {
  if (!noted_held_back_) noted_held_back_ = folder_.held_back();
  if (*noted_held_back_ == held_back_) return;
  folder_.note_held_back(held_back_);
  noted_held_back_ = held_back_;
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
  note_missed(state, may_write);
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
  read_claims(state);
  std::map<std::int64_t, TaskEnd> ends;
  std::map<std::int64_t, std::int64_t> ending;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (state.settled[i]) continue;
    const std::int64_t task = static_cast<std::int64_t>(i) + 1;
    if (answers[i].phase == Phase::kRunning) see_running(state, i);
    if (answers[i].phase == Phase::kRunning || answers[i].phase == Phase::kWaiting)
      state.seen_alive.insert(i);
    if (answers[i].phase != Phase::kEnded && answers[i].phase != Phase::kAbsent) continue;
    if (may_be_late(state, i, answers[i])) {
      const auto before = submission.ending.find(task);
      ending[task] = before == submission.ending.end() ? options_.now() : before->second;
      continue;
    }
    const JobStatus status = with_fault(state, task, answers[i]);
    if (judge(state, i, status)) {
      ends[task] = {status.end, status.evidence};
      if (may_write) note_lost_node(state, i, status);
    }
    state.settled[i] = true;
  }
  if (may_write && !ends.empty()) folder_.mark_ended(submission, ends);
  if (ending == submission.ending) return;
  if (may_write)
    folder_.mark_ending(submission, ending);
  else
    submission.ending = std::move(ending);
}

/// Kept for whoever asks later: a scheduler's accounting lags for so long after a job has left, and
/// no longer. Where it cannot be kept, who asks later counts anew.
void CampaignMachine::note_missed(SubmissionState& state, bool may_write) {
  Submission& submission = state.submission;
  const Missed& before = submission.missed;
  Missed missed{options_.host, {}};
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    const JobStatus& status = state.tasks[i];
    const std::int64_t task = static_cast<std::int64_t>(i) + 1;
    const auto known = before.tasks.find(task);
    const bool was_missed = known != before.tasks.end() && goes_on_missing(before, known->second);
    const bool is_there =
        status.phase == JobStatus::Phase::kWaiting || status.phase == JobStatus::Phase::kRunning;
    if (state.settled[i] || is_there) continue;
    const std::int64_t now = options_.now();
    if (status.missed)
      missed.tasks[task] = {was_missed ? known->second.first : now, now};
    else if (was_missed)  // its files may be late, or nobody answers
      missed.tasks[task] = known->second;
  }
  if (missed.tasks.empty() && before.tasks.empty()) return;
  submission.missed = missed;
  if (!may_write) return;
  try {
    folder_.mark_missed(submission, missed);
  } catch (const Error&) {
    return;
  }
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

/// Runs of a task are launched one after the other: behind the one that runs nothing has begun.
void CampaignMachine::see_running(const SubmissionState& state, std::size_t task) {
  for (TrackedRun* run : state.runs[task]) {
    RunPhase& phase = run->fate.phase;
    if (!owns(state, *run) || phase == RunPhase::kDone) continue;
    if (!left_of(state, *run).started) return;
    if (phase != RunPhase::kDone) phase = RunPhase::kRunning;
  }
}

RunCounts CampaignMachine::counts() const {
  RunCounts counts;
  for (const auto& run : runs_) {
    const RunFate& fate = run.fate;
    switch (fate.phase) {
      case RunPhase::kUnsubmitted:
        ++(options_.wanted(*run.planned) ? counts.unsubmitted : counts.later);
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
        counts.let_be += fate.let_be ? 1 : 0;
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
