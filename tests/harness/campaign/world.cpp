// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/campaign/world.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin::test {

namespace {

constexpr std::size_t kStepsPerRun = 4;
constexpr std::int64_t kSickSteps = 6, kFullSteps = 6;
// What was sent arrives before its credential is too old.
constexpr std::int64_t kCredentialLife_s = 35, kLongestFlight_s = 30;

std::string job_folder(FileSystem& disk, const fs::path& sweep, const std::string& submission) {
  const std::string end = "-s" + submission;
  for (const auto& name : disk.list(sweep / "jobs")) {
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) return name;
  }
  return {};
}

}  // namespace

std::optional<std::string> MemoryFiles::read(const fs::path& path) {
  const auto found = files_.find(path.string());
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

void MemoryFiles::write(const fs::path& path, std::string_view text) {
  make_directory(path.parent_path());
  directories_[path.parent_path().string()].insert(path.filename().string());
  files_[path.string()] = text;
}

bool MemoryFiles::make_directory(const fs::path& path) {
  if (directories_.count(path.string())) return false;
  if (path.has_relative_path()) {
    make_directory(path.parent_path());
    directories_[path.parent_path().string()].insert(path.filename().string());
  }
  directories_[path.string()];
  return true;
}

bool MemoryFiles::exists(const fs::path& path) {
  return files_.count(path.string()) || directories_.count(path.string());
}

std::vector<std::string> MemoryFiles::list(const fs::path& directory) {
  const auto found = directories_.find(directory.string());
  if (found == directories_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

void World::plan_faults(std::vector<Fault> faults) {
  faults_ = std::move(faults);
  operation_ = 0;
}

void World::before() {
  for (const auto& fault : faults_) {
    if (fault.at != operation_) continue;
    if (fault.kind == Fault::Kind::kCrashBefore || fault.kind == Fault::Kind::kCrashInFlight)
      throw Crash();
    if (fault.kind == Fault::Kind::kErrorBefore) machine_failed("operation {} failed", operation_);
  }
}

void World::after() {
  const std::int64_t done = operation_++;
  for (const auto& fault : faults_) {
    if (fault.at != done) continue;
    if (fault.kind == Fault::Kind::kCrashAfter) throw Crash();
    if (fault.kind == Fault::Kind::kErrorAfter)
      machine_failed("the answer to operation {} was lost", done);
  }
}

std::optional<std::string> World::FaultyFiles::read(const fs::path& path) {
  world_.before();
  auto text = world_.seen_text(path);
  world_.after();
  return text;
}

void World::FaultyFiles::write(const fs::path& path, std::string_view text) {
  world_.before();
  world_.disk_.write(path, text);
  world_.after();
}

bool World::FaultyFiles::make_directory(const fs::path& path) {
  world_.before();
  const bool made = world_.disk_.make_directory(path);
  world_.after();
  return made;
}

bool World::FaultyFiles::exists(const fs::path& path) {
  world_.before();
  const bool there = world_.is_seen(path) && world_.disk_.exists(path);
  world_.after();
  return there;
}

std::vector<std::string> World::FaultyFiles::list(const fs::path& directory) {
  world_.before();
  auto names = world_.disk_.list(directory);
  std::erase_if(names, [&](const auto& name) { return !world_.is_seen(directory / name); });
  world_.after();
  return names;
}

/// A submission that is in flight where pippin dies arrives later.
Handed World::submit(const JobRequest& request) {
  for (const auto& fault : faults_) {
    if (fault.at == operation_ && fault.kind == Fault::Kind::kCrashInFlight)
      in_flight_.push_back({request, now_s_ + kLongestFlight_s});
  }
  before();
  Handed handed = answer(request);
  after();
  return handed;
}

Handed World::answer(const JobRequest& request) {
  using Answer = Handed::Answer;
  const auto number = static_cast<std::size_t>(submit_++);
  const Arrival arrival =
      number < weather_.arrivals.size() ? weather_.arrivals[number] : Arrival::kTaken;
  if (arrival == Arrival::kRefused) return {Answer::kRefused, "no such account"};
  if (arrival == Arrival::kNoRoom || live_tasks() + request.tasks > weather_.room)
    return {Answer::kNoRoom, "too many jobs"};
  if (arrival == Arrival::kUnsureLater) {
    in_flight_.push_back({request, now_s_ + kLongestFlight_s});
  } else if (arrival != Arrival::kUnsureLost) {
    arrive(request);
  }
  if (arrival == Arrival::kTaken) return {Answer::kTaken, fmt::to_string(next_id_ - 1)};
  return {Answer::kUnsure, "timed out"};
}

/// The fake script is the list of its tasks' runs; its folder tells sweep and submission.
void World::arrive(const JobRequest& request) {
  ++arrived_[request.token];
  const fs::path folder = request.script.parent_path();
  const std::string name = folder.filename().string();
  Job job;
  job.token = request.token;
  job.folder = folder.parent_path().parent_path();
  job.submission = name.substr(name.rfind("-s") + 2);
  const std::string lines = disk_.read(request.script).value_or("");
  for (std::string_view line : split(trim(lines), '\n')) {
    if (line != "--") {
      job.runs.emplace_back(line);
      continue;
    }
    job.id = next_id_++;
    jobs_.push_back(job);
    job.runs.clear();
    ++job.task;
  }
}

void World::let_arrive() {
  for (const auto& one : in_flight_) {
    if (one.arrives_at <= now_s_) arrive(one.request);
  }
  std::erase_if(in_flight_, [&](const InFlight& one) { return one.arrives_at <= now_s_; });
}

std::int64_t World::live_tasks() const {
  return std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) {
    return job.is_known && job.status.phase != JobStatus::Phase::kEnded;
  });
}

Room World::room() {
  before();
  const std::int64_t room = weather_.room == INT64_MAX ? INT64_MAX : weather_.room - live_tasks();
  after();
  return {weather_.tasks_per_job, weather_.tells_room ? room : INT64_MAX, "too many jobs"};
}

JobStatus World::status_of(const Asked& asked, std::int64_t task) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    return job.is_known && job.token == asked.token && job.task == task;
  });
  if (found != jobs_.end()) return found->status;
  const bool may_arrive = !asked.handed && now_s_ < asked.tried_until + kCredentialLife_s;
  if (may_arrive) return {JobStatus::Phase::kUnknown, "it may arrive yet"};
  return {JobStatus::Phase::kAbsent, "never heard of it"};
}

std::map<std::string, std::vector<JobStatus>> World::query(const std::vector<Asked>& asked) {
  before();
  now_s_ += kPoll_s;
  ++query_;
  if (query_ == weather_.forgets_at) forget();
  if (query_ == weather_.cancelled_at) cancel_all();
  let_arrive();
  const bool silent =
      query_ >= weather_.silent_from && query_ < weather_.silent_from + weather_.silent_for;
  std::map<std::string, std::vector<JobStatus>> answers;
  for (const auto& one : asked) {
    for (std::int64_t task = 1; task <= one.tasks; ++task)
      answers[one.token].push_back(silent ? JobStatus() : status_of(one, task));
  }
  after();
  return answers;
}

/// A controller that has lost its state: what waited is gone, what ran runs on.
void World::forget() {
  std::set<std::string> begun, gone;
  for (Job& job : jobs_) {
    const bool waits = job.is_known && job.status.phase == JobStatus::Phase::kWaiting;
    (waits ? gone : begun).insert(job.token);
    job.is_known = false;
  }
  for (const auto& token : gone) arrived_[token] -= begun.count(token) ? 0 : 1;
  next_id_ = 1;
}

/// As another pippin does it.
void World::cancel_all() {
  for (Job& job : jobs_) {
    if (!job.is_known || job.status.phase == JobStatus::Phase::kEnded) continue;
    disk_.write(job.folder / "jobs" / job_folder(disk_, job.folder, job.submission) / "cancelled",
                "");
    end(job, End::kUser, "CANCELLED by 0");
  }
}

void World::cancel(const std::vector<Asked>& asked) {
  before();
  for (const auto& one : asked) {
    for (Job& job : jobs_) {
      const bool lives = job.is_known && job.status.phase != JobStatus::Phase::kEnded;
      if (lives && job.token == one.token) end(job, End::kUser, "CANCELLED by 0");
    }
  }
  after();
}

void World::end(Job& job, End end, const std::string& words, bool processes_too) {
  job.status = {JobStatus::Phase::kEnded, words, end};
  job.status.at = now_s_;
  if (processes_too) job.runs_on = false;
}

/// Under the same id; `failing` is what the script leaves in its claim.
void World::begin_again(std::size_t index) {
  Job again = jobs_[index];
  jobs_[index].is_known = false;
  ++again.restart;
  again.step = 0;
  again.sick = again.runs_on = false;
  again.suspects = again.failing;
  again.status = {JobStatus::Phase::kWaiting};
  jobs_.push_back(again);
}

/// True where the job makes no step now.
bool World::befalls(std::size_t index) {
  using Kind = Mishap::Kind;
  Kind kind = Kind::kNone;
  for (auto& mishap : weather_.mishaps) {
    if (mishap.at == job_step_) kind = std::exchange(mishap.kind, Kind::kNone);
  }
  Job& job = jobs_[index];
  const std::string run = job.runs[std::min(job.step / kStepsPerRun, job.runs.size() - 1)];
  switch (kind) {
    case Kind::kNone:
      return false;
    case Kind::kNodeFails:
      end(job, End::kInfrastructure, "NODE_FAIL");
      return true;
    case Kind::kNodeIsLost:
      end(job, End::kInfrastructure, "NODE_FAIL", false);
      return true;
    case Kind::kNodeSickens:
    case Kind::kSickRequeued:
      job.sick = true;
      sick_until_ = job_step_ + kSickSteps;
      sick_is_requeued_ = kind == Kind::kSickRequeued;
      return false;
    case Kind::kRequeued:
      job.runs_on = false;
      begin_again(index);
      return true;
    case Kind::kRequeuedTwice:
      begin_again(index);
      return true;
    case Kind::kTimeUp:
      if (is_open(job, run)) say(job, run, "signal=TERM time_up=1");
      end(job, End::kLimit, "TIMEOUT");
      return true;
    case Kind::kTimeUpAtOnce:
      end(job, End::kLimit, "TIMEOUT");
      return true;
    case Kind::kGivesWay:
      if (is_open(job, run)) say(job, run, "signal=TERM time_up=0");
      end(job, End::kCompleted, "COMPLETED");
      return true;
    case Kind::kCancelled:
      end(job, End::kUser, "CANCELLED by 4711");
      return true;
    case Kind::kLaunchFails:
      end(job, End::kInfrastructure, "FAILED 0:53");
      return true;
    case Kind::kScriptFails:
      end(job, End::kApplication, "FAILED 1:0");
      return true;
    case Kind::kDiskFull:
      disk_full_until_ = job_step_ + kFullSteps;
      return false;
  }
  return false;
}

void World::start_jobs() {
  std::int64_t running = std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) {
    return job.is_known && job.status.phase == JobStatus::Phase::kRunning;
  });
  for (Job& job : jobs_) {
    if (running >= weather_.slots) return;
    if (!job.is_known || job.status.phase != JobStatus::Phase::kWaiting) continue;
    job.status.phase = JobStatus::Phase::kRunning;
    job.runs_on = true;
    ++running;
    const fs::path claim =
        job.runs.size() == 1 ? job.attempt(job.runs.front()) / "run"
                             : job.folder / "jobs" / job_folder(disk_, job.folder, job.submission) /
                                   fmt::format("claim-{}-{}", job.id, job.restart);
    show_late(claim);
    disk_.write(claim, fmt::format("pippin: claim task={}\n", job.task));
  }
}

/// All that have processes take turns.
void World::tick(std::int64_t steps) {
  for (; steps > 0; --steps) {
    start_jobs();
    std::vector<std::size_t> live;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].runs_on) live.push_back(i);
    }
    if (live.empty()) return;
    step(live[turn_++ % live.size()]);
  }
}

void World::clear_up() {
  constexpr std::int64_t kMany = 10'000;
  weather_.mishaps.clear();
  tick(kMany);
}

void World::step(std::size_t index) {
  const bool befallen = befalls(index);
  ++job_step_;
  if (befallen) return;
  Job& job = jobs_[index];
  const std::size_t run = job.step / kStepsPerRun;
  if (job.sick && (job_step_ > sick_until_ || run == job.runs.size())) {
    job.runs_on = false;
    if (sick_is_requeued_)
      begin_again(index);
    else
      end(job, End::kInfrastructure, "NODE_FAIL");
  } else if (run == job.runs.size()) {
    job.runs_on = false;
    if (job.status.phase != JobStatus::Phase::kEnded) end(job, End::kCompleted, "COMPLETED");
  } else {
    step_of_run(job, job.runs[run]);
  }
}

fs::path World::Job::attempt(const std::string& run) const {
  return folder / run / fmt::format("{}-{}-{}", submission, id, restart);
}

/// A failure is final where this submission has it, unless the job's node may have made it.
bool World::is_done(const Job& job, const std::string& run) {
  for (const auto& other : disk_.list(job.folder / run)) {
    const auto end = read_record(disk_.read(job.folder / run / other / "run").value_or("")).end;
    if (!end.exit_code) continue;
    if (end.exit_code == 0) return true;
    const bool is_ours = other.substr(0, job.submission.size() + 1) == job.submission + "-";
    if (is_ours && !job.suspects.count(run)) return true;
  }
  return false;
}

/// Also the folders that are made for it.
void World::show_late(const fs::path& path) {
  if (weather_.files_late_s == 0 || disk_.exists(path)) return;
  seen_from_[path.string()] = now_s_ + weather_.files_late_s;
  if (path.has_relative_path()) show_late(path.parent_path());
}

bool World::is_seen(const fs::path& path) const {
  if (seen_from_.empty()) return true;
  const auto from = seen_from_.find(path.string());
  return from == seen_from_.end() || from->second <= now_s_;
}

/// A line at the end of a file, which pippin may see later.
bool World::add(const fs::path& path, const std::string& line) {
  if (job_step_ <= disk_full_until_) return false;
  show_late(path);
  const std::string before = disk_.read(path).value_or("");
  if (weather_.files_late_s > 0 && !before.empty())
    older_texts_[path.string()].push_back({now_s_ + weather_.files_late_s, before});
  disk_.write(path, before + line);
  return true;
}

/// What pippin sees of a file by now.
std::optional<std::string> World::seen_text(const fs::path& path) {
  if (!is_seen(path)) return std::nullopt;
  for (const auto& [until, text] : older_texts_[path.string()])
    if (now_s_ < until) return text;
  return disk_.read(path);
}

/// … of how a run that was started ends.
bool World::say(const Job& job, const std::string& run, const std::string& words) {
  return add(job.attempt(run) / "run", "pippin: " + words + " started=1\n");
}

bool World::is_open(const Job& job, const std::string& run) {
  const auto record = disk_.read(job.attempt(run) / "run");
  return record && !read_record(*record).end.exit_code;
}

/// Four steps a run, as the real script makes them: claim, execute, mark, say so to all.
void World::step_of_run(Job& job, const std::string& run) {
  const bool fails = job.sick || run.substr(0, 3) == "bad";
  const std::size_t rest = kStepsPerRun - 1;
  switch (job.step++ % kStepsPerRun) {
    case 0:
      if (is_done(job, run) || !add(job.attempt(run) / "run", "pippin: started=1\n"))
        job.step += rest;
      break;
    case 1:
      ++executions_[run];
      break;
    case 2:
      if (fails) {
        job.failing.insert(run);
      } else {
        job.failing.clear();
      }
      if (!say(job, run, fmt::format("exit={} ended={}", fails ? 1 : 0, job_step_))) ++job.step;
      break;
    default:
      add(job.folder / "outcomes" / fmt::format("n{}-1", job.id),
          fmt::format("{}\t{}\n", run, fails ? "failed" : "ok"));
  }
}

}  // namespace pippin::test

std::string Catch::StringMaker<pippin::RunCounts>::convert(const pippin::RunCounts& counts) {
  return fmt::format(
      "unsubmitted {} waiting {} running {} succeeded {} failed {} lost {} cancelled {} unsettled "
      "{} let be {}",
      counts.unsubmitted, counts.waiting, counts.running, counts.succeeded, counts.failed,
      counts.lost, counts.cancelled, counts.unsettled, counts.let_be);
}
