// SPDX-License-Identifier: Apache-2.0
// Runs that lost a rank.
#include "harness/campaign/machine.h"
#include "tests/harness/campaign/swallowed.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::BlackHole;
using test::kFailed;
using test::leave;
using test::machine_on;
using test::runs_of;

namespace {

/// What a probe leaves of a run of which a rank died.
void leave_lost_rank(test::MemoryFiles& files, const std::string& attempt,
                     const std::string& more = "") {
  leave(files, "run-a1", attempt, 15);
  files.write(fs::path("/s/run-a1") / attempt / "log",
              "training: rank 3 on node2 died: killed\n" + more);
}

/// A job that the scheduler has nothing against.
class CleanEnd : public BlackHole {
 public:
  CleanEnd() { end = End::kCompleted; }
};

}  // namespace

TEST_CASE("a run that lost a rank is run again though its job ended well") {
  test::MemoryFiles files;
  CleanEnd hole;
  auto machine = machine_on(files, hole);
  machine.step();
  leave_lost_rank(files, "1-7-0");
  hole.phase = JobStatus::Phase::kRunning;
  CHECK(machine.step().unsettled == 1);  // not before its job is over
  CHECK(hole.tokens.size() == 1);
  hole.phase = JobStatus::Phase::kEnded;
  machine.step();
  CHECK(hole.tokens.size() == 2);
  leave(files, "run-a1", "2-8-0", 0);
  CHECK(machine.step() == RunCounts{0, 0, 0, 1, 0, 0, 0, 0});
}

TEST_CASE("a run that loses a rank each time has failed after its tries") {
  test::MemoryFiles files;
  CleanEnd hole;
  auto machine = machine_on(files, hole);
  for (int i = 1; i <= 10; ++i) {
    machine.step();
    leave_lost_rank(files, std::to_string(std::min(i, 3)) + "-7-0");
  }
  CHECK(hole.tokens.size() == 3);
  CHECK(machine.step() == kFailed);
  CHECK(machine.counts().finished());
  auto later = machine_on(files, hole);
  CHECK(later.step() == kFailed);
  CHECK(later.fate("run-a1").certain);
  CHECK(hole.tokens.size() == 3);
}

TEST_CASE("what pippin died over is told from its files: a rank that was lost is tried again") {
  test::MemoryFiles files;
  CleanEnd hole;
  machine_on(files, hole).step();
  leave_lost_rank(files, "1-7-0");
  machine_on(files, hole).observe();
  machine_on(files, hole).step();
  CHECK(hole.tokens.size() == 2);
}

TEST_CASE("a rank that ran out of memory and the same exit code of others are failures") {
  for (const bool no_memory : {true, false}) {
    CAPTURE(no_memory);
    test::MemoryFiles files;
    CleanEnd hole;
    auto machine = machine_on(files, hole);
    machine.step();
    if (no_memory) {
      leave_lost_rank(files, "1-7-0", "training: out of memory (std::bad_alloc): tried …\n");
    } else {
      leave(files, "run-a1", "1-7-0", 15);
    }
    for (int i = 0; i < 3; ++i) machine.step();
    CHECK(machine.counts() == kFailed);
    CHECK(hole.tokens.size() == 1);
  }
}

TEST_CASE("a lost rank in the middle of a job is run again and the rest is done") {
  test::MemoryFiles files;
  CleanEnd hole;
  auto machine = machine_on(files, hole, runs_of({"good", "run-a1", "well"}));
  machine.step();
  leave(files, "good", "1-7-0", 0);
  leave_lost_rank(files, "1-7-0");
  leave(files, "well", "1-7-0", 0);
  machine.step();
  CHECK(machine.counts() == RunCounts{0, 1, 0, 2, 0, 0, 0, 0});
  CHECK(hole.tokens.size() == 2);
}

TEST_CASE("a lost rank of a job that was cancelled waits for who comes later") {
  test::MemoryFiles files;
  CleanEnd hole;
  hole.phase = JobStatus::Phase::kRunning;
  auto machine = machine_on(files, hole);
  machine.step();
  machine.cancel();
  leave_lost_rank(files, "1-7-0");
  hole.phase = JobStatus::Phase::kEnded;
  hole.end = End::kUser;
  CHECK(machine.step().cancelled == 1);
  CHECK(hole.tokens.size() == 1);
  machine_on(files, hole).step();
  CHECK(hole.tokens.size() == 2);
}
