// SPDX-License-Identifier: Apache-2.0
// How a task that has ended left its runs, and what becomes of them.
#include <algorithm>
#include <fmt/format.h>

#include "harness/campaign/machine.h"

namespace pippin {

namespace {

constexpr int kKilledExit = 137;  // 128 and SIGKILL, as bash has it

}  // namespace

/// Looks at the attempts themselves: the folders of outcomes may not have the last yet.
CampaignMachine::Left CampaignMachine::left_of(const SubmissionState& state, TrackedRun& run) {
  Left left{&run};
  RunFate& fate = run.fate;
  if (fate.phase == RunPhase::kDone && !fate.failed) return {&run, true, true, true, false};
  const auto attempts = folder_.attempts(run.planned->name);
  for (const auto& attempt : attempts) {
    left.failures += attempt.done() && !attempt.succeeded() ? 1 : 0;
    if (attempt.submission != state.submission.number) continue;
    left.started = true;
    left.time_up = attempt.time_up;
    left.interrupted = attempt.interrupted;
  }
  const Attempt* attempt = attempt_that_counts(attempts);
  if (!attempt || !attempt->done()) return left;
  const bool own = attempt->submission == state.submission.number;
  left.succeeded = attempt->succeeded() || (own && attempt->exit_code == 0);
  left.done = left.succeeded || own;
  if (left.done && !left.succeeded) left.lost_rank = lost_rank_of(*attempt);
  left.killed = left.done && attempt->exit_code == kKilledExit;
  if (left.done) {
    fate.phase = RunPhase::kDone;
    fate.failed = !attempt->succeeded();
    fate.certain = left.succeeded;
    fate.lost_rank = !left.lost_rank.empty();
  }
  return left;
}

/// The words of an attempt's log that say so; empty where no rank was lost.
std::string CampaignMachine::lost_rank_of(const Attempt& attempt) {
  if (attempt.exit_code != kLostRankExit) return "";
  return options_.lost_rank_words(files_.read(attempt.log()).value_or(""));
}

std::vector<CampaignMachine::Left> CampaignMachine::left_of(const SubmissionState& state,
                                                            std::size_t task) {
  std::vector<Left> all;
  for (TrackedRun* run : state.runs[task]) {
    if (owns(state, *run)) all.push_back(left_of(state, *run));
  }
  return all;
}

/// The task is over: what is not done now will not be, unless it is handed over again. True where
/// it matters how it ended: runs are open, or failed last of all, as they do on a node that dies.
bool CampaignMachine::judge(const SubmissionState& state, std::size_t task, const JobStatus& status,
                            bool known) {
  const auto all = left_of(state, task);
  const bool is_ours = state.submission.number > newest_before_;
  const bool before =
      known || state.was_cancelled || !(is_ours || state.seen_alive.count(task) > 0);
  Ending ending{
      status, before, false, left_as_bad(state, task), false, state.faults.count(task) > 0};
  std::vector<const Left*> open, failed_last, lost_rank;
  for (const Left& left : all) {
    if (left.succeeded) failed_last.clear();
    if (left.done && !left.succeeded)
      (left.lost_rank.empty() ? failed_last : lost_rank).push_back(&left);
    if (!left.done) open.push_back(&left);
    ending.progressed = ending.progressed || left.done;
    ending.spent = ending.spent || left.done || has_run_out(left, status);
    left.run->fate.certain = left.done;
    if (left.killed && says_out_of_memory(status.evidence)) {
      left.run->fate.end = End::kLimit;
      left.run->fate.evidence = status.evidence;
    }
  }
  if (status.end == End::kInfrastructure) {
    for (const Left* left : failed_last)
      if (!fails_every_time(*left)) lose(state, *left, ending);
  }
  // Its job gave way to another one, and ended in order: what stood behind the run did so, too.
  const bool gave_way = std::any_of(open.begin(), open.end(), [](const Left* left) {
    return left->interrupted && !left->time_up;
  });
  if (gave_way && ended_by_itself(state, ending))
    ending.status = {status.phase, "its job was ended from outside, as by preemption",
                     End::kInfrastructure};
  for (const Left* left : lost_rank) lose_rank(state, *left, ending);
  for (const Left* left : open) lose(state, *left, ending);
  return !open.empty() || !failed_last.empty() || !lost_rank.empty();
}

/// With one node and with others: then no node is to blame, and it may itself be what ends its job.
bool CampaignMachine::fails_every_time(const Left& left) const {
  return left.failures > options_.retries;
}

/// A rank or its node died, whatever the scheduler has seen of it. One that dies every time is no
/// bad luck: the failure is the run's result.
void CampaignMachine::lose_rank(const SubmissionState& state, const Left& left, Ending ending) {
  const bool cancelled = ending.status.end == End::kUser || state.submission.cancelled;
  if (!cancelled && times_handed_over(*left.run) > options_.retries) return;
  ending.status.evidence = left.lost_rank;
  if (!cancelled) ending.status.end = End::kInfrastructure;
  lose(state, left, ending);
}

std::int64_t CampaignMachine::times_handed_over(const TrackedRun& run) const {
  std::int64_t times = 0;
  for (const auto& state : submissions_) {
    if (state.submission.refused || state.submission.cancelled) continue;
    for (const auto& runs : state.runs) times += std::count(runs.begin(), runs.end(), &run);
  }
  return times;
}

/// A job that is preempted or loses its node may have been told shortly before that its time is up.
bool CampaignMachine::is_out_of_time(const Left& left, const JobStatus& status) {
  return left.time_up && status.end != End::kInfrastructure;
}

bool CampaignMachine::has_run_out(const Left& left, const JobStatus& status) {
  return !left.done && left.started && (status.end == End::kLimit || is_out_of_time(left, status));
}

/// A job that came to its end says nothing of a run that it left open.
std::string CampaignMachine::words_of(const SubmissionState& state, const Ending& ending) const {
  // Slurm may have forgotten it by now.
  if (state.submission.cancelled && ending.status.end != End::kUser) return "cancelled";
  if (ending.status.end != End::kCompleted) return ending.status.evidence;
  return fmt::format("its job ended well ({}) and left no result; is the disk full? see {}",
                     ending.status.evidence,
                     (folder_.directory(state.submission) / "job*.log").string());
}

bool CampaignMachine::ended_by_itself(const SubmissionState& state, const Ending& ending) {
  return ending.status.end == End::kCompleted && !state.submission.cancelled;
}

/// Its job was cancelled, or ended without launching it, as jobs had given up.
bool CampaignMachine::is_let_be(const SubmissionState& state, const Left& left,
                                const Ending& ending) const {
  const End end = ending.status.end;
  return given_up_ && state.submission.number <= given_up_->until && !state.submission.cancelled &&
         !left.started && !left.done && !ending.faulty &&
         (end == End::kUser || end == End::kApplication || end == End::kCompleted);
}

void CampaignMachine::lose(const SubmissionState& state, const Left& left, const Ending& ending) {
  if (!left.done && take_as_stored(*left.run)) return;
  const JobStatus& status = ending.status;
  RunFate& fate = left.run->fate;
  fate.certain = fate.failed = false;
  left.run->fell = left.started && !left.done && !has_run_out(left, status);
  fate.end = is_out_of_time(left, status) ? End::kLimit : status.end;
  if (state.submission.cancelled && status.end == End::kCompleted) fate.end = End::kUser;
  fate.evidence =
      is_let_be(state, left, ending) ? "not launched, as jobs gave up" : words_of(state, ending);
  // Of a job that came to its end by itself a failure may be seen late, and is the run's own.
  if (!ended_by_itself(state, ending)) left.run->forgiven = state.submission.number;
  if (has_given_up() && !left.started && !left.done) {
    fate.phase = RunPhase::kUnsubmitted;  // and let be by the step
    return;
  }
  const bool cancelled = status.end == End::kUser || state.submission.cancelled;
  if (!cancelled && !left.started && !ending.bad_node.empty()) {
    fate.end = End::kInfrastructure;
    fate.evidence = "bad node " + ending.bad_node;
    if (is_free_try(state, ending.bad_node))
      left.run->tries = std::max<std::int64_t>(0, left.run->tries - 1);
    fate.phase = left.run->tries <= options_.retries ? RunPhase::kUnsubmitted : RunPhase::kLost;
    return;
  }
  if (cancelled && !ending.before) {
    fate.phase = RunPhase::kCancelled;
  } else {
    const bool again = cancelled || is_worth_another_try(state, left, ending);
    fate.phase = again ? RunPhase::kUnsubmitted : RunPhase::kLost;
  }
}

bool CampaignMachine::is_worth_another_try(const SubmissionState& state, const Left& left,
                                           const Ending& ending) {
  const bool is_ours = state.submission.number > newest_before_;
  const End end = ending.status.end;
  // It had all the time of its job. Behind others it had less, and comes first the next time.
  if (has_run_out(left, ending.status) && !ending.progressed)
    return !is_ours && options_.retry_failed;
  // It waited behind others, of which fewer are left now: that is no loss.
  if (!left.started && ending.spent && end != End::kInfrastructure) left.run->tries = 0;
  // The script itself failed, at its prolog most likely: it would again, until somebody mends it.
  if (end == End::kApplication && !ending.progressed) return !is_ours;
  return left.run->tries <= options_.retries;
}

/// What failed in earlier goes at this campaign is to be run again, once that is certain: all of it
/// on demand, and without that what jobs gave up over, which says nothing of the runs.
void CampaignMachine::redo_failures() {
  const std::int64_t until = given_up_before_ ? given_up_before_->until : 0;
  const auto is_mended = [&](const std::string& run, const RunFate& fate) {
    return given_up_before_ && fate.submission <= until &&
           std::count(given_up_before_->runs.begin(), given_up_before_->runs.end(), run) > 0;
  };
  if (!options_.retry_failed && until == 0) return;
  for (auto& run : runs_) {
    RunFate& fate = run.fate;
    if (fate.phase != RunPhase::kDone || !fate.failed || !fate.certain) continue;
    const PlannedRun& planned = *run.planned;
    if (fate.submission > newest_before_ || planned.left || !options_.wanted(planned)) continue;
    if (!options_.retry_failed && !is_mended(planned.name, fate)) continue;
    fate.phase = RunPhase::kUnsubmitted;
    fate.failed = fate.certain = false;
    fate.end = End::kApplication;
    fate.evidence = is_mended(planned.name, fate) ? "failed, so that jobs gave up" : "failed";
    run.forgiven = std::max<std::int64_t>(fate.submission, newest_before_);
  }
}

}  // namespace pippin
