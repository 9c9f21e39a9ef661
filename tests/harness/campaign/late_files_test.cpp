// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/campaign/swallowed.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::BlackHole;
using test::kLost;
using test::kWaiting;

namespace {

constexpr std::int64_t kBegin = 1000, kLate_s = 120;

/// One run, whose job came to its end and left nothing that is seen.
struct Silent {
  explicit Silent(End end = End::kCompleted) {
    slurm.end = end;
    campaign.files_late_s = kLate_s;
  }
  CampaignMachine machine() {
    MachineOptions options;
    options.retries = 0;
    options.view = "boot/27";
    options.now = [this] { return now; };
    return test::machine_on(files, slurm, campaign, options);
  }
  /// Of a job of the first submission, which has not begun its run.
  void claim(const std::string& words, const std::string& job = "1-0") {
    files.write("/s/run-a1/1-" + job + "/run", "pippin: claim " + words + "\n");
  }

  test::MemoryFiles files;
  BlackHole slurm;
  Campaign campaign = test::one_run();
  std::int64_t now = kBegin;
};

}  // namespace

TEST_CASE("a job that ended and left nothing is waited for as long as its files may be late") {
  const auto end = GENERATE(End::kCompleted, End::kUnknown, End::kInfrastructure, End::kLimit);
  Silent silent(end);
  auto machine = silent.machine();
  machine.step();  // hands over
  CHECK(machine.step() == kWaiting);
  CHECK(machine.waits_for_files_s(machine.submissions().front(), 0) == kLate_s);
  silent.now += kLate_s - 1;
  CHECK(machine.step() == kWaiting);
  CHECK(machine.waits_for_files_s(machine.submissions().front(), 0) == 1);
  ++silent.now;
  CHECK(machine.step() == kLost);
  CHECK_FALSE(machine.waits_for_files_s(machine.submissions().front(), 0));
  CHECK(silent.slurm.tokens.size() == 1);
}

TEST_CASE("who goes on waits as long as the first who heard of the end") {
  Silent silent;
  auto first = silent.machine();
  first.step();
  first.step();
  silent.now += kLate_s - 1;
  auto second = silent.machine();
  CHECK(second.step() == kWaiting);
  ++silent.now;
  CHECK(second.step() == kLost);
}

TEST_CASE("who only looks leaves no note of an end") {
  Silent silent;
  silent.machine().step();
  auto machine = silent.machine();
  CHECK(machine.observe() == kWaiting);
  CHECK(machine.waits_for_files_s(machine.submissions().front(), 0) == kLate_s);
  CHECK_FALSE(silent.files.exists("/s/jobs/job-s1/ending"));
}

TEST_CASE("a result that comes late counts, and nothing is handed over again") {
  const auto exit_code = GENERATE(0, 1);
  const auto delay_s = GENERATE(kLate_s - 1, 10 * kLate_s);  // while it is waited for; long after
  Silent silent;
  auto machine = silent.machine();
  for (int i = 0; i < 3; ++i) machine.step();
  silent.now += delay_s;
  machine.step();
  test::leave(silent.files, "run-a1", "1-1-0", exit_code);
  const RunCounts counts = machine.step();
  CHECK((exit_code == 0 ? counts.succeeded : counts.failed) == 1);
  CHECK(counts.finished());
  CHECK(silent.slurm.tokens.size() == 1);
}

TEST_CASE("a failure that comes late is its node's where that died") {
  Silent silent(End::kInfrastructure);
  auto machine = silent.machine();
  machine.step();
  machine.step();
  silent.now += kLate_s;
  CHECK(machine.step() == kLost);
  test::leave(silent.files, "run-a1", "1-1-0", 1);
  CHECK(machine.step() == kLost);
}

TEST_CASE("a job that wrote through this machine's own mount is not waited for") {
  Silent silent;
  auto machine = silent.machine();
  machine.step();
  silent.claim("host=n1 task=1 view=boot/27");
  CHECK(machine.step() == kLost);
}

TEST_CASE("a job that does not say how it wrote, or wrote otherwise, is waited for") {
  const std::string owner =
      GENERATE("", "host=n1", "host=n1 task=1 view=", "host=n1 task=1 view=boot/28",
               "host=n1 task=2 view=boot/27");
  Silent silent;
  auto machine = silent.machine();
  machine.step();
  silent.claim(owner);
  CHECK(machine.step() == kWaiting);
}

TEST_CASE("a job that was begun again elsewhere is waited for, though it began here") {
  Silent silent;
  auto machine = silent.machine();
  machine.step();
  silent.claim("host=n1 task=1 view=boot/27");
  silent.claim("host=n2 task=1 view=other/27", "1-1");
  CHECK(machine.step() == kWaiting);
}

TEST_CASE("who cancels does not wait for files, and takes what comes of them later") {
  Silent silent(End::kUser);
  auto machine = silent.machine();
  machine.step();
  CHECK(machine.step().cancelled == 1);
  test::leave(silent.files, "run-a1", "1-1-0", 0);
  CHECK(machine.step().succeeded == 1);
}

TEST_CASE("what is begun again after its end was heard of is no longer waited for") {
  Silent silent(End::kInfrastructure);
  auto machine = silent.machine();
  machine.step();
  machine.step();
  silent.slurm.phase = JobStatus::Phase::kWaiting;
  machine.step();
  CHECK_FALSE(machine.waits_for_files_s(machine.submissions().front(), 0));
  silent.now += kLate_s;
  silent.slurm.phase = JobStatus::Phase::kEnded;
  CHECK(machine.step() == kWaiting);
}

namespace {

/// Its jobs are neither there nor known to have ended.
struct Missing : Scheduler {
  Handed submit(const JobRequest&) override { return {Handed::Answer::kTaken, "7"}; }
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    std::map<std::string, std::vector<JobStatus>> answers;
    for (const Asked& one : asked) {
      missed_s = one.missed_s;
      JobStatus status;
      status.missed = is_missing && !has_ended;
      if (has_ended) status.phase = JobStatus::Phase::kEnded;
      if (!is_missing) status.phase = JobStatus::Phase::kRunning;
      answers[one.token] = {status};
    }
    return answers;
  }
  void cancel(const std::vector<Asked>&) override {}
  Room room() override { return {}; }

  bool is_missing = true, has_ended = false;
  std::map<std::int64_t, std::int64_t> missed_s;  ///< as it was told last
};

using Seconds = std::map<std::int64_t, std::int64_t>;

/// One job that is missed.
struct Lasting {
  /// What a new machine tells the scheduler, and then notes.
  Seconds look(const std::string& host = "login1") {
    MachineOptions options;
    options.host = host;
    options.now = [this] { return now; };
    test::machine_on(files, slurm, campaign, options).step();
    return slurm.missed_s;
  }

  test::MemoryFiles files;
  Missing slurm;
  Campaign campaign = test::one_run();
  std::int64_t now = kBegin;
};

}  // namespace

TEST_CASE("for how long a job is missed is kept for whoever asks next on this machine") {
  Lasting job;
  job.campaign.files_late_s = kLate_s;
  job.look();  // hands over
  CHECK(job.look().empty());
  job.now += 40;
  CHECK(job.look() == Seconds{{1, 40}});
  job.now += 500;
  CHECK(job.look() == Seconds{{1, 540}});
  job.slurm.has_ended = true;  // and its files may be late
  job.look();
  CHECK(job.look() == Seconds{{1, 540}});
  job.slurm.has_ended = false;
  CHECK(job.look("login2").empty());  // which has another clock, and counts for itself
  job.now += 5;
  CHECK(job.look("login2") == Seconds{{1, 5}});
}

TEST_CASE("what was seen again, or not looked for for long, has not been missed since") {
  Lasting job;
  job.look();
  job.look();
  job.now += 601;
  CHECK(job.look().empty());
  job.now += 30;
  CHECK(job.look() == Seconds{{1, 30}});
  job.now -= 500;  // the clock is set right
  CHECK(job.look().empty());
  job.now += 20;
  CHECK(job.look() == Seconds{{1, 20}});
  job.slurm.is_missing = false;
  job.look();
  job.slurm.is_missing = true;
  CHECK(job.look().empty());
}

TEST_CASE(
    "a run whose result is kept elsewhere is not measured again, though nothing of it is left") {
  Silent silent;
  MachineOptions options;
  options.now = [&] { return silent.now; };
  options.is_stored = [](const std::string& run) { return run == "run-a1"; };
  auto machine = test::machine_on(silent.files, silent.slurm, silent.campaign, options);
  const RunCounts counts = machine.step();
  CHECK(counts.succeeded == 1);
  CHECK(counts.finished());
  CHECK(machine.fate("run-a1").stored);
  CHECK(silent.slurm.tokens.empty());
}

TEST_CASE("a result in which somebody has found a fault counts no more, wherever it is kept") {
  Silent silent;
  MachineOptions options;
  options.now = [&] { return silent.now; };
  options.is_stored = [](const std::string&) { return true; };
  auto machine = test::machine_on(silent.files, silent.slurm, silent.campaign, options);
  machine.take_as_failed("run-a1");
  machine.distrust("run-a1");
  CHECK(machine.fate("run-a1").phase == RunPhase::kUnsubmitted);
}

TEST_CASE("nor is one whose job has ended and left nothing") {
  Silent silent(End::kInfrastructure);
  silent.campaign.files_late_s = 0;
  bool is_stored = false;
  MachineOptions options;
  options.now = [&] { return silent.now; };
  options.is_stored = [&](const std::string&) { return is_stored; };
  auto machine = test::machine_on(silent.files, silent.slurm, silent.campaign, options);
  machine.step();  // hands over
  is_stored = true;
  CHECK(machine.step().succeeded == 1);
  CHECK(silent.slurm.tokens.size() == 1);
}
