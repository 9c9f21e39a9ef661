// SPDX-License-Identifier: Apache-2.0
// What a scheduler takes, and what it says where it takes no more.
#include "harness/campaign/machine.h"
#include "tests/harness/campaign/swallowed.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::BlackHole;
using test::kLost;
using test::kUnsubmitted;
using test::kWaiting;
using test::machine_on;
using test::one_run;

TEST_CASE("why not all is handed over is kept for who looks, until all is") {
  test::MemoryFiles files;
  SweepFolder folder(files, "/s");
  BlackHole hole;
  hole.most_tasks = 0;
  std::int64_t now = 1000;
  MachineOptions options;
  options.now = [&] { return now; };
  auto machine = machine_on(files, hole, one_run(), options);
  hole.most_tasks = 1;
  hole.live = 1;
  machine.step();
  CHECK(folder.held_back() == "full");
  hole.live = 0;
  now += 600;
  machine.step();
  CHECK(folder.held_back().empty());
}

TEST_CASE("what the scheduler refuses for good is an error, and kept for who looks") {
  test::MemoryFiles files;
  SweepFolder folder(files, "/s");
  BlackHole hole;
  hole.answer = Handed::Answer::kRefused;
  hole.phase = JobStatus::Phase::kRunning;
  auto machine = machine_on(files, hole, one_run());
  CHECK_THROWS_WITH(machine.step(), Catch::Contains("job-s1: 1; see /s/jobs/job-s1/job.sh"));
  CHECK(folder.held_back() == "job-s1: 1; see /s/jobs/job-s1/job.sh");
  hole.is_shut = true;
  hole.answer = Handed::Answer::kNoRoom;
  CHECK_THROWS_WITH(machine.step(), "MaxSubmitJobs is 0: 1");
  CHECK(folder.held_back() == "MaxSubmitJobs is 0: 1");
  hole.answer = Handed::Answer::kTaken;  // it does not hold for these jobs after all
  machine.step();
  CHECK(folder.held_back().empty());
  CHECK(machine.counts() == kWaiting);
}

TEST_CASE("where a limit is 0, what runs already is waited for") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  Campaign two = one_run();
  two.jobs.push_back({"later", 2, 2, {{"run-a2", "p", 1, 1}}});
  hole.most_tasks = 1;
  MachineOptions options;
  std::int64_t now = 1000;
  options.now = [&] { return now; };
  auto machine = machine_on(files, hole, two, options);
  machine.step();
  hole.is_shut = true;
  now += 600;
  machine.step();
  CHECK(machine.held_back() == "MaxSubmitJobs is 0");
}

TEST_CASE("room that is refused leaves a run as it was, and is asked for later and later") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kNoRoom;
  std::int64_t now = 1000;
  MachineOptions options;
  options.now = [&] { return now; };
  auto machine = machine_on(files, hole, one_run(), options);
  for (int i = 0; i < 5; ++i) CHECK(machine.step() == kUnsubmitted);
  CHECK(machine.held_back() == "1");
  CHECK(hole.tokens.size() == 1);  // each leaves a folder
  for (const std::int64_t wait_s : {10, 20, 40}) {
    now += wait_s - 1;
    const std::size_t tries = hole.tokens.size();
    machine.step();
    CHECK(hole.tokens.size() == tries);
    ++now;
    machine.step();
    CHECK(hole.tokens.size() == tries + 1);
  }
  hole.answer = Handed::Answer::kTaken;
  now += 600;
  for (int i = 0; i < 10; ++i) machine.step();
  CHECK(hole.tokens.size() == 4 + 3);  // the first job that arrived, and two retries
  CHECK(machine.counts() == kLost);
}

TEST_CASE("beside jobs that wait or run more room is asked for when one of them has ended") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  Campaign campaign;
  campaign.sweep = "s";
  for (const char* name : {"a", "b", "c"})
    campaign.jobs.push_back({name, 1, 1, {{std::string(name) + "-a1", "p", 1, 1}}});
  hole.most_tasks = 2;
  std::int64_t now = 1000;
  MachineOptions options;
  options.now = [&] { return now; };
  auto machine = machine_on(files, hole, campaign, options);
  machine.step();  // all three, one, one, and again one
  CHECK(machine.counts().waiting == 2);
  CHECK(machine.counts().unsubmitted == 1);
  const std::size_t tries = hole.tokens.size();
  for (int i = 0; i < 5; ++i) machine.step();
  CHECK(hole.tokens.size() == tries);
  test::leave(files, "a-a1", "2-1-0", 0);
  --hole.live;
  machine.step();
  CHECK(machine.counts().unsubmitted == 0);
  CHECK(hole.tokens.size() == tries + 1);
}
