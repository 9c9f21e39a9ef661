#include "tests/campaign/world.h"

#include <algorithm>

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

void World::submit(const JobRequest& request) {
  before();
  ++handed_over_[request.token];
  // The fake script is the list of its runs; its path tells sweep, job and submission.
  const auto lines = disk_.read(request.script).value_or("");
  Job job;
  job.token = request.token;
  job.directory = request.script.parent_path().parent_path().parent_path().string();
  job.submission = *parse_integer(request.script.stem().string().substr(4));
  for (std::string_view line : split(trim(lines), '\n')) job.runs.emplace_back(line);
  jobs_.push_back(job);
  after();
}

std::map<std::string, JobStatus> World::query(const std::vector<std::string>& tokens) {
  before();
  std::map<std::string, JobStatus> answers;
  for (const auto& token : tokens) {
    const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                    [&](const Job& job) { return job.token == token; });
    if (found == jobs_.end()) {
      answers[token] = {JobStatus::Phase::kAbsent, "never heard of it"};
    } else {
      answers[token] = found->ended       ? JobStatus{JobStatus::Phase::kEnded, "over"}
                       : found->step == 0 ? JobStatus{JobStatus::Phase::kWaiting, ""}
                                          : JobStatus{JobStatus::Phase::kRunning, ""};
    }
  }
  after();
  return answers;
}

void World::cancel(const std::vector<std::string>&) {}

void World::tick(std::int64_t steps) {
  for (; steps > 0; --steps) {
    const auto job =
        std::find_if(jobs_.begin(), jobs_.end(), [](const Job& one) { return !one.ended; });
    if (job == jobs_.end()) return;
    if (job_steps_++ == job_dies_at_step_) {
      job->ended = true;
    } else {
      step(*job);
    }
  }
}

/// Three steps a run, as the real script makes them: claim, execute, mark.
void World::step(Job& job) {
  constexpr std::size_t kStepsPerRun = 3;
  const std::size_t run = job.step / kStepsPerRun;
  if (run == job.runs.size()) {
    job.ended = true;
    return;
  }
  const std::string& name = job.runs[run];
  const fs::path folder = fs::path(job.directory) / name;
  const fs::path attempt = folder / (std::to_string(job.submission) + "-local-0");
  switch (job.step++ % kStepsPerRun) {
    case 0: {
      bool done = false;
      for (const auto& other : disk_.list(folder))
        done = done || disk_.exists(folder / other / "done");
      if (done || !disk_.make_directory(attempt)) job.step += kStepsPerRun - 1;
      break;
    }
    case 1:
      ++executions_[name];
      break;
    default:
      disk_.write(attempt / "done",
                  name.substr(0, 3) == "bad" ? "exit=1 ended=1" : "exit=0 ended=1");
  }
}

}  // namespace pippin::test
