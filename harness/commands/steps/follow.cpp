// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/follow.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <random>
#include <unistd.h>

#include "core/base/text.h"
#include "harness/commands/steps/bad_node_words.h"

namespace pippin {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLocalShortest_s = 0.1, kLocalLongest_s = 1, kSlurmShortest_s = 1,
                 kSlurmLongest_s = 5, kPollGrowth = 6;

std::atomic<bool> was_interrupted{false};

void stop(int signal) {
  was_interrupted = true;
  std::signal(signal, SIG_DFL);
}

double seconds_since(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

/// Many who watch do not ask in step.
double with_jitter(double seconds) {
  static std::minstd_rand random{std::random_device{}()};
  constexpr double kJitter = 0.1;
  return seconds * std::uniform_real_distribution<>(1 - kJitter, 1 + kJitter)(random);
}

/// Says things once.
class Remarks {
 public:
  explicit Remarks(const Globals& globals) : globals_(globals) {}
  void say(ProgressDisplay& display, const std::string& line) {
    if (line == last_) return;
    last_ = line;
    say_now(display, printable(line));
  }
  void say_now(ProgressDisplay& display, const std::string& lines) {
    if (lines.empty()) return;
    if (!globals_.quiet) write_error(display.finish());
    for (std::string_view line : split(lines, '\n')) remark(globals_, std::string(line));
  }

 private:
  const Globals& globals_;
  std::string last_;
};

/// Jobs that will not start by themselves, whoever waits for them.
std::string stuck_jobs(const CampaignMachine& machine) {
  for (const auto& state : machine.submissions()) {
    if (state.over()) continue;
    for (std::size_t i = 0; i < state.tasks.size(); ++i) {
      const JobStatus& task = state.tasks[i];
      if (!state.settled[i] && task.phase == JobStatus::Phase::kWaiting && !task.remedy.empty())
        return fmt::format("{} does not start: {}; {}", state.submission.name, task.evidence,
                           task.remedy);
    }
  }
  return "";
}

/// Why the scheduler tells nothing, where it does not, or why this machine runs nothing of ours;
/// else what holds back jobs, or what is due.
std::string trouble_of(const CampaignMachine& machine) {
  using Phase = JobStatus::Phase;
  const bool is_here = machine.campaign().scheduler == "local";
  for (const auto& state : machine.submissions()) {
    if (state.over()) continue;
    for (const auto& task : state.tasks) {
      const bool tells =
          task.phase == Phase::kUnknown || (is_here && task.phase == Phase::kWaiting);
      if (tells && !task.evidence.empty()) return task.evidence;
    }
  }
  if (machine.has_given_up() && !machine.counts().finished())
    return "no more is launched: " + text_of(*machine.given_up());
  if (std::string stuck = stuck_jobs(machine); !stuck.empty()) return stuck;
  const std::string& held_back = machine.held_back();
  return held_back.empty() ? "" : fmt::format("not all is submitted yet: {}", held_back);
}

}  // namespace

Interruptible::Interruptible() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  // A terminal that goes away; nohup has it ignored.
  if (std::signal(SIGHUP, stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

Interruptible::~Interruptible() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

bool Interruptible::interrupted() { return was_interrupted; }

void Interruptible::pause(double seconds) {
  constexpr double kMillisecond = 1e-3;
  if (!was_interrupted) ::poll(nullptr, 0, static_cast<int>(std::ceil(seconds / kMillisecond)));
}

/// What failed on a node that was found bad later is run again.
void Follower::forget_what_goes_on() {
  std::erase_if(recorded_, [&](const auto& entry) {
    const TrackedRun* run = session_.machine().find(entry.first);
    const bool goes_on = run && !entry.second && run->fate.phase != RunPhase::kDone &&
                         run->fate.phase != RunPhase::kLost && run->fate.phase != RunPhase::kLeft;
    if (!goes_on) return false;
    if (session_.is_wanted(*run->planned)) --not_ok_;
    std::erase(lost_, run->planned);
    return true;
  });
}

void Follower::record() {
  forget_what_goes_on();
  for (const auto& job : session_.campaign().jobs) {
    for (const auto& run : job.runs) record(job, run);
  }
  batch_.store();
}

void Follower::find_failures() {
  CampaignMachine& machine = session_.machine();
  for (const auto& job : session_.campaign().jobs) {
    for (const auto& run : job.runs) {
      const auto taken = batch_.add(job, run, machine.fate(run.name));
      if (taken.state.value_or(RunState::kOk) != RunState::kOk) machine.take_as_failed(run.name);
    }
  }
  batch_.store();
  fail_for_troubles();
}

void Follower::fail_for_troubles() const { pippin::fail_for_troubles(batch_.troubles()); }

void Follower::record(const PlannedJob& job, const PlannedRun& run) {
  const RunFate& fate = session_.machine().fate(run.name);
  const bool lost = fate.phase == RunPhase::kLost;
  if (fate.phase != RunPhase::kLeft && !lost && !(fate.phase == RunPhase::kDone && fate.certain))
    return;
  if (recorded_.count(run.name)) return;
  if (fate.stored) {
    recorded_[run.name] = true;
    return;
  }
  const auto taken = batch_.add(job, run, fate);
  if (!taken.state && !taken.in_trouble) return session_.machine().distrust(run.name);
  recorded_[run.name] = taken.in_trouble || taken.state == RunState::kOk;
  if (taken.in_trouble || !session_.is_wanted(run)) return;
  if (*taken.state != RunState::kOk) {
    ++not_ok_;
    session_.machine().take_as_failed(run.name);
  }
  if (lost) lost_.push_back(&run);
}

Progress progress_of(const RunCounts& counts, std::size_t earlier, double elapsed_s) {
  Progress progress;
  progress.total = static_cast<std::size_t>(counts.total());
  progress.failed = static_cast<std::size_t>(counts.failed);
  progress.lost = static_cast<std::size_t>(counts.lost - counts.let_be);
  progress.let_be = static_cast<std::size_t>(counts.let_be);
  progress.cancelled = static_cast<std::size_t>(counts.cancelled);
  progress.done = static_cast<std::size_t>(counts.succeeded) + progress.failed;
  progress.running = static_cast<std::size_t>(counts.running);
  progress.earlier = earlier;
  progress.elapsed_s = elapsed_s;
  return progress;
}

namespace {

/// What the step found out before it failed is kept.
RunCounts step(CampaignMachine& machine, Follower& follower) {
  try {
    return machine.step();
  } catch (const Error&) {
    follower.record();
    throw;
  }
}

}  // namespace

RunCounts follow(const Globals& globals, Session& session, Follower& follower, Notifier& notifier,
                 double poll_s) {
  const Interruptible interruptible;
  const std::size_t width = terminal_width(STDERR_FILENO);
  ProgressDisplay display(width > 0, width);
  Remarks remarks(globals);
  BadNodeRemarks bad_nodes;
  const bool local = session.campaign().scheduler == "local";
  PollPace looks =
      local ? PollPace(kLocalShortest_s, kLocalLongest_s)
            : PollPace(std::min(kSlurmShortest_s, poll_s), std::min(kSlurmLongest_s, poll_s));
  PollPace questions = local ? looks : PollPace(poll_s, poll_s * kPollGrowth);
  const auto since = Clock::now();
  auto asked = Clock::now();
  CampaignMachine& machine = session.machine();
  RunCounts counts = step(machine, follower);
  const std::size_t earlier = progress_of(counts, 0, 0).done;
  try {
    while (!Interruptible::interrupted()) {
      follower.record();
      const RunCounts now = machine.counts();  // a torn marker reopens its run
      now == counts ? looks.unchanged() : looks.changed();
      counts = now;
      remarks.say_now(display, bad_nodes.news(machine, session.scheduler().excludes_nodes()));
      remarks.say(display, trouble_of(machine));
      if (!globals.quiet)
        write_error(display.update(progress_of(counts, earlier, seconds_since(since))));
      notifier.look(counts);
      if (counts.finished()) break;
      Interruptible::pause(looks.seconds());
      if (!local && seconds_since(asked) < with_jitter(questions.seconds())) {
        machine.look();
        continue;
      }
      asked = Clock::now();
      step(machine, follower) == counts ? questions.unchanged() : questions.changed();
    }
  } catch (...) {
    if (!globals.quiet) write_error(display.finish());
    throw;
  }
  if (!globals.quiet) write_error(display.finish());
  return counts;
}

}  // namespace pippin
