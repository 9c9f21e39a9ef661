// SPDX-License-Identifier: Apache-2.0
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

namespace {

/// As openai/parameter-golf prints it.
constexpr const char* kCappedHeader =
    "world_size:8 grad_accum_steps:1\n"
    "train_batch_tokens:524288 train_seq_len:1024 iterations:20000 warmup_steps:20\n";
constexpr const char* kCappedSteps =
    "step:1/20000 train_loss:6.9357 train_time:24ms step_avg:24.34ms\n"
    "step:2/20000 train_loss:16.7414 train_time:68ms step_avg:33.76ms\n";
constexpr const char* kCappedStop =
    "stopping_early: wallclock_cap train_time:68ms step:2/20000\n"
    "peak memory allocated: 10184 MiB reserved: 10200 MiB\n";

}  // namespace

TEST_CASE("a fork of modded-nanogpt whose time is up has ended well, and of its own will") {
  const LogRun run = only_run(std::string(kCappedHeader) + kCappedSteps + kCappedStop);
  CHECK(run.end == RunState::kOk);
  CHECK(run.evidence.starts_with("stopping_early: wallclock_cap"));
  CHECK_FALSE(run.planned_iterations);
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2});
  const LogRun open = only_run(std::string(kCappedHeader) + kCappedSteps);
  CHECK_FALSE(open.end);
  CHECK(open.planned_iterations == 20000);
}

TEST_CASE("a fork of modded-nanogpt tells its GPUs, and its batch in tokens") {
  const Point point = only_run(std::string(kCappedHeader) + kCappedSteps).point;
  CHECK(point.layout.gpus == 8);
  CHECK(point.layout.gas == 1);
  CHECK(point.layout.mbs == 64);
  CHECK(point.layout.gbs == 512);
  CHECK(point.model.seq == 1024);
  const std::string source =
      "        f\"train_batch_tokens:{args.train_batch_tokens} train_seq_len:{args.train_seq_len} "
      "\"\n"
      "    log0(f\"world_size:{world_size} grad_accum_steps:{grad_accum_steps}\")\n";
  CHECK_FALSE(only_run(source + kCappedSteps).point.layout.gpus);
}

TEST_CASE("a fork of modded-nanogpt that says its GPUs begins another launch") {
  const std::string log = std::string(kCappedHeader) + kCappedSteps + kCappedStop;
  const auto runs = scrape(log + log);
  REQUIRE(runs.size() == 2);
  CHECK(times_of(runs[1]) == times_of(runs[0]));
  CHECK(runs[1].point.layout.gbs == 512);
}

TEST_CASE("a descendant of modded-nanogpt tells its model by the options it was given") {
  const std::string log =
      "Running with 1 GPU\n"
      "Command-line arguments overriding defaults:\n"
      "  --train_seq_len = 4096\n"
      "  --train_steps = 20000\n"
      "  --grad_acc_steps = 8\n"
      "  --num_layers = 12\n"
      "  --num_heads = 6\n"
      "  --model_dim = 384\n"
      "60147864 parameters\n"
      "step:0/20000 val_loss:1.0826e+01 train_time:0ms step_avg:0.01ms\n"
      "step:1/20000 train_loss:1.082584e+01 train_time:6029ms step_avg:6028.64ms\n"
      "step:2/20000 train_loss:8.461132e+00 train_time:10980ms step_avg:5489.86ms\n";
  const auto runs = scrape(log + log);
  REQUIRE(runs.size() == 2);
  const Point& point = runs[0].point;
  CHECK(point.layout.gpus == 1);
  CHECK(point.layout.gas == 8);
  CHECK_FALSE(point.layout.gbs);
  CHECK(point.model.seq == 4096);
  CHECK(point.model.layers == 12);
  CHECK(point.model.heads == 6);
  CHECK(point.model.hidden == 384);
  CHECK(point.model.params == 60147864);
  CHECK(times_of(runs[1]) == std::vector<double>{6029, 4951});
  const std::string source =
      "    print0(f\"Running with {world_size} GPU\")\n"
      "    parser.add_argument('  --num_layers = 12')\n"
      "# of 124 parameters\n";
  const Point other = only_run(source + kCappedSteps).point;
  CHECK_FALSE(other.layout.gpus);
  CHECK_FALSE(other.model.layers);
  CHECK_FALSE(other.model.params);
}
