#include "harness/schedulers/local.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/embedded.h"
#include "harness/base/error.h"
#include "harness/base/process.h"
#include "harness/base/text.h"

namespace pippin {

const std::vector<EmbeddedFile>& queue_files();  // queue.bash alone

namespace {

constexpr std::size_t kNumberDigits = 20;  // nanoseconds since 1970, so that names sort by age

/// Whether any process holds a lock on the file. A file that is gone is not locked.
bool locked(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return !free;
}

/// Entries of one of the folders, by token.
std::map<std::string, fs::path> entries(const fs::path& folder) {
  std::map<std::string, fs::path> found;
  for (const auto& name : disk().list(folder)) {
    const bool ours = name.size() > kNumberDigits + 1 && name[0] != '.';
    if (ours) found[name.substr(kNumberDigits + 1)] = folder / name;
  }
  return found;
}

}  // namespace

LocalScheduler::LocalScheduler(fs::path folder, fs::path machine_lock)
    : folder_(std::move(folder)), machine_lock_(std::move(machine_lock)) {}

void LocalScheduler::submit(const JobRequest& request) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto number = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  for (const char* name : {"waiting", "running", "ended", "pids"})
    disk().make_directory(folder_ / name);
  disk().write(folder_ / "waiting" / fmt::format("{:0{}}-{}", number, kNumberDigits, request.token),
               fmt::format("{}\n{}\n", request.script.string(), request.log.string()));
  start_queue();
}

void LocalScheduler::start_queue() const {
  if (locked(folder_ / "next.lock")) return;
  disk().write(folder_ / "queue.bash", queue_files().front().text);
  start_detached(
      {"bash", (folder_ / "queue.bash").string(), folder_.string(), machine_lock_.string()},
      folder_ / "queue.log");
}

std::map<std::string, JobStatus> LocalScheduler::query(const std::vector<std::string>& tokens) {
  // A job moves from folder to folder in this order, so that none is missed between two looks.
  const auto waiting = entries(folder_ / "waiting");
  const auto running = entries(folder_ / "running");
  const auto ended = entries(folder_ / "ended");
  // A machine that went down took the queue with it.
  if (!waiting.empty() && !locked(machine_lock_)) start_queue();
  std::map<std::string, JobStatus> answers;
  for (const auto& token : tokens) {
    JobStatus& answer = answers[token];
    if (const auto found = ended.find(token); found != ended.end()) {
      answer = {JobStatus::Phase::kEnded,
                std::string(trim(disk().read(found->second).value_or("")))};
    } else if (const auto taken = running.find(token); taken != running.end()) {
      // It may have ended between the two looks; the next one tells.
      const bool alive = locked(taken->second) || !disk().exists(taken->second);
      answer = alive ? JobStatus{JobStatus::Phase::kRunning, {}}
                     : JobStatus{JobStatus::Phase::kEnded, "its processes are gone"};
    } else {
      answer.phase = waiting.count(token) ? JobStatus::Phase::kWaiting : JobStatus::Phase::kAbsent;
    }
  }
  return answers;
}

void LocalScheduler::cancel(const std::vector<std::string>& tokens) {
  const auto waiting = entries(folder_ / "waiting");
  for (const auto& token : tokens) {
    const auto found = waiting.find(token);
    if (found == waiting.end()) continue;
    const fs::path ended = folder_ / "ended" / found->second.filename();
    // The rename takes it from the queue, or the queue was quicker.
    if (std::rename(found->second.c_str(), ended.c_str()) == 0) disk().write(ended, "cancelled\n");
  }
  const auto running = entries(folder_ / "running");
  for (const auto& token : tokens) {
    const auto found = running.find(token);
    if (found == running.end() || !locked(found->second)) continue;
    const auto pid =
        parse_integer(trim(disk().read(folder_ / "pids" / found->second.filename()).value_or("")));
    if (pid && *pid > 1) ::kill(static_cast<pid_t>(-*pid), SIGTERM);
  }
}

fs::path default_machine_lock() {
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime)
    return fs::path(runtime) / "pippin.lock";
  return fs::temp_directory_path() / fmt::format("pippin-{}.lock", ::getuid());
}

}  // namespace pippin
