// SPDX-License-Identifier: Apache-2.0
// What is due, in arrays, and its way to the scheduler.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "harness/campaign/machine.h"

namespace pippin {

namespace {

constexpr std::int64_t kQuick_s = 30, kFirstPatience_s = 10, kMostPatience_s = 600;

std::string sender_of(const MachineOptions& options) {
  return fmt::format("{} {}", options.host, options.process);
}

/// Jobs of one array ask for the same.
using Shape = std::tuple<std::int64_t, std::optional<std::int64_t>, std::optional<std::int64_t>>;

}  // namespace

bool CampaignMachine::is_due(const PlannedRun& run) const {
  return fate(run.name).phase == RunPhase::kUnsubmitted && options_.wanted(run);
}

/// What a job was lost with comes last: the others are done before it can take one more with it.
TaskPlan CampaignMachine::due_of(const PlannedJob& job) {
  TaskPlan task{&job, {}};
  std::copy_if(job.runs.begin(), job.runs.end(), std::back_inserter(task.runs),
               [&](const PlannedRun& run) { return is_due(run); });
  std::stable_partition(task.runs.begin(), task.runs.end(),
                        [&](const PlannedRun& run) { return !tracked(run.name).fell; });
  return task;
}

std::vector<PlannedJob> CampaignMachine::due_jobs() const {
  std::vector<PlannedJob> jobs;
  for (const auto& job : campaign_.jobs) {
    PlannedJob due = job;
    std::erase_if(due.runs, [&](const PlannedRun& run) { return !is_due(run); });
    if (!due.runs.empty()) jobs.push_back(std::move(due));
  }
  return jobs;
}

/// In the campaign's order; what was lost comes behind what has not been tried.
std::vector<TaskPlan> CampaignMachine::due() {
  std::vector<TaskPlan> tasks, again;
  for (const auto& job : campaign_.jobs) {
    TaskPlan task = due_of(job);
    if (task.runs.empty()) continue;
    const bool is_new = fate(task.runs.front().name).submission == 0;
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

void CampaignMachine::submit_what_is_due() {
  auto tasks = due();
  if (tasks.empty()) return;
  if (has_given_up()) {
    let_be();
    return;
  }
  if (!is_worth_asking()) {
    held_back_ = refusal_->words;
    return;
  }
  Room room;
  try {
    room = scheduler_.room();
    if (room.is_shut && ignores_limit_) room.tasks = INT64_MAX;
  } catch (const MissingProgram& error) {
    if (tasks_in_flight() == 0) throw;  // there is nothing to wait for
    held_back_ = error.what();
    return;
  } catch (const Error& error) {
    held_back_ = error.what();
    return;
  }
  for (const auto& batch : batches_of(std::move(tasks))) {
    if (!submit_batch(batch, room)) return;
  }
}

/// A limit that room() does not know of may be lower than an array is long: half of it is tried at
/// once, and half of that. False where no more should be handed over now.
bool CampaignMachine::submit_batch(const std::vector<TaskPlan>& batch, Room& room) {
  std::size_t handed = 0;
  for (std::size_t from = 0; from < batch.size();) {
    const auto most = std::min({room.tasks_per_job, room.tasks, most_at_once_});
    // A limit of 0 would be waited for without end: its own words are asked for.
    const bool is_test = most <= 0 && room.is_shut && tasks_in_flight() == 0;
    if (most <= 0 && !is_test) {
      held_back_ = room.limit;
      if (handed > 0 && !room.limit.empty()) held_back_ += fmt::format(" before these {}", handed);
      return false;
    }
    const std::size_t to =
        std::min(batch.size(), from + static_cast<std::size_t>(is_test ? 1 : most));
    const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(from);
    const std::int64_t asked_at = options_.now();
    write_submission({begin, batch.begin() + static_cast<std::ptrdiff_t>(to)});
    const auto answer = submit(submissions_.back());
    if (answer == Handed::Answer::kUnsure) return false;
    if (answer == Handed::Answer::kNoRoom && is_test)
      refuse(fmt::format("{}: {}", room.limit, held_back_));
    if (answer == Handed::Answer::kNoRoom) {
      room.tasks = static_cast<std::int64_t>(to - from) - 1;
      room.limit = held_back_;
      most_at_once_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(to - from) / 2);
      // sbatch asks for two minutes by itself where the whole cluster is full.
      if (room.tasks > 0 && options_.now() - asked_at <= kQuick_s) continue;
      const std::int64_t patience_s = refusal_ ? 2 * refusal_->patience_s : kFirstPatience_s;
      refusal_ = {held_back_, options_.now(), std::min(patience_s, kMostPatience_s),
                  tasks_in_flight()};
      return false;
    }
    if (is_test) {
      ignores_limit_ = true;
      room.tasks = INT64_MAX;
    }
    held_back_.clear();
    refusal_.reset();
    most_at_once_ = std::min(most_at_once_, kMostAtOnce / 2) * 2;
    room.tasks -= static_cast<std::int64_t>(to - from);
    handed += to - from;
    from = to;
  }
  return true;
}

void CampaignMachine::refuse(const std::string& why) {
  held_back_ = why;
  note_what_is_held_back();
  bad_input("{}", why);
}

std::int64_t CampaignMachine::tasks_in_flight() const {
  std::int64_t count = 0;
  for (const auto& state : submissions_)
    count += std::count(state.settled.begin(), state.settled.end(), false);
  return count;
}

/// Where not even one job more was taken, one is tried again when one of ours has ended, or later
/// and later: each try leaves a folder.
bool CampaignMachine::is_worth_asking() const {
  return !refusal_ || tasks_in_flight() < refusal_->in_flight ||
         options_.now() - refusal_->at >= refusal_->patience_s;
}

/// What is due is for another machine, once somebody has mended what is wrong.
void CampaignMachine::let_be() {
  for (auto& run : runs_) {
    RunFate& fate = run.fate;
    if (fate.phase != RunPhase::kUnsubmitted) continue;
    fate.phase = RunPhase::kLost;
    fate.let_be = true;
    fate.end = End::kUnknown;
    fate.evidence = "given up, as " + text_of(*given_up_);
  }
}

/// Files first, the journal in submit(): what has no journal was never handed over.
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
  const auto write = files.is_private ? &FileSystem::write_private : &FileSystem::write;
  (files_.*write)(folder_.script(next), files.script);
  for (std::size_t i = 0; i < files.tasks.size(); ++i)
    (files_.*write)(folder_.tasks_file(next, i + 1), files.tasks[i]);
  submissions_.push_back(
      {next, std::vector<JobStatus>(tasks.size()), std::vector<bool>(tasks.size(), false), false});
  find_runs(submissions_.back());
}

/// The runs wait from now on: whatever fails hereafter, the job may have arrived. What they were.
std::vector<CampaignMachine::Taken> CampaignMachine::take_runs(const SubmissionState& state) {
  std::vector<Taken> taken;
  for (const auto& runs : state.runs) {
    for (TrackedRun* run : runs) {
      if (run->fate.phase == RunPhase::kDone) continue;
      taken.push_back({run, run->fate, run->tries});
      if (!owns(state, *run)) ++run->tries;
      run->fate = {RunPhase::kWaiting, false, false, {}, {}, state.submission.number};
    }
  }
  return taken;
}

/// The job surely did not arrive.
void CampaignMachine::give_back(const std::vector<Taken>& taken) {
  for (const auto& [run, fate, tries] : taken) {
    run->fate = fate;
    run->fate.phase = RunPhase::kUnsubmitted;
    run->tries = tries;
  }
}

/// A campaign may go to another cluster than those before, once nothing of theirs is left there.
void CampaignMachine::note_place(const std::string& token) {
  const std::string before = folder_.place();
  if (!before.empty() && has_open_but(token)) return;
  try {
    const std::string place = scheduler_.place();
    if (!place.empty() && place != before) folder_.note_place(place);
  } catch (const Error&) {
    return;  // it may answer the next time
  }
}

/// What stands before the scheduler, a site's own program, may refuse in words that nobody knows:
/// after some times it is believed.
Handed CampaignMachine::hand_over(SubmissionState& state) {
  constexpr std::int64_t kMostStrange = 3;
  if (folder_.cancelled() != cancelled_before_)
    return {Handed::Answer::kRefused,
            "'pippin cancel' was called meanwhile; 'pippin run' goes on with what is left"};
  if (state.strangely >= kMostStrange)
    return {Handed::Answer::kRefused,
            fmt::format("{} ({} times, and none arrived)", state.strange, state.strangely)};
  Handed handed = scheduler_.submit(request_of(state));
  if (!handed.is_strange || handed.words != state.strange) state.strangely = 0;
  if (handed.is_strange) ++state.strangely;
  state.strange = handed.words;
  return handed;
}

Handed::Answer CampaignMachine::submit(SubmissionState& state) {
  using Answer = Handed::Answer;
  Submission& submission = state.submission;
  submission.owner = options_.owner;
  submission.sender = sender_of(options_);
  submission.journaled_at = options_.now();
  submission.tried_until = 0;
  // What was missed before this says nothing of the job that is handed over now.
  if (!submission.missed.tasks.empty()) folder_.mark_missed(submission, {});
  const auto taken = take_runs(state);
  note_place(submission.token);
  folder_.journal(submission);
  const Handed handed = hand_over(state);
  if (handed.answer == Answer::kTaken) {
    folder_.mark_handed(submission, handed.words);
    return handed.answer;
  }
  if (handed.answer == Answer::kUnsure) {
    submission.tried_until = options_.now();
    folder_.journal(submission);
    held_back_ =
        fmt::format("whether {} arrived is not known yet: {}", submission.name, handed.words);
    return handed.answer;
  }
  folder_.mark_refused(submission, handed.words);
  state.settled.assign(state.settled.size(), true);
  give_back(taken);
  if (handed.answer == Answer::kRefused)
    refuse(fmt::format("{}: {}; see {}", submission.name, handed.words,
                       folder_.script(submission).string()));
  held_back_ = handed.words;
  return handed.answer;
}

JobRequest CampaignMachine::request_of(const SubmissionState& state) const {
  const Submission& submission = state.submission;
  JobRequest request;
  request.token = submission.token;
  request.script = folder_.script(submission);
  request.log = folder_.directory(submission) / "job.log";
  request.tasks = static_cast<std::int64_t>(submission.tasks.size());
  request.begin = options_.begin(*jobs_.at(submission.tasks.front().job));
  request.max_in_flight = options_.max_in_flight;
  request.exclude = excluded_nodes();
  request.only_on = campaign_.nodelist;
  if (options_.max_in_flight == 0) return request;
  for (const auto& other : submissions_) {
    if (!other.over() && other.submission.number < submission.number)
      request.after.push_back(asked_of(other.submission));
  }
  return request;
}

}  // namespace pippin
