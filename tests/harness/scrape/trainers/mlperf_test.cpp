#include <fmt/format.h>
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

std::string event(std::int64_t time_ms, std::string_view key, std::string_view value,
                  std::string_view metadata) {
  return fmt::format(
      "0: :::MLLOG {{\"namespace\": \"\", \"time_ms\": {}, \"event_type\": \"POINT_IN_TIME\", "
      "\"key\": \"{}\", \"value\": {}, \"metadata\": {{{}}}}}\n",
      time_ms, key, value, metadata);
}

}  // namespace

TEST_CASE("a block of MLPerf is a mean of its steps, without the evaluation") {
  const LogRun run = only_run(excerpt("mlperf.log"));
  CHECK(run.point.trainer == "mlperf");
  CHECK(steps_of(run) == std::vector<std::int64_t>{192, 240});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{192, 48});
  CHECK(times_of(run).at(0) == Approx(797870.0 / 192));
  CHECK(times_of(run).at(1) == Approx(196067.0 / 48));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(run.resolution_ms == Approx(1.0 / 192));
  CHECK(run.iterations.at(1).consumed_samples == 1920);
  CHECK(find_value(run.iterations.at(0).other, "tracked throughput")->number == 1.925);
  CHECK_FALSE(find_value(run.iterations.at(1).other, "tracked throughput"));
  CHECK(run.started_at == 1715848254);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("MLPerf's events are the batch and the benchmark") {
  const Point point = only_run(excerpt("mlperf.log")).point;
  CHECK(point.layout.gbs == 8);
  CHECK(point.layout.gas == 4);
  CHECK(find_value(point.axes, "benchmark")->text == "llama2_70b_lora");
}

TEST_CASE("an MLPerf run that stops without success is not ok") {
  std::string log = excerpt("mlperf.log");
  log.replace(log.find("\"success\""), 9, "\"aborted\"");
  CHECK(only_run(log).end != RunState::kOk);
}

TEST_CASE("where MLPerf's steps are printed, its blocks say no more") {
  std::string log = event(1713522600000, "global_batch_size", "64", "") +
                    event(1713522600000, "run_start", "null", "") +
                    event(1713522600000, "block_start", "null", "\"samples_count\": 0");
  for (int step = 1; step < 4; ++step)
    log += fmt::format(
        "0: Step {} train_step_timing 1.932433128356933{} timestamp: 17135226{}0986.0247\n", step,
        step, 20 + step);
  log += event(1713522640000, "block_stop", "null", "\"samples_count\": 192");
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(times_of(run).at(1) == Approx(1932.4331));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
  CHECK(find_value(run.iterations.at(1).other, "since the line before (ms)")->number ==
        Approx(10000));
}

TEST_CASE("MLPerf's blocks that are no samples, and torn events, are named and not taken") {
  const std::string log =
      event(1713522600000, "global_batch_size", "64", "") +
      event(1713522600000, "block_start", "null", "\"first_epoch_num\": 1, \"epoch_count\": 4") +
      event(1713522640000, "block_stop", "null", "\"first_epoch_num\": 1, \"epoch_count\": 4") +
      event(1713522640000, "block_start", "null", "\"samples_count\": 0") +
      event(1713522650000, "block_stop", "null", "\"samples_count\": 100") +
      "0: :::MLLOG {\"time_ms\": 1713522650000, \"key\": \"run_stop\", \"metadata\": null}\n"
      "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": 17135\n";
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  for (const auto& run : scraped.runs) CHECK(run.iterations.empty());
  REQUIRE(scraped.unused.size() == 4);
  CHECK(scraped.unused[0].reason == "its block does not say its samples");
  CHECK(scraped.unused[1].reason == "its block is no whole number of batches");
  CHECK(scraped.unused[2].reason == "no block of its run says how many samples it took");
  CHECK(scraped.unused[3].reason == "its event is torn");
}

TEST_CASE("an MLPerf run that is counted in epochs is named, as it has no steps") {
  const std::string log =
      event(1714373445880, "global_batch_size", "55296", "") +
      event(1714373445880, "run_start", "null", "\"lineno\": 50") +
      event(1714373445880, "epoch_start", "null", "\"lineno\": 51, \"epoch_num\": 0") +
      event(1714373459606, "eval_start", "null", "\"epoch_num\": 0.049980888109768154") +
      event(1714373660745, "run_stop", "null", "\"status\": \"success\", \"epoch_num\": 0.7");
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  CHECK(scraped.runs.empty());
  REQUIRE(scraped.problems.size() == 1);
  CHECK(scraped.problems[0] == "looks like a log of mlperf, but none of its steps has a time");
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == "no block of its run says how many samples it took");
}
