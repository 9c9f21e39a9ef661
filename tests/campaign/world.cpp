#include "tests/campaign/world.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace pippin::test {

std::optional<std::string> MemoryFiles::read(const fs::path& path) {
  const auto found = files_.find(path.string());
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

void MemoryFiles::write(const fs::path& path, std::string_view text) {
  make_directory(path.parent_path());
  files_[path.string()] = text;
}

bool MemoryFiles::make_directory(const fs::path& path) {
  if (path.has_relative_path()) make_directory(path.parent_path());
  return directories_.insert(path.string()).second;
}

bool MemoryFiles::exists(const fs::path& path) {
  return files_.count(path.string()) || directories_.count(path.string());
}

std::vector<std::string> MemoryFiles::list(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& file : files_) {
    if (fs::path(file.first).parent_path() == directory)
      names.insert(fs::path(file.first).filename().string());
  }
  for (const fs::path path : directories_) {
    if (path.parent_path() == directory && path != directory)
      names.insert(path.filename().string());
  }
  return {names.begin(), names.end()};
}

void World::plan_faults(std::vector<Fault> faults) {
  faults_ = std::move(faults);
  operation_ = 0;
}

void World::before() {
  for (const auto& fault : faults_) {
    if (fault.at != operation_) continue;
    if (fault.kind == Fault::Kind::kCrashBefore) throw Crash();
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
  auto text = world_.disk_.read(path);
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
  const bool there = world_.disk_.exists(path);
  world_.after();
  return there;
}

std::vector<std::string> World::FaultyFiles::list(const fs::path& directory) {
  world_.before();
  auto names = world_.disk_.list(directory);
  world_.after();
  return names;
}

Handed World::submit(const JobRequest& request) {
  before();
  ++handed_over_[request.token];
  // The fake script is the list of its tasks' runs; its folder tells sweep and submission.
  const fs::path folder = request.script.parent_path();
  const std::string name = folder.filename().string();
  const std::string lines = disk_.read(request.script).value_or("");
  Job job;
  job.token = request.token;
  job.directory = folder.parent_path().parent_path().string();
  for (std::string_view line : split(trim(lines), '\n')) {
    if (job.runs.empty())
      job.attempt = fmt::format("{}-{}-0", name.substr(name.rfind("-s") + 2), jobs_.size());
    if (line != "--") {
      job.runs.emplace_back(line);
      continue;
    }
    jobs_.push_back(job);
    job.runs.clear();
    ++job.task;
  }
  after();
  return {Handed::Answer::kTaken, "1"};
}

JobStatus World::status_of(const std::string& token, std::int64_t task) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    return job.token == token && job.task == task;
  });
  if (found == jobs_.end()) return {JobStatus::Phase::kAbsent, "never heard of it"};
  if (!found->ended)
    return {found->step == 0 ? JobStatus::Phase::kWaiting : JobStatus::Phase::kRunning};
  const End end = found->died ? End::kInfrastructure : End::kCompleted;
  return {JobStatus::Phase::kEnded, found->died ? "its node died" : "over", end};
}

std::map<std::string, std::vector<JobStatus>> World::query(const std::vector<Asked>& asked) {
  before();
  std::map<std::string, std::vector<JobStatus>> answers;
  for (const auto& one : asked) {
    for (std::int64_t task = 1; task <= one.tasks; ++task)
      answers[one.token].push_back(status_of(one.token, task));
  }
  after();
  return answers;
}

void World::cancel(const std::vector<Asked>&) {}

void World::tick(std::int64_t steps) {
  for (; steps > 0; --steps) {
    const auto job =
        std::find_if(jobs_.begin(), jobs_.end(), [](const Job& one) { return !one.ended; });
    if (job == jobs_.end()) return;
    if (job_steps_++ == job_dies_at_step_) {
      job->ended = job->died = true;
    } else {
      step(*job);
    }
  }
}

/// Four steps a run, as the real script makes them: claim, execute, mark, say so to all.
void World::step(Job& job) {
  constexpr std::size_t kStepsPerRun = 4;
  const std::size_t run = job.step / kStepsPerRun;
  if (run == job.runs.size()) {
    job.ended = true;
    return;
  }
  const std::string& name = job.runs[run];
  const fs::path folder = fs::path(job.directory) / name;
  const bool is_bad = name.substr(0, 3) == "bad";
  switch (job.step++ % kStepsPerRun) {
    case 0: {
      // A failure is final where this handing-over has it; others are there to be made good.
      const std::string ours = job.attempt.substr(0, job.attempt.find('-') + 1);
      bool done = false;
      for (const auto& other : disk_.list(folder)) {
        const auto marker = disk_.read(folder / other / "done");
        done = done || (marker && (!is_bad || other.substr(0, ours.size()) == ours));
      }
      if (done || !disk_.make_directory(folder / job.attempt)) job.step += kStepsPerRun - 1;
      break;
    }
    case 1:
      ++executions_[name];
      break;
    case 2:
      disk_.write(folder / job.attempt / "done", is_bad ? "exit=1 ended=1" : "exit=0 ended=1");
      break;
    default:
      disk_.write(fs::path(job.directory) / (is_bad ? "failed" : "succeeded") / name, "");
  }
}

}  // namespace pippin::test

std::string Catch::StringMaker<pippin::RunCounts>::convert(const pippin::RunCounts& counts) {
  return fmt::format(
      "unsubmitted {} waiting {} running {} succeeded {} failed {} lost {} cancelled {} unsettled "
      "{}",
      counts.unsubmitted, counts.waiting, counts.running, counts.succeeded, counts.failed,
      counts.lost, counts.cancelled, counts.unsettled);
}
