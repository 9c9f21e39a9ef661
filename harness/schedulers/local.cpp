// SPDX-License-Identifier: Apache-2.0
#include "harness/schedulers/local.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>

#include "core/base/embedded_file.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace pippin {

const std::vector<EmbeddedFile>& queue_files();  // queue.bash alone

namespace {

constexpr std::size_t kNumberDigits = 20;  // nanoseconds since 1970, so that names sort by age

// What the queue, or we, say of the end of a job; queue.bash has the first too.
constexpr std::string_view kGone = "its processes are gone", kCancelled = "cancelled";

End end_of(std::string_view words) {
  if (words == "exit 0") return End::kCompleted;
  if (words == kCancelled) return End::kUser;
  constexpr std::string_view kExit = "exit ";
  constexpr std::int64_t kFirstSignal = 128;  // as bash has it
  const auto status =
      words.starts_with(kExit) ? parse_integer(words.substr(kExit.size())) : std::nullopt;
  if (status && *status < kFirstSignal) return End::kApplication;
  return End::kInfrastructure;  // killed, or gone with the machine
}

/// Whether any process holds a lock on the file. A file that is gone is not locked.
/// Errors: Error (machine) where that cannot be told.
bool locked(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return false;
  return !try_lock(open_lock_file(path), path);
}

/// Processes of the job behind an entry of the queue, wherever they have gone: they carry its name
/// in their environment. Its script, which would go on with the next run, comes first.
std::vector<pid_t> processes_of(const std::string& entry) {
  const std::string mark = fmt::format("PIPPIN_QUEUE_ENTRY={}", entry);
  std::vector<pid_t> found;
  for (const auto& name : disk().list("/proc")) {
    const auto process = parse_integer(name);
    if (!process) continue;
    std::ifstream file("/proc/" + name + "/environ");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto variables = split(text, '\0');
    if (std::find(variables.begin(), variables.end(), mark) != variables.end())
      found.push_back(static_cast<pid_t>(*process));
  }
  std::stable_partition(found.begin(), found.end(),
                        [](pid_t process) { return ::getsid(process) == process; });
  return found;
}

/// Asks every process of the entry to end. The queue moves an entry before it starts its job:
/// a job that has no process yet is waited for.
void terminate(const fs::path& running) {
  constexpr int kLooks = 100;
  constexpr std::chrono::milliseconds kPause{20};
  for (int look = 0; look < kLooks && locked(running); ++look) {
    const auto processes = processes_of(running.filename().string());
    for (const pid_t process : processes) ::kill(process, SIGTERM);
    if (!processes.empty()) return;
    std::this_thread::sleep_for(kPause);
  }
}

/// Entries of one of the folders, by token.
std::map<std::string, fs::path> entries(const fs::path& folder, FileSystem& files = disk()) {
  std::map<std::string, fs::path> found;
  for (const auto& name : files.list(folder)) {
    const bool ours = name.size() > kNumberDigits + 1 && name[0] != '.';
    if (ours) found[name.substr(kNumberDigits + 1)] = folder / name;
  }
  return found;
}

}  // namespace

LocalScheduler::LocalScheduler(fs::path folder, fs::path machine_lock, bool only_looks)
    : folder_(std::move(folder)), machine_lock_(std::move(machine_lock)), only_looks_(only_looks) {}

Handed LocalScheduler::submit(const JobRequest& request) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // A clock before 1970 would give a name that the queue does not take for an entry.
  const auto number =
      std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), 0);
  for (const char* name : {"waiting", "running", "ended"}) disk().make_directory(folder_ / name);
  disk().write(folder_ / "waiting" / fmt::format("{:0{}}-{}", number, kNumberDigits, request.token),
               request.script.string() + '\0' + request.log.string() + '\0');
  start_queue();
  return {Handed::Answer::kTaken, "local"};
}

void LocalScheduler::start_queue() const {
  if (locked(folder_ / "next.lock")) return;
  // The queue could tell nobody.
  try {
    make_lock_folder(machine_lock_.parent_path());
    open_lock_file(machine_lock_);
    open_lock_file(folder_ / "next.lock");
  } catch (const Error& error) {
    machine_failed("{}; jobs would wait for ever (TMPDIR says where the lock of this machine lies)",
                   error.what());
  }
  disk().list(folder_);  // what a killed pippin was writing goes
  disk().write(folder_ / "queue.bash", queue_files().front().text);
  start_detached(
      {"bash", (folder_ / "queue.bash").string(), folder_.string(), machine_lock_.string()},
      folder_ / "queue.log");
}

/// Whose jobs have the machine, where they are of another folder.
std::string LocalScheduler::other_holder() const {
  const std::string holder = holder_in(machine_lock_);
  const bool ours = holder.ends_with(" " + printable(folder_.string()));
  return holder.empty() || ours || !locked(machine_lock_) ? ""
                                                          : "this machine is taken by " + holder;
}

std::map<std::string, std::vector<JobStatus>> LocalScheduler::query(
    const std::vector<Asked>& asked) {
  using Phase = JobStatus::Phase;
  // A job moves from folder to folder in this order, so that none is missed between two looks.
  FileSystem& files = only_looks_ ? disk_to_read() : disk();
  const auto waiting = entries(folder_ / "waiting", files);
  const auto running = entries(folder_ / "running", files);
  const auto ended = entries(folder_ / "ended", files);
  // A machine that went down took the queue with it.
  if (!only_looks_ && !waiting.empty() && !locked(machine_lock_)) start_queue();
  const std::string holder = waiting.empty() || !running.empty() ? "" : other_holder();
  std::map<std::string, std::vector<JobStatus>> answers;
  for (const auto& one : asked) {
    JobStatus answer{Phase::kAbsent, "the queue does not know it"};
    if (const auto found = ended.find(one.token); found != ended.end()) {
      const std::string words(trim(disk().read(found->second).value_or("")));
      answer = {Phase::kEnded, words, end_of(words)};
    } else if (const auto taken = running.find(one.token); taken != running.end()) {
      // It may have ended between the two looks; the next one tells.
      const bool alive = locked(taken->second) || !disk().exists(taken->second);
      answer = alive ? JobStatus{Phase::kRunning}
                     : JobStatus{Phase::kEnded, std::string(kGone), End::kInfrastructure};
    } else if (waiting.count(one.token)) {
      answer = {Phase::kWaiting, holder};
    }
    answers[one.token] = {answer};
  }
  return answers;
}

void LocalScheduler::cancel(const std::vector<Asked>& asked) {
  const auto waiting = entries(folder_ / "waiting");
  for (const auto& one : asked) {
    const auto found = waiting.find(one.token);
    if (found == waiting.end()) continue;
    const fs::path ended = folder_ / "ended" / found->second.filename();
    // The rename takes it from the queue, or the queue was quicker.
    if (std::rename(found->second.c_str(), ended.c_str()) == 0)
      disk().write(ended, std::string(kCancelled) + "\n");
  }
  const auto running = entries(folder_ / "running");
  for (const auto& one : asked) {
    if (const auto found = running.find(one.token); found != running.end())
      terminate(found->second);
  }
}

fs::path default_machine_lock() {
  return temporary_folder() / fmt::format(".pippin-{}", ::geteuid()) / "machine.lock";
}

}  // namespace pippin
