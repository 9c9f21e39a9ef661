// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("OLMo's rates are moving means, and those of tokens have more digits") {
  const LogRun run = only_run(excerpt("olmo.log"));
  CHECK(run.point.trainer == "olmo");
  CHECK(steps_of(run) == std::vector<std::int64_t>{2, 3, 6});
  CHECK(times_of(run).at(0) == Approx(524288.0 / 45538 * 1000));  // 0.0869 would be 11,507 ± 7
  CHECK(flags_of(run) == std::vector<unsigned>{kMovingMean, kMovingMean, kMovingMean});
  CHECK(run.resolution_ms == Approx(524288.0 / 45538 * 1000 / 45538));
  CHECK(run.iterations.at(0).lm_loss == 11.2);
  CHECK(run.iterations.at(0).grad_norm == 0.9437);
  CHECK_FALSE(run.iterations.at(1).lm_loss);
  CHECK(run.started_at == 1713346958);
  CHECK(run.planned_iterations == 6);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("OLMo's tokens tell the GPUs, and its MB are 10^6 bytes") {
  const LogRun run = only_run(excerpt("olmo.log"));
  CHECK(run.point.layout.gpus == 8);  // 4,194,304 tokens of a step, 524,288 on each
  CHECK(run.point.model.params == 6888095744);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_allocated_mib == Approx(43309e6 / 1048576));
}

TEST_CASE("OLMo-core's rates are of one step") {
  const LogRun run = only_run(excerpt("olmo-core.log"));
  CHECK(run.point.trainer == "olmo-core");
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 20});
  CHECK(times_of(run).at(0) == Approx(65536.0 / 258163 * 1000));
  CHECK(times_of(run).at(1) == Approx(65536.0 / 12707 * 1000));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1});
  CHECK(flags_of(run) == std::vector<unsigned>{0, kAfterSave | kAfterEvaluation});
  CHECK(run.iterations.at(0).learning_rate == 0.0005);
  CHECK(find_value(run.iterations.at(0).other, "MFU %")->number == 44.57);
  CHECK(find_value(run.iterations.at(0).other, "steps/s")->number == 3.939);
  CHECK(run.planned_iterations == 20);
  CHECK(run.end == RunState::kOk);
  CHECK(run.point.layout.gpus == 8);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_reserved_mib == Approx(62.69 * 1024));
}

TEST_CASE("where OLMo's tokens of a device can be no power of two, batches a second count") {
  const LogRun run = only_run(
      "[step=11/100]\n    throughput/device/tokens_per_second=43,538\n"
      "    throughput/device/batches_per_second=0.0869\n"
      "[step=12/100]\n    throughput/device/tokens_per_second=43,538\n"
      "    throughput/device/batches_per_second=0.0869\n");
  CHECK(times_of(run).at(0) == Approx(1000 / 0.0869));
  CHECK(run.resolution_ms == Approx(1000 / 0.0869 * 0.0001 / 0.0869));
  CHECK_FALSE(run.point.layout.gpus);
}

TEST_CASE("OLMo-core's GPUs follow where a device's tokens are no power of two") {
  const auto block = [](int step, const char* batches, const char* rate, const char* total) {
    return fmt::format(
        "[step={}/1109,epoch=1,eta=1h9m]\n    throughput/device/BPS={}\n"
        "    throughput/device/TPS={}\n    throughput/total tokens={}\n",
        step, batches, rate, total);
  };
  const LogRun run = only_run(block(25, "0.2673", "5,473", "4,096,000") +
                              block(26, "0.2639", "5,404", "4,259,840") +
                              block(27, "0.2659", "5,445", "4,423,680"));
  CHECK(times_of(run).at(0) == Approx(1000 / 0.2673));
  CHECK(run.point.layout.gpus == 8);  // 163,840 tokens of a step, 20,480 on each
  REQUIRE(find_value(run.derived, "gpus"));
}

TEST_CASE("rates that do not fit whole GPUs tell none") {
  const auto block = [](int step, const char* total) {
    return fmt::format(
        "[step={}/1109,epoch=1]\n    throughput/device/BPS=0.2673\n"
        "    throughput/device/TPS=5,273\n    throughput/total tokens={}\n",
        step, total);
  };
  CHECK_FALSE(only_run(block(25, "4,096,000") + block(26, "4,259,840")).point.layout.gpus);
}

TEST_CASE("total tokens that OLMo-core rounds tell no GPUs") {
  std::string log;
  for (int i = 0; i < 4; ++i)
    log += fmt::format(
        "[step={}/1000,epoch=1]\n    throughput/device/BPS=3.939\n"
        "    throughput/device/TPS=258,163\n    throughput/total tokens=1.{}B\n",
        500 + i, 100 + 2 * i);
  const LogRun run = only_run(log);
  CHECK(steps_of(run).size() == 4);
  CHECK_FALSE(run.point.layout.gpus);
}

TEST_CASE("blocks of two ranks that are mixed are kept apart") {
  const LogRun run = only_run(
      "[rank0]:[step=11/100]\n[rank1]:[step=11/100]\n"
      "[rank0]:    throughput/device/batches_per_second=0.5000\n"
      "[rank1]:    throughput/device/batches_per_second=0.4000\n"
      "[rank1]:[step=12/100]\n[rank0]:[step=12/100]\n"
      "[rank0]:    throughput/device/batches_per_second=0.5000\n"
      "[rank1]:    throughput/device/batches_per_second=0.2500\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{11, 12});
  CHECK(times_of(run) == std::vector<double>{2500, 4000});
}

TEST_CASE("an OLMo block without a speed is named and not taken") {
  const std::string log = excerpt("olmo.log");
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].first == "[step=1/6]");
  CHECK(scraped.unused[0].count == 1);
}

TEST_CASE("OLMo-core that is told to print no speed is refused with that reason") {
  const std::string log =
      "2026-08-08 12:00:01 INFO [olmo_core.train.trainer:734] Training for 2,000 steps\n"
      "2026-08-08 12:01:00 INFO [olmo_core.train.callbacks.console_logger:68] "
      "[step=100/2000,epoch=0,eta=5h11m]\n"
      "    train/CE loss=6.2341\n"
      "2026-08-08 12:04:00 INFO [olmo_core.train.callbacks.console_logger:68] "
      "[step=200/2000,epoch=0,eta=4h58m]\n"
      "    train/CE loss=5.8817\n";
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  CHECK(scraped.runs.empty());
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == "it does not say a speed above 0");
}
