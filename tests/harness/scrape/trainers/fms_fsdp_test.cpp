// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("fms-fsdp's blocks tell means of the steps since the one before") {
  const LogRun run = only_run(excerpt("fms_fsdp.log"));
  CHECK(run.point.trainer == "fms-fsdp");
  CHECK(steps_of(run) == std::vector<std::int64_t>{100, 200});
  CHECK(times_of(run) == std::vector<double>{2451.2345, 2250});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{100, 100});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(run.iterations.at(0).lm_loss == 7.512345);
  CHECK(run.iterations.at(0).grad_norm == 1.25);
  CHECK(run.nan_from == 200);
  CHECK_FALSE(run.end);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory.front().max_reserved_mib == 51200);
  CHECK(run.memory.front().max_allocated_mib == 40960);
}

TEST_CASE("fms-fsdp's tokens tell the batch and the GPUs") {
  const Point point = only_run(excerpt("fms_fsdp.log")).point;
  CHECK(point.model.params == 6738415616);
  CHECK(point.model.seq == 4096);
  CHECK(point.layout.mbs == 2);
  CHECK(point.layout.gpus == 128);
  CHECK(point.layout.gbs == 256);
}

TEST_CASE("without its settings fms-fsdp's rate of a GPU tells how many there are") {
  const std::string log = excerpt("fms_fsdp.log");
  const Layout layout = only_run(log.substr(log.find("step: 100"))).point.layout;
  CHECK(layout.gpus == 128);
  CHECK_FALSE(layout.mbs);
}

TEST_CASE("a block of fms-fsdp that is not whole has no time") {
  const std::string log = excerpt("fms_fsdp.log");
  CHECK(steps_of(only_run(log.substr(0, log.find("current step time: 2.25")))) ==
        std::vector<std::int64_t>{100});
}

TEST_CASE("what fms-fsdp called speed until April 2024 are seconds a step") {
  const LogRun run = only_run(excerpt("fms_fsdp-2024-02.log"));
  CHECK(run.point.trainer == "fms-fsdp");
  CHECK(steps_of(run) == std::vector<std::int64_t>{50, 100});
  CHECK(times_of(run) == std::vector<double>{2900.1953125, 2512.20703125});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{50, 50});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(run.iterations.at(1).lm_loss == 7.21875);
  CHECK(run.iterations.at(1).learning_rate == 3e-5);
  CHECK(run.point.layout.gpus == 64);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory.front().max_reserved_mib == 56000);
  CHECK(run.memory.front().max_allocated_mib == 45000);
}

TEST_CASE("without its settings fms-fsdp's early rate of the whole run tells the GPUs") {
  const std::string log = excerpt("fms_fsdp-2024-02.log");
  CHECK(only_run(log.substr(log.find("step: 50"))).point.layout.gpus == 64);
}
