// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("picotron's rounded batch and rate are times of single steps") {
  const LogRun run = only_run(excerpt("picotron.log"));
  CHECK(run.point.trainer == "picotron");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(times_of(run)[1] == Approx(2048.0 / 1680 * 1000));
  CHECK(times_of(run)[2] == Approx(2048.0 / 10610 * 1000));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
  CHECK(run.resolution_ms == Approx(2048.0 / 10610 * 1000 * 10 / 10610));
  CHECK(run.iterations.at(1).lm_loss == 8.5469);
  CHECK(run.nan_from == 3);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory.front().rank == 2);
  CHECK(run.memory.front().reserved_mib == Approx(1.8e9 / 1048576));
}

TEST_CASE("picotron's two rates tell the GPUs, and only as sharply as they are written") {
  CHECK(only_run(excerpt("picotron.log")).point.layout.gpus == 8);
  std::string log = excerpt("picotron.log");
  for (auto at = log.find("s/GPU: "); at != std::string::npos; at = log.find("s/GPU: ", at + 1))
    log.replace(at, 12, "s/GPU: 0.11 ");
  CHECK_FALSE(only_run(log).point.layout.gpus);
}
