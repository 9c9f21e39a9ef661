// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("lm-engine's step time is the mean since its line before, with evaluations") {
  const LogRun run = only_run(excerpt("lm_engine.log"));
  CHECK(run.point.trainer == "lm-engine");
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 20, 30, 40});
  CHECK(times_of(run)[1] == Approx(2402.1));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 10, 10, 10});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean,
                                               kIntervalMean | kAfterEvaluation, kIntervalMean});
  CHECK(run.resolution_ms == Approx(0.1));
  CHECK(run.iterations.at(0).lm_loss == 10.5773);
  CHECK(run.iterations.at(0).learning_rate == 1e-4);
  CHECK(find_value(run.iterations.at(0).other, "TFLOP/s/GPU")->number == 114.926);
  CHECK(run.nan_from == 40);
  CHECK(run.end == RunState::kOk);
  CHECK(run.started_at == 1726605642);
}

TEST_CASE("lm-engine's tokens a day tell those of a step, and so the GPUs") {
  const Point point = only_run(excerpt("lm_engine.log")).point;
  CHECK(point.layout.gbs == 64);  // 262,144 tokens of 4096
  CHECK(point.layout.dp == 8);
  CHECK(point.layout.gpus == 8);
}

TEST_CASE("lm-engine's rounded figures that are no power of two tell no tokens") {
  std::string log = excerpt("lm_engine.log");
  for (auto at = log.find("per_day = "); at != std::string::npos;
       at = log.find("per_day = ", at + 1))
    log.replace(at, 11, "per_day = 5");
  const Point point = only_run(log).point;
  CHECK_FALSE(point.layout.gbs);
  CHECK_FALSE(point.layout.gpus);
}
