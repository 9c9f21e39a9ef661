// SPDX-License-Identifier: Apache-2.0
// What a job that has ended says of runs that it did not finish.
#include "harness/campaign/machine.h"
#include "tests/harness/campaign/swallowed.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::BlackHole;
using test::kLost;
using test::leave;
using test::machine_on;
using test::one_run;
using test::runs_of;

TEST_CASE("a job that ended well and left no result is not what its run is called") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kCompleted;
  MachineOptions options;
  options.retries = 0;
  auto machine = machine_on(files, hole, one_run(), options);
  for (int i = 0; i < 3; ++i) machine.step();
  CHECK(machine.counts() == kLost);
  CHECK(machine.fate("run-a1").evidence ==
        "its job ended well (swallowed) and left no result; is the disk full? see "
        "/s/jobs/job-s1/job*.log");
}

TEST_CASE("a job that saw that it was cancelled is cancelled, whatever it exits with") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kWaiting;
  auto machine = machine_on(files, hole);
  machine.step();
  machine.cancel();
  hole.phase = JobStatus::Phase::kEnded;
  hole.end = End::kCompleted;
  CHECK(machine.step().cancelled == 1);
  CHECK(machine.fate("run-a1").evidence == "cancelled");
  CHECK(machine.fate("run-a1").end == End::kUser);
}

TEST_CASE("of a job that Slurm ended for its memory the run that was killed says so") {
  const int exit_code = GENERATE(137, 1);
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  hole.words = "OUT_OF_MEMORY 0:125 on n1";
  hole.end = End::kLimit;
  auto machine = machine_on(files, hole, runs_of({"a", "b"}));
  machine.step();
  leave(files, "a", "1-7-0", 1);
  leave(files, "b", "1-7-0", exit_code);
  hole.phase = JobStatus::Phase::kEnded;
  for (int i = 0; i < 2; ++i) machine.step();
  CHECK(machine.counts().failed == 2);
  CHECK(machine.counts().finished());
  CHECK_FALSE(machine.fate("a").end);
  CHECK((machine.fate("b").end == End::kLimit) == (exit_code == 137));
  CHECK(machine.fate("b").evidence == (exit_code == 137 ? hole.words : ""));
}

TEST_CASE("a run whose job's prolog failed is lost with the line that did") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kApplication;
  hole.words = "FAILED 1:0 on n1";
  auto machine = machine_on(files, hole);
  machine.step();
  files.write("/s/run-a1/1-7-0/run",
              "pippin: claim task=1\npippin: fault=the prolog's line 'module load x' exits 1\n");
  CHECK(machine.step() == kLost);
  const std::string words = "FAILED 1:0 on n1: the prolog's line 'module load x' exits 1";
  CHECK(machine.fate("run-a1").evidence == words);
  CHECK(SweepFolder(files, "/s").submissions().at(0).ended.at(1).evidence == words);
}

TEST_CASE("a script that fails before its first run is tried again by who comes later only") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kApplication;
  auto machine = machine_on(files, hole);
  for (int i = 0; i < 5; ++i) machine.step();
  CHECK(machine.counts() == kLost);
  CHECK(hole.tokens.size() == 1);
  auto later = machine_on(files, hole);
  for (int i = 0; i < 5; ++i) later.step();
  CHECK(later.counts() == kLost);
  CHECK(hole.tokens.size() == 2);
}

TEST_CASE("a script that fails behind a run that is done is tried again for the others") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kApplication;
  auto machine = machine_on(files, hole, runs_of({"a", "b"}));
  machine.step();
  leave(files, "a", "1-7-0", 0);
  machine.step();
  CHECK(hole.tokens.size() == 2);
  CHECK(machine.counts() == RunCounts{0, 1, 0, 1, 0, 0, 0, 0});
}

TEST_CASE("a run that had all of its job's time and did not end is not run again") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kLimit;
  auto machine = machine_on(files, hole);
  machine.step();
  leave(files, "run-a1", "1-7-0", std::nullopt);
  CHECK(machine.step() == kLost);
  CHECK(machine.fate("run-a1").end == End::kLimit);
  CHECK(hole.tokens.size() == 1);
}

TEST_CASE("a run that began when others had used up its job's time gets a job of its own") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kLimit;
  auto machine = machine_on(files, hole, runs_of({"a", "b"}));
  machine.step();
  leave(files, "a", "1-7-0", 0);
  leave(files, "b", "1-7-0", std::nullopt);
  machine.step();
  CHECK(hole.tokens.size() == 2);
  leave(files, "b", "2-8-0", std::nullopt);
  CHECK(machine.step() == RunCounts{0, 0, 0, 1, 0, 1, 0, 0});
  CHECK(hole.tokens.size() == 2);
}

TEST_CASE("runs that wait behind others which run out of time are not lost for that") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kLimit;
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  auto machine = machine_on(files, hole, runs_of(names));
  machine.step();
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(hole.tokens.size() == i + 1);
    leave(files, names[i], std::to_string(i + 1) + "-7-0", std::nullopt);
    machine.step();
  }
  CHECK(machine.counts() == RunCounts{0, 0, 0, 0, 0, 6, 0, 0});
  for (const auto& name : names) CHECK(machine.fate(name).end == End::kLimit);
}

TEST_CASE("failures at the end of a job whose node died are run again, others are not") {
  test::MemoryFiles files;
  BlackHole hole;
  auto machine = machine_on(files, hole, runs_of({"a", "b", "c", "d"}));
  machine.step();
  leave(files, "a", "1-7-0", 1);
  leave(files, "b", "1-7-0", 0);
  leave(files, "c", "1-7-0", 1);
  hole.end = End::kInfrastructure;
  CHECK(machine.step() == RunCounts{0, 2, 0, 1, 1, 0, 0, 0});
}

TEST_CASE("a run that fails just before the end of each of its nodes has failed") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kInfrastructure;
  auto machine = machine_on(files, hole, runs_of({"a", "b"}));
  for (int i = 1; i <= 10; ++i) {
    machine.step();
    leave(files, "a", std::to_string(std::min(i, 3)) + "-7-0", 1);
  }
  CHECK(hole.tokens.size() == 3);
  CHECK(machine.step() == RunCounts{0, 0, 0, 0, 1, 1, 0, 0});
  CHECK(machine.fate("a").certain);
}

TEST_CASE("what a job was lost with comes last in the next one, so that the others are done") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.end = End::kInfrastructure;
  auto machine = machine_on(files, hole, runs_of({"a", "b", "c"}));
  machine.step();
  leave(files, "a", "1-7-0", std::nullopt);
  machine.step();
  const std::vector<std::string> next{"b", "c", "a"};
  REQUIRE(machine.submissions().size() == 2);
  CHECK(machine.submissions().back().submission.tasks.at(0).runs == next);
  leave(files, "b", "2-8-0", 0);
  leave(files, "c", "2-8-0", std::nullopt);
  machine.step();
  CHECK(machine.submissions().back().submission.tasks.at(0).runs ==
        std::vector<std::string>{"a", "c"});
}
