// SPDX-License-Identifier: Apache-2.0
// What logs tell of checkpoints that were saved and loaded.
#include <optional>
#include <string>
#include <vector>

#include "harness/scrape/checkpoints_seen.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

constexpr auto kSave = CheckpointKind::kSave;
constexpr auto kLoad = CheckpointKind::kLoad;

std::vector<Checkpoint> checkpoints_of(const std::string& log) { return only_run(log).checkpoints; }

const std::string kSaving = "saving checkpoint at iteration       2 to /x/y\n";
const std::string kSaved = "  successfully saved checkpoint at iteration       2 to /x/y\n";

}  // namespace

TEST_CASE("a checkpoint of Megatron's takes what its timer says") {
  const auto made = checkpoints_of(row(1, 100) + row(2, 100) + kSaving + kSaved +
                                   "time (ms) | save-checkpoint: 57514.53\n" + row(3, 100));
  REQUIRE(made.size() == 1);
  CHECK(made[0].kind == kSave);
  CHECK(made[0].state == CheckpointState::kDone);
  CHECK(made[0].step == 2);
  CHECK(made[0].seconds == 57.51453);
  CHECK_FALSE(made[0].derived);
  CHECK(made[0].path == "/x/y");
}

TEST_CASE("of the lowest and highest time of a timer the slowest rank's counts") {
  const auto made = checkpoints_of(row(1, 100) + row(2, 100) + kSaving + kSaved +
                                   "(min, max) time across ranks (ms):\n    save-checkpoint "
                                   "................................: (1838.50, 1839.44)\n" +
                                   row(3, 100));
  REQUIRE(made.size() == 1);
  CHECK(made[0].seconds == 1.83944);
}

TEST_CASE("a checkpoint that every rank tells of is one") {
  std::string log = row(1, 100) + row(2, 100);
  for (int rank = 0; rank < 4; ++rank) log += "[rank" + std::to_string(rank) + "]: " + kSaving;
  for (int rank = 0; rank < 4; ++rank) log += "[rank" + std::to_string(rank) + "]: " + kSaved;
  CHECK(checkpoints_of(log + row(3, 100)).size() == 1);
}

TEST_CASE("what became of a checkpoint is what the log says behind it") {
  const std::string steps = row(1, 100) + row(2, 100);
  const auto state = [&](const std::string& rest) {
    const auto made = checkpoints_of(steps + kSaving + rest);
    REQUIRE(made.size() == 1);
    CHECK_FALSE(made[0].seconds);
    return made[0].state;
  };
  CHECK(state("") == CheckpointState::kUnfinished);
  CHECK(state(kSaved) == CheckpointState::kDone);
  CHECK(state(row(3, 100)) == CheckpointState::kBegun);
  CHECK(state("OSError: [Errno 28] No space left on device\n") == CheckpointState::kFailed);
  CHECK(state("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2021-05-27T21:52:36 DUE TO TIME "
              "LIMIT ***\n") == CheckpointState::kUnfinished);
}

TEST_CASE("a checkpoint that is loaded is not one that is saved") {
  const auto made = checkpoints_of(
      " loading checkpoint from /x at iteration 1000\n"
      "  successfully loaded checkpoint from /x at iteration 1000\n"
      "time (ms) | load-checkpoint: 2500.00\n" +
      row(1001, 100) + row(1002, 100) + "saving checkpoint at iteration 1002 to /x\n" +
      row(1003, 100));
  REQUIRE(made.size() == 2);
  CHECK(made[0].kind == kLoad);
  CHECK(made[0].step == 1000);
  CHECK(made[0].seconds == 2.5);
  CHECK(made[1].kind == kSave);
  CHECK(made[1].step == 1002);
}

TEST_CASE("training goes on beside a checkpoint that is only scheduled") {
  const auto made = checkpoints_of(
      row(1, 100) + row(2, 100) + "saving checkpoint at iteration       2 to /x\n" +
      "  scheduled an async checkpoint save at iteration       2 to /x\n" + row(3, 100) +
      "  successfully saved checkpoint from iteration       2 to /x\n" + row(4, 100));
  REQUIRE(made.size() == 1);
  CHECK(made[0].asynchronous == true);
  CHECK(made[0].state == CheckpointState::kDone);
}

TEST_CASE("quoted lines are no checkpoints") {
  CHECK(checkpoints_of(row(1, 100) + "print('saving checkpoint at iteration 2 to /x')\n" +
                       row(2, 100))
            .empty());
}

TEST_CASE("each trainer says in its own words what was saved") {
  struct Case {
    std::string log;
    Count step;
    std::optional<bool> asynchronous;
    CheckpointState state;
    std::optional<double> seconds;
  };
  const auto cases = std::vector<Case>{
      {"huggingface.log", {}, {}, CheckpointState::kBegun, {}},
      {"lingua.log", 20, {}, CheckpointState::kBegun, {}},
      {"maxtext.log", 7, true, CheckpointState::kBegun, {}},
      {"megatron.log", 3, {}, CheckpointState::kDone, {}},
      {"nanogpt.log", {}, {}, CheckpointState::kBegun, {}},
      {"nanotron.log", 327283, {}, CheckpointState::kBegun, {}},
      {"olmo-core.log", 20, {}, CheckpointState::kBegun, {}},
      {"verl.log", 3, {}, CheckpointState::kDone, 12.5},
  };
  for (const auto& c : cases) {
    CAPTURE(c.log);
    const auto made = checkpoints_of(excerpt(c.log));
    REQUIRE(made.size() == 1);
    CHECK(made[0].kind == kSave);
    CHECK(made[0].step == c.step);
    CHECK(made[0].asynchronous == c.asynchronous);
    CHECK(made[0].state == c.state);
    CHECK(made[0].seconds == c.seconds);
  }
}

TEST_CASE("torchtitan says how long its checkpoints took") {
  const std::string prefix = "[rank0]:2025-01-20 10:10:0";
  const std::string titan = " - root - INFO - ";
  std::string log = excerpt("torchtitan.log");
  log += prefix + "7" + titan + "Saving the checkpoint (or staging if async is enabled).\n" +
         prefix + "9" + titan +
         "Finished saving the checkpoint (or staging if async is enabled)in 2.35 seconds.\n";
  const auto made = checkpoints_of(log);
  REQUIRE(made.size() == 1);
  CHECK(made[0].seconds == 2.35);
  CHECK(made[0].state == CheckpointState::kDone);
}

TEST_CASE("the step that a path names is a checkpoint's") {
  CHECK(step_in_path("/x/checkpoint-50") == 50);
  CHECK(step_in_path("ckpt/step-00050/model.pth") == 50);
  CHECK(step_in_path("checkpoints/50") == 50);
  CHECK(step_in_path("/out/iter_0001000/") == 1000);
  CHECK_FALSE(step_in_path("/out/gpt2"));
  CHECK_FALSE(step_in_path("/runs/2024"));
  CHECK_FALSE(step_in_path(""));
}
