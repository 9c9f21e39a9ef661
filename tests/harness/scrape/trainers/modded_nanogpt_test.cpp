#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("modded-nanogpt prints how long it has trained: steps are differences") {
  const LogRun run = only_run(excerpt("modded-nanogpt.log"));
  CHECK(run.point.trainer == "modded-nanogpt");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15});
  // At step 4 the timer was set to 0; what was waited for at the end of step 6 is of no step.
  CHECK(times_of(run) ==
        std::vector<double>{17608, 292, 119, 124, 124, 122, 18, 123, 128, 123, 123});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5});
  CHECK(run.planned_iterations == 15);
  CHECK(run.end == RunState::kOk);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_allocated_mib == 37653);
  CHECK(run.memory[0].max_reserved_mib == 39236);
}

TEST_CASE("modded-nanogpt's steps without a mean, and those after a validation, are no samples") {
  const LogRun run = only_run(excerpt("modded-nanogpt.log"));
  const unsigned early = kFirst | kAfterEvaluation;
  CHECK(flags_of(run) == std::vector<unsigned>{early, early, early, kFirst, 0, 0, kAfterEvaluation,
                                               kAfterEvaluation, kAfterEvaluation, 0,
                                               kIntervalMean});
}

TEST_CASE("where modded-nanogpt prints only validations, its steps are means between them") {
  const LogRun run = only_run(
      "Running PyTorch 2.11.0+cu128 compiled for CUDA 12.8 on NVIDIA H100 80GB HBM3 with "
      "world_size 8\n"
      "step:0/3350 val_loss:10.82584 train_time:0.001s step_avg:nanms\n"
      "step:125/3350 val_loss:4.66393 train_time:22.870s step_avg:182.95ms\n"
      "step:250/3350 val_loss:4.12440 train_time:41.354s step_avg:147.87ms\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{125, 250});
  CHECK(times_of(run).at(1) == Approx((41354.0 - 22870.0) / 125));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{125, 125});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(run.resolution_ms == Approx(1.0 / 125));
  CHECK(run.point.layout.gpus == 8);
}

TEST_CASE("a log of modded-nanogpt that begins in its midst has no time for its first line") {
  const LogRun run = only_run(
      "step:461/1393 train_loss:3.9 train_time:57231ms step_avg:126.89ms\n"
      "step:462/1393 train_loss:nan train_time:57358ms step_avg:126.90ms\n"
      "step:463/1393 train_loss:3.9 train_time:574");
  CHECK(steps_of(run) == std::vector<std::int64_t>{462});
  CHECK(times_of(run) == std::vector<double>{127});
  CHECK(run.nan_from == 462);
}

TEST_CASE("modded-nanogpt's own source alone is no log") {
  const std::string log = excerpt("modded-nanogpt.log");
  CHECK(scrape(log.substr(0, log.find("=====")) +
               "# step:1393/1393 train_time:179392ms step_avg:129.71ms\n")
            .empty());
}

TEST_CASE("a second modded-nanogpt in a log is another launch") {
  const std::string log = excerpt("modded-nanogpt.log");
  const auto runs = scrape(log + log);
  REQUIRE(runs.size() == 2);
  CHECK(times_of(runs[1]) == times_of(runs[0]));
}
