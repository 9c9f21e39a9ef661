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
  CHECK(scraped.problems[0] ==
        "looks like a log of mlperf, but none of its steps has a time: no block of its run says "
        "how many samples it took");
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == "no block of its run says how many samples it took");
}

namespace {

/// Of GPT-3, which calls tokens epochs: 48 samples of 8 tokens a batch of 6.
std::string gpt3(std::string_view metadata_of_stop) {
  const auto at = [](int seconds) { return 1714371000000 + seconds * std::int64_t{1000}; };
  std::string log =
      event(at(0), "submission_benchmark", "\"gpt3\"", "") +
      event(at(0), "global_batch_size", "6", "") + event(at(0), "max_sequence_length", "8", "") +
      event(at(0), "run_start", "null", "") +
      event(at(10), "block_start", "null", "\"first_epoch_num\": 0, \"epoch_count\": 384");
  if (!metadata_of_stop.empty()) log += event(at(20), "block_stop", "null", metadata_of_stop);
  log += event(at(20), "eval_start", "null", "\"epoch_num\": 384") +
         event(at(25), "eval_accuracy", "2.75", "\"epoch_num\": 384") +
         event(at(25), "eval_stop", "null", "\"epoch_num\": 384");
  if (!metadata_of_stop.empty())
    log += event(at(26), "block_start", "null", "\"first_epoch_num\": 384, \"epoch_count\": 384") +
           event(at(30), "block_stop", "null", "\"first_epoch_num\": 384, \"epoch_count\": 384");
  return log + event(at(30), "eval_start", "null", "\"epoch_num\": 768") +
         event(at(36), "eval_stop", "null", "\"epoch_num\": 768") +
         event(at(36), "block_stop", "null", "\"first_epoch_num\": 0") +
         event(at(36), "run_stop", "null", "\"status\": \"success\"");
}

Scraped read(const std::string& log) {
  return scrape_parts([&](const auto& take) { take(log); });
}

}  // namespace

TEST_CASE("GPT-3's epochs of MLPerf are tokens, and its evaluations tell how many a block had") {
  const LogRun blocks = only_run(gpt3("\"first_epoch_num\": 0, \"epoch_count\": 384"));
  CHECK(steps_of(blocks) == std::vector<std::int64_t>{8, 16});
  CHECK(intervals_of(blocks) == std::vector<std::int64_t>{8, 8});
  CHECK(times_of(blocks) == std::vector<double>{1250, 500});
  CHECK(blocks.iterations.at(1).consumed_samples == 96);
  CHECK(blocks.point.model.seq == 8);
  const LogRun one = only_run(gpt3(""));
  CHECK(steps_of(one) == std::vector<std::int64_t>{8, 16});
  CHECK(times_of(one) == std::vector<double>{1250, 625});
  CHECK(one.end == RunState::kOk);
  CHECK(read(gpt3("")).unused.empty());
}

TEST_CASE("GPT-3's blocks of MLPerf that no evaluation follows are named and not taken") {
  std::string log = gpt3("\"first_epoch_num\": 0");
  for (auto at = log.find("eval_st"); at != std::string::npos; at = log.find("eval_st", at))
    log.replace(at, 4, "seen");
  const Scraped scraped = read(log);
  CHECK(scraped.runs.empty());
  REQUIRE(scraped.unused.size() == 2);
  CHECK(scraped.unused[0].reason == "no evaluation tells how many tokens the block before it took");
  CHECK(scraped.unused[0].count == 2);
}

TEST_CASE("GPT-3's tokens of MLPerf must be whole batches, and need their size") {
  std::string log = gpt3("");
  log.replace(log.find("\"epoch_num\": 384"), 16, "\"epoch_num\": 376");
  CHECK(read(log).unused.at(0).reason == "its block is no whole number of batches");
  std::string without = gpt3("");
  without.replace(without.find("max_sequence_length"), 19, "other_sequence_size");
  CHECK(read(without).unused.at(0).reason ==
        "its block has tokens, but it says no batch size and length");
}

TEST_CASE("MLPerf's parallelisms and micro-batch are the layout") {
  const std::string log =
      event(1, "tensor_parallelism", "2", "") + event(1, "pipeline_parallelism", "4", "") +
      event(1, "context_parallelism", "1", "") + event(1, "expert_parallelism", "8", "") +
      event(1, "micro_batch_size", "2", "");
  std::string whole = excerpt("mlperf.log");
  whole.insert(whole.find('\n', whole.find("global_batch_size")) + 1, log);
  const Point point = only_run(whole).point;
  CHECK(point.layout.tp == 2);
  CHECK(point.layout.pp == 4);
  CHECK(point.layout.cp == 1);
  CHECK(point.layout.mbs == 2);
  CHECK(point.layout.dp == 1);
  CHECK(point.layout.gpus == 8);
  CHECK(find_value(point.axes, "expert_parallelism")->number == 8);
}

TEST_CASE("an MLPerf log that begins in the midst of a block is refused with that reason") {
  const Scraped scraped =
      read(event(1000, "global_batch_size", "32", "") + event(2000, "run_start", "null", "") +
           event(90000, "block_stop", "null", "\"samples_count\": 64") +
           event(91000, "run_stop", "null", "\"status\": \"success\", \"samples_count\": 64"));
  CHECK(scraped.runs.empty());
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == "the start of its block is not there");
}
