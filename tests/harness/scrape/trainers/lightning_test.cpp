#include <string>

#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("a bar of Lightning shows a moving mean, and its epochs follow each other") {
  const LogRun run = only_run(excerpt("lightning.log"));
  CHECK(run.point.trainer == "lightning");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 100, 101});
  CHECK(times_of(run) == std::vector<double>{4150, 2350, 500, 500});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst | kMovingMean, kMovingMean, kMovingMean, kMovingMean});
  CHECK(run.iterations.at(1).lm_loss == 2.2);
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("a bar of Lightning that is being drawn is not read") {
  const LogRun run = only_run(
      "Epoch 0:   1%|1         | 1/100 [00:04<06:50,  4.15s/it, v_num=3]\n"
      "Epoch 0:   2%|1         | 2/100 [00:04<06:50,  2.15s/it, v_num=3]");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1});
}
