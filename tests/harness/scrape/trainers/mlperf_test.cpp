// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("MLPerf's model is known where NeMo prints its settings") {
  const std::string settings =
      " 0: Llama31Config8B(tensor_model_parallel_size=1,\n"
      " 0:                 pipeline_model_parallel_size=1,\n"
      " 0:                 virtual_pipeline_model_parallel_size=8,\n"
      " 0:                 context_parallel_size=2,\n"
      " 0:                 num_layers=32,\n"
      " 0:                 recompute_num_layers=7,\n"
      " 0:                 hidden_size=4096,\n"
      " 0:                 num_attention_heads=32,\n"
      " 0:                 num_query_groups=8,\n"
      " 0:                 ffn_hidden_size=14336,\n"
      " 0:                 moe_ffn_hidden_size=99,\n"
      " 0:                 seq_length=8192,\n"
      " 0:                 old_context_len=8192)\n"
      " 0: + run --num_layers=24, --hidden_size=1024,\n";
  const Point point = only_run(settings + excerpt("mlperf.log")).point;
  CHECK(point.layout.tp == 1);
  CHECK(point.layout.pp == 1);
  CHECK(point.layout.cp == 2);
  CHECK(point.model.layers == 32);
  CHECK(point.model.hidden == 4096);
  CHECK(point.model.heads == 32);
  CHECK(point.model.kv_heads == 8);
  CHECK(point.model.ffn == 14336);
  CHECK(point.model.seq == 8192);
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

TEST_CASE("GPT-3's steps of MLPerf that are told one by one are numbered by their tokens") {
  std::string log = gpt3("");
  const auto step = [](int seconds, double time, int tokens) {
    return event(1714371000000 + seconds * std::int64_t{1000}, "tracked_stats",
                 fmt::format("{{\"train_step_timing\": {}, \"reduced_train_loss\": 2.75}}", time),
                 fmt::format("\"step\": {}", tokens));
  };
  const auto before = [&](std::string_view words, const std::string& lines) {
    log.insert(log.rfind('\n', log.find(words)) + 1, lines);
  };
  before("\"eval_start\"", step(12, 1.25, 48) + step(14, 1.5, 96));
  before("\"run_stop\"", step(38, 1.75, 144) + step(40, 1.5, 100));
  const Scraped scraped = read(log);
  const LogRun& run = scraped.runs.at(0);
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1, 1});
  CHECK(times_of(run) == std::vector<double>{1250, 1500, 1750});
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == "its step needs its samples and a batch size");
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

namespace {

/// As of NVIDIA's results of v5.0: both ends of a block say where it begins.
std::string unsaid_block(std::int64_t from, std::int64_t begins_ms, std::int64_t ends_ms) {
  return event(begins_ms, "block_start", "null", fmt::format("\"samples_count\": {}", from)) +
         event(ends_ms, "block_stop", "null", fmt::format("\"samples_count\": {}", from));
}

std::string step_of(std::int64_t time_ms, double seconds, std::string_view metadata) {
  return event(time_ms, "tracked_stats",
               fmt::format("{{\"train_step_time\": {}, \"reduced_train_loss\": 7.5}}", seconds),
               metadata);
}

std::string batch_of_1152() {
  return event(1000, "global_batch_size", "1152", "") +
         event(1000, "gradient_accumulation_steps", "288.0", "") +
         event(2000, "run_start", "null", "");
}

}  // namespace

TEST_CASE("MLPerf's steps that are told one by one are its rows, and their samples their numbers") {
  const std::string log =
      batch_of_1152() + event(10000, "block_start", "null", "\"samples_count\": 0") +
      step_of(64700, 54.7, "\"step\": 1152.0") + step_of(122300, 57.6, "\"step\": 2304.0") +
      event(122400, "tracked_stats", "{\"throughput\": 20.5, \"train_step_time\": 56.15}",
            "\"step\": 0") +
      event(122401, "block_stop", "null", "\"samples_count\": 0") +
      event(122401, "eval_start", "null", "\"samples_count\": 2304") +
      event(140000, "tracked_stats", "{\"validation_step_time\": 17.5}", "\"step\": 1152") +
      event(150000, "block_start", "null", "\"samples_count\": 2304") +
      step_of(206400, 56.4, "\"step\": 3456.0");
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1, 1});
  CHECK(times_of(run).at(1) == Approx(57600));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, kAfterEvaluation});
  CHECK(run.iterations.at(1).lm_loss == 7.5);
  CHECK(run.iterations.at(1).consumed_samples == 2304);
  CHECK(run.point.layout.gas == 288);
  CHECK(read(log).unused.empty());
}

TEST_CASE("MLPerf's steps of v5.1 are counted from 0, and their samples are said besides") {
  const LogRun run =
      only_run(batch_of_1152() +
               event(10000, "block_start", "null", "\"samples_count\": 4608, \"step\": 0") +
               step_of(40000, 13.1, "\"step\": 1.0, \"samples_count\": 2304.0") +
               step_of(66200, 13.2, "\"step\": 3.0, \"samples_count\": 4608.0"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{2, 4});
  CHECK(times_of(run).at(1) == Approx(13200));
}

TEST_CASE("a step of MLPerf that is longer than the time since the one before is not taken") {
  const Scraped scraped =
      read(batch_of_1152() + event(10000, "block_start", "null", "\"samples_count\": 0") +
           step_of(64700, 54.7, "\"step\": 1152.0") + step_of(65700, 54.7, "\"step\": 2304.0") +
           step_of(120000, 54.2, "\"step\": 2500.0"));
  REQUIRE(scraped.runs.size() == 1);
  CHECK(steps_of(scraped.runs[0]) == std::vector<std::int64_t>{1});
  REQUIRE(scraped.unused.size() == 2);
  CHECK(scraped.unused[0].reason == "its step is longer than the time since the one before");
  CHECK(scraped.unused[1].reason == "its step is no whole number of batches");
}

TEST_CASE("where both ends of MLPerf's block say its start, what comes next says its end") {
  const LogRun run =
      only_run(batch_of_1152() + unsaid_block(0, 10000, 30000) +
               event(30001, "eval_start", "null", "\"samples_count\": 11520") +
               unsaid_block(11520, 40000, 65000) + unsaid_block(23040, 65001, 75001) +
               event(75002, "run_stop", "null", "\"samples_count\": 28800"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 20, 25});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 10, 5});
  CHECK(times_of(run) == std::vector<double>{2000, 2500, 2000});
  const Scraped lost = read(batch_of_1152() + unsaid_block(0, 10000, 30000) +
                            event(30002, "run_stop", "null", "\"status\": \"aborted\""));
  for (const auto& of_lost : lost.runs) CHECK(of_lost.iterations.empty());
  CHECK(lost.unused.at(0).reason == "nothing tells how many samples the block before it took");
}

TEST_CASE("MLPerf's blocks of v5.1 count the run's steps and their own samples") {
  const auto block = [](std::int64_t at, const char* key, int samples, int step) {
    return event(at, key, "null",
                 fmt::format("\"samples_count\": {}, \"step\": {}", samples, step));
  };
  const std::string head = batch_of_1152();
  const LogRun run = only_run(
      head + block(10000, "block_start", 11520, 0) + block(30000, "block_stop", 11520, 10) +
      block(40000, "block_start", 2304, 10) + block(45000, "block_stop", 2304, 12));
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 12});
  CHECK(times_of(run) == std::vector<double>{2000, 2500});
  CHECK(run.iterations.at(1).consumed_samples == 13824);
  const Scraped other =
      read(head + block(10000, "block_start", 11520, 0) + block(30000, "block_stop", 11520, 11));
  CHECK(other.unused.at(0).reason == "its block is no whole number of batches");
}

TEST_CASE("a step of MLPerf that says its number and samples tells the batch where none is said") {
  const auto run =
      only_run(event(10000, "block_start", "null", "\"samples_count\": 4608, \"step\": 0") +
               step_of(40000, 13.1, "\"step\": 31.0, \"samples_count\": 1024.0") +
               step_of(66200, 13.2, "\"step\": 63.0, \"samples_count\": 2048.0"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{32, 64});
  CHECK(run.point.layout.gbs == 32);
  REQUIRE(run.derived.size() == 1);
  CHECK(run.derived[0].first == "gbs");
}
