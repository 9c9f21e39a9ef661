#include "harness/campaign/machine.h"

#include <fmt/format.h>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"

namespace pippin {

namespace {

// A sender on another machine, of which nobody can tell whether it lives, has given up by then.
constexpr std::int64_t kLongestSending_s = 200;

std::string sender_of(const MachineOptions& options) {
  return fmt::format("{} {}", options.host, options.process);
}

/// Jobs of one array ask for the same.
using Shape = std::tuple<std::int64_t, std::optional<std::int64_t>, std::optional<std::int64_t>>;

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
      newest_before_(newest_) {
  for (const auto& job : campaign_.jobs) {
    jobs_[job.name] = &job;
    for (const auto& run : job.runs) {
      runs_[run.name] = &run;
      fates_[run.name] = {};
    }
  }
  for (const auto& submission : folder_.submissions()) take_up(submission);
  look();
  for (auto& handing : handings_) {
    for (const auto& [task, end] : handing.submission.ended) {
      const auto i = static_cast<std::size_t>(task) - 1;
      if (i >= handing.settled.size() || handing.settled[i]) continue;
      judge(handing, i, {JobStatus::Phase::kEnded, end.evidence, end.end, {}, {}}, true);
      handing.settled[i] = true;
    }
  }
  redo_failures();
}

/// A handing-over that the folder tells of.
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
  handings_.push_back({submission, std::vector<JobStatus>(tasks), std::vector<bool>(tasks, false),
                       submission.cancelled});
}

bool CampaignMachine::owns(const Handing& handing, const std::string& run) const {
  const auto fate = fates_.find(run);
  return fate != fates_.end() && fate->second.submission == handing.submission.number;
}

RunCounts CampaignMachine::look() {
  const Outcomes outcomes = folder_.outcomes();
  for (const auto& run : outcomes.succeeded) {
    const auto fate = fates_.find(run);
    if (fate == fates_.end() || !is_true(run)) continue;
    fate->second.phase = RunPhase::kDone;
    fate->second.failed = false;
    fate->second.certain = true;
  }
  see_failures(outcomes);
  for (auto& handing : handings_) settle(handing);
  return counts();
}

bool CampaignMachine::is_true(const std::string& success) {
  if (!distrusted_.count(success)) return true;
  const auto attempts = folder_.attempts(success);
  const Attempt* attempt = counted(attempts);
  return attempt && attempt->exit_code == 0;
}

void CampaignMachine::distrust(const std::string& run) {
  distrusted_.insert(run);
  RunFate& fate = fates_.at(run);
  fate.phase = RunPhase::kUnsubmitted;
  fate.failed = fate.certain = false;
}

/// A failure counts unless its run has been handed over once more.
void CampaignMachine::see_failures(const Outcomes& outcomes) {
  for (const auto& run : outcomes.failed) {
    const auto found = fates_.find(run);
    if (found == fates_.end() || found->second.certain) continue;
    RunFate& fate = found->second;
    if (fate.phase == RunPhase::kDone || fate.phase == RunPhase::kLost) continue;
    const auto attempts = folder_.attempts(run);
    const Attempt* attempt = counted(attempts);
    if (!attempt || !attempt->done() || attempt->submission < fate.submission) continue;
    if (const auto forgiven = forgiven_.find(run);
        forgiven != forgiven_.end() && attempt->submission <= forgiven->second)
      continue;
    const bool old = fate.submission == 0;  // by hand, before anything was handed over
    fate.phase = RunPhase::kDone;
    fate.failed = attempt->exit_code != 0;
    fate.certain = old || !fate.failed;
  }
}

/// A task is settled where its files leave nothing to ask: all is done, and no failures at its end
/// may have come from a node that died.
void CampaignMachine::settle(Handing& handing) {
  for (std::size_t i = 0; i < handing.settled.size(); ++i) {
    if (handing.settled[i]) continue;
    bool open = false, fails_at_the_end = false;
    for (const auto& run : handing.submission.tasks[i].runs) {
      if (!owns(handing, run)) continue;
      const RunFate& fate = fates_.at(run);
      open = open || fate.phase != RunPhase::kDone;
      fails_at_the_end = fate.failed && !fate.certain;
    }
    handing.settled[i] = !open && !fails_at_the_end;
    if (!handing.settled[i]) continue;
    for (const auto& run : handing.submission.tasks[i].runs) {
      if (owns(handing, run)) fates_.at(run).certain = true;
    }
  }
}

std::map<std::string, std::vector<JobStatus>> CampaignMachine::query() {
  std::vector<Asked> asked;
  for (const auto& handing : handings_) {
    if (!handing.over()) asked.push_back(asked_of(handing.submission));
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
  for (auto& handing : handings_) {
    const auto answer = answers.find(handing.submission.token);
    if (!handing.over() && answer != answers.end()) apply(handing, answer->second, false);
  }
  return counts();
}

RunCounts CampaignMachine::step() {
  look();
  close_senders();
  const auto answers = query();
  look();
  held_back_.clear();
  for (auto& handing : handings_) {
    const auto answer = answers.find(handing.submission.token);
    if (!handing.over() && answer != answers.end()) apply(handing, answer->second, true);
  }
  cancel_late_arrivals();
  redo_failures();
  hand_over_what_is_due();
  return counts();
}

/// We hold the lock: who was handing over on this machine is dead, and so is what it had started.
void CampaignMachine::close_senders() {
  for (auto& handing : handings_) {
    Submission& one = handing.submission;
    if (handing.over() || one.handed || one.tried_until > 0) continue;
    if (split(one.sender, ' ').front() != options_.host) continue;
    one.tried_until = options_.now();
    folder_.journal(one);
  }
}

void CampaignMachine::apply(Handing& handing, const std::vector<JobStatus>& answers,
                            bool may_write) {
  using Phase = JobStatus::Phase;
  Submission& submission = handing.submission;
  handing.tasks = answers;
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
    if (may_write) never_arrived(handing);
    return;
  }
  if (may_write && !submission.handed) folder_.mark_handed(submission, "found");
  std::map<std::int64_t, TaskEnd> ends;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (handing.settled[i]) continue;
    if (answers[i].phase == Phase::kRunning) see_running(handing, i);
    if (answers[i].phase != Phase::kEnded && answers[i].phase != Phase::kAbsent) continue;
    if (judge(handing, i, answers[i]))
      ends[static_cast<std::int64_t>(i) + 1] = {answers[i].end, answers[i].evidence};
    handing.settled[i] = true;
  }
  if (may_write && !ends.empty()) folder_.mark_ended(submission, ends);
}

/// Journaled, and surely not there: it is handed over again, unless nobody wants it any more.
void CampaignMachine::never_arrived(Handing& handing) {
  if (!handing.submission.cancelled) {
    hand_over(handing);
    return;
  }
  const std::string words = "cancelled before it arrived";
  std::map<std::int64_t, TaskEnd> ends;
  for (std::size_t i = 0; i < handing.settled.size(); ++i) {
    judge(handing, i, {JobStatus::Phase::kEnded, words, End::kUser, {}, {}});
    handing.settled[i] = true;
    ends[static_cast<std::int64_t>(i) + 1] = {End::kUser, words};
  }
  folder_.mark_ended(handing.submission, ends);
}

/// What was cancelled while it was under way has still to be ended.
void CampaignMachine::cancel_late_arrivals() {
  using Phase = JobStatus::Phase;
  std::vector<Asked> asked;
  for (const auto& handing : handings_) {
    const bool lives =
        std::any_of(handing.tasks.begin(), handing.tasks.end(), [](const JobStatus& status) {
          return status.phase == Phase::kWaiting || status.phase == Phase::kRunning;
        });
    if (handing.submission.cancelled && lives && !handing.over())
      asked.push_back(asked_of(handing.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
}

/// Runs of a task are launched one after the other: behind the one that runs nothing has begun.
void CampaignMachine::see_running(const Handing& handing, std::size_t task) {
  for (const auto& run : handing.submission.tasks[task].runs) {
    if (!owns(handing, run) || fates_.at(run).phase == RunPhase::kDone) continue;
    if (!left_of(handing, run).started) return;
    if (fates_.at(run).phase != RunPhase::kDone) fates_.at(run).phase = RunPhase::kRunning;
  }
}

/// Looks at the attempts themselves: the folders of outcomes may not have the last yet.
CampaignMachine::Left CampaignMachine::left_of(const Handing& handing, const std::string& run) {
  Left left{&run};
  RunFate& fate = fates_.at(run);
  if (fate.phase == RunPhase::kDone && !fate.failed) return {&run, true, true, true, false};
  const auto attempts = folder_.attempts(run);
  for (const auto& attempt : attempts) {
    if (attempt.submission != handing.submission.number) continue;
    left.started = true;
    left.time_up = attempt.time_up;
  }
  const Attempt* attempt = counted(attempts);
  if (!attempt || !attempt->done()) return left;
  left.succeeded = attempt->exit_code == 0;
  left.done = left.succeeded || attempt->submission == handing.submission.number;
  if (left.done) {
    fate.phase = RunPhase::kDone;
    fate.failed = !left.succeeded;
    fate.certain = left.succeeded;
  }
  return left;
}

std::vector<CampaignMachine::Left> CampaignMachine::left_of(const Handing& handing,
                                                            std::size_t task) {
  std::vector<Left> all;
  for (const auto& run : handing.submission.tasks[task].runs) {
    if (owns(handing, run)) all.push_back(left_of(handing, run));
  }
  return all;
}

/// The task is over: what is not done now will not be, unless it is handed over again. True where
/// it matters how it ended: runs are open, or failed last of all, as they do on a node that dies.
bool CampaignMachine::judge(const Handing& handing, std::size_t task, const JobStatus& status,
                            bool known) {
  const auto all = left_of(handing, task);
  Ending ending{status, known, false, false};
  std::vector<const Left*> open, failed_last;
  for (const Left& left : all) {
    if (left.succeeded) failed_last.clear();
    if (left.done && !left.succeeded) failed_last.push_back(&left);
    if (!left.done) open.push_back(&left);
    ending.progressed = ending.progressed || left.done;
    ending.spent = ending.spent || left.done || has_run_out(left, status);
    fates_.at(*left.run).certain = left.done;
  }
  if (status.end == End::kInfrastructure)
    for (const Left* left : failed_last) lose(handing, *left, ending);
  for (const Left* left : open) lose(handing, *left, ending);
  return !open.empty() || !failed_last.empty();
}

bool CampaignMachine::has_run_out(const Left& left, const JobStatus& status) {
  return !left.done && left.started && (status.end == End::kLimit || left.time_up);
}

void CampaignMachine::lose(const Handing& handing, const Left& left, const Ending& ending) {
  const JobStatus& status = ending.status;
  RunFate& fate = fates_.at(*left.run);
  fate.certain = fate.failed = false;
  fate.end = left.time_up ? End::kLimit : status.end;
  fate.evidence = status.evidence;
  forgiven_[*left.run] = handing.submission.number;
  const bool cancelled = status.end == End::kUser || handing.submission.cancelled;
  const bool before =
      ending.known || handing.was_cancelled || status.at.value_or(INT64_MAX) < began_at_;
  if (cancelled && !before) {
    fate.phase = RunPhase::kCancelled;
  } else {
    const bool again = cancelled || is_worth_another_try(handing, left, ending);
    fate.phase = again ? RunPhase::kUnsubmitted : RunPhase::kLost;
  }
}

bool CampaignMachine::is_worth_another_try(const Handing& handing, const Left& left,
                                           const Ending& ending) {
  const bool is_ours = handing.submission.number > newest_before_;
  const End end = ending.status.end;
  // It had all the time of its job. Behind others it had less, and comes first the next time.
  if (has_run_out(left, ending.status) && !ending.progressed)
    return !is_ours && options_.retry_failed;
  // It waited behind others, of which fewer are left now: that is no loss.
  if (!left.started && ending.spent && end != End::kInfrastructure) tries_[*left.run] = 0;
  // The script itself failed, at its prolog most likely: it would again, until somebody mends it.
  if (end == End::kApplication && !ending.progressed) return !is_ours;
  return tries_[*left.run] <= options_.retries;
}

/// What failed in earlier goes at this campaign is to be run again, once that is certain.
void CampaignMachine::redo_failures() {
  if (!options_.retry_failed) return;
  for (auto& [run, fate] : fates_) {
    if (fate.phase != RunPhase::kDone || !fate.failed || !fate.certain) continue;
    if (fate.submission > newest_before_) continue;
    fate.phase = RunPhase::kUnsubmitted;
    fate.failed = fate.certain = false;
    forgiven_[run] = std::max<std::int64_t>(fate.submission, newest_before_);
  }
}

TaskPlan CampaignMachine::due_of(const PlannedJob& job) {
  TaskPlan task{&job, {}};
  for (const auto& run : job.runs) {
    RunFate& fate = fates_.at(run.name);
    if (fate.phase != RunPhase::kUnsubmitted) continue;
    if (options_.wanted(run)) {
      task.runs.push_back(run);
    } else {
      fate.phase = RunPhase::kLost;
      if (fate.evidence.empty()) fate.evidence = "its point has left the sweep";
    }
  }
  return task;
}

std::vector<PlannedJob> CampaignMachine::due_jobs() const {
  std::vector<PlannedJob> jobs;
  for (const auto& job : campaign_.jobs) {
    const bool is_due = std::any_of(job.runs.begin(), job.runs.end(), [&](const PlannedRun& run) {
      return fates_.at(run.name).phase == RunPhase::kUnsubmitted && options_.wanted(run);
    });
    if (is_due) jobs.push_back(job);
  }
  return jobs;
}

/// In the campaign's order; what was lost comes behind what has not been tried.
std::vector<TaskPlan> CampaignMachine::due() {
  std::vector<TaskPlan> tasks, again;
  for (const auto& job : campaign_.jobs) {
    TaskPlan task = due_of(job);
    if (task.runs.empty()) continue;
    const bool is_new = fates_.at(task.runs.front().name).submission == 0;
    (is_new ? tasks : again).push_back(std::move(task));
  }
  tasks.insert(tasks.end(), again.begin(), again.end());
  return tasks;
}

/// What can stand in one array, in the order of the first of each.
std::vector<std::vector<TaskPlan>> CampaignMachine::batches_of(std::vector<TaskPlan> tasks) const {
  std::vector<std::vector<TaskPlan>> batches;
  std::map<Shape, std::size_t> batch_of;
  for (auto& task : tasks) {
    const Shape shape{task.job->nodes, task.job->time_s, options_.begin(*task.job)};
    const auto [entry, is_new] = batch_of.emplace(shape, batches.size());
    if (is_new) batches.emplace_back();
    batches[entry->second].push_back(std::move(task));
  }
  return batches;
}

void CampaignMachine::hand_over_what_is_due() {
  auto tasks = due();
  if (tasks.empty()) return;
  Room room;
  try {
    room = scheduler_.room();
  } catch (const Error& error) {
    held_back_ = error.what();
    return;
  }
  for (const auto& batch : batches_of(std::move(tasks))) {
    for (std::size_t from = 0; from < batch.size();) {
      const auto most = std::min({room.tasks_per_job, room.tasks, most_at_once_});
      if (most <= 0) {
        held_back_ = room.limit;
        return;
      }
      const std::size_t to = std::min(batch.size(), from + static_cast<std::size_t>(most));
      write_submission({batch.begin() + static_cast<std::ptrdiff_t>(from),
                        batch.begin() + static_cast<std::ptrdiff_t>(to)});
      if (!hand_over(handings_.back())) return;
      most_at_once_ = std::min(most_at_once_, kMostAtOnce / 2) * 2;
      room.tasks -= static_cast<std::int64_t>(to - from);
      from = to;
    }
  }
}

/// Files first, the journal in hand_over(): what has no journal was never handed over.
void CampaignMachine::write_submission(const std::vector<TaskPlan>& tasks) {
  Submission next;
  next.number = ++newest_;
  const PlannedJob& first = *tasks.front().job;
  const std::string mark = campaign_.number > 1 ? fmt::format("-c{}", campaign_.number) : "";
  const std::string name =
      tasks.size() == 1 ? first.name
                        : fmt::format("{}{}-n{}", file_name_of(campaign_.sweep), mark, first.nodes);
  next.name = fmt::format("{}-s{}", name, next.number);
  const std::string identity =
      fmt::format("{} {} {}", folder_.root().string(), campaign_.started, campaign_.number);
  next.token = fmt::format("{}-{}", next.name, hash_of(identity).substr(0, 8));
  for (const auto& task : tasks) {
    next.tasks.push_back({task.job->name, {}});
    for (const auto& run : task.runs) next.tasks.back().runs.push_back(run.name);
  }
  const JobFiles files = script_(next, tasks);
  files_.write(folder_.script(next), files.script);
  if (!files.tasks.empty()) files_.write(folder_.tasks_file(next), files.tasks);
  handings_.push_back(
      {next, std::vector<JobStatus>(tasks.size()), std::vector<bool>(tasks.size(), false), false});
}

/// The runs wait from now on: whatever fails hereafter, the job may have arrived. What they were.
std::vector<CampaignMachine::Taken> CampaignMachine::take_runs(const Handing& handing) {
  std::vector<Taken> taken;
  for (const auto& task : handing.submission.tasks) {
    for (const auto& run : task.runs) {
      const auto found = fates_.find(run);
      if (found == fates_.end() || found->second.phase == RunPhase::kDone) continue;
      taken.push_back({run, found->second, tries_[run]});
      if (!owns(handing, run)) ++tries_[run];
      found->second = {RunPhase::kWaiting, false, false, {}, {}, handing.submission.number};
    }
  }
  return taken;
}

/// The job surely did not arrive.
void CampaignMachine::give_back(const std::vector<Taken>& taken) {
  for (const auto& [run, fate, tries] : taken) {
    fates_.at(run) = fate;
    fates_.at(run).phase = RunPhase::kUnsubmitted;
    tries_[run] = tries;
  }
}

/// False where no more should be handed over now.
bool CampaignMachine::hand_over(Handing& handing) {
  using Answer = Handed::Answer;
  Submission& submission = handing.submission;
  submission.owner = options_.owner;
  submission.sender = sender_of(options_);
  submission.journaled_at = options_.now();
  submission.tried_until = 0;
  const auto taken = take_runs(handing);
  folder_.journal(submission);
  const Handed handed = scheduler_.submit(request_of(handing));
  if (handed.answer == Answer::kTaken) {
    folder_.mark_handed(submission, handed.words);
    return true;
  }
  if (handed.answer == Answer::kUnsure) {
    submission.tried_until = options_.now();
    folder_.journal(submission);
    held_back_ =
        fmt::format("whether {} arrived is not known yet: {}", submission.name, handed.words);
    return false;
  }
  folder_.mark_refused(submission, handed.words);
  handing.settled.assign(handing.settled.size(), true);
  give_back(taken);
  if (handed.answer == Answer::kRefused)
    bad_input("{}: {}; see {}", submission.name, handed.words, folder_.script(submission).string());
  held_back_ = handed.words;
  // A limit that room() does not know of may be lower than an array is long.
  most_at_once_ = std::max<std::int64_t>(1, std::ssize(submission.tasks) / 2);
  return false;
}

JobRequest CampaignMachine::request_of(const Handing& handing) const {
  const Submission& submission = handing.submission;
  JobRequest request;
  request.token = submission.token;
  request.script = folder_.script(submission);
  request.log = folder_.directory(submission) / "job.log";
  request.tasks = static_cast<std::int64_t>(submission.tasks.size());
  request.begin = options_.begin(*jobs_.at(submission.tasks.front().job));
  request.max_in_flight = options_.max_in_flight;
  if (options_.max_in_flight == 0) return request;
  for (const auto& other : handings_) {
    if (!other.over() && other.submission.number < submission.number)
      request.after.push_back(other.submission.token);
  }
  return request;
}

void CampaignMachine::cancel() {
  std::vector<Asked> asked;
  for (auto& handing : handings_) {
    if (handing.over()) continue;
    folder_.mark_cancelled(handing.submission);
    asked.push_back(asked_of(handing.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
}

RunCounts CampaignMachine::counts() const {
  RunCounts counts;
  for (const auto& entry : fates_) {
    const RunFate& fate = entry.second;
    switch (fate.phase) {
      case RunPhase::kUnsubmitted:
        ++counts.unsubmitted;
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
    }
  }
  return counts;
}

}  // namespace pippin
