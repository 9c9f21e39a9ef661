// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files, made here byte by byte.
#include "harness/scrape/tensorboard.h"

#include <bit>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "harness/scrape/event_records.h"
#include "tests/harness/scrape/sample_events.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test::events;
using Catch::Contains;

namespace {

LogRun only_run(const std::string& file) {
  const auto runs = read_events(file);
  REQUIRE(runs.size() == 1);
  return runs.front();
}

std::vector<unsigned> flags_of(const LogRun& run) {
  std::vector<unsigned> flags;
  for (const auto& line : run.iterations) flags.push_back(line.flags);
  return flags;
}

std::vector<std::int64_t> numbers_of(const LogRun& run) {
  std::vector<std::int64_t> numbers;
  for (const auto& line : run.iterations) numbers.push_back(line.number);
  return numbers;
}

}  // namespace

TEST_CASE("checksums are those that others write") {
  // Of "123456789", as all descriptions of CRC-32C have it, without the mask.
  CHECK(std::rotl(masked_crc32c("123456789") - 0xa282ead8, 15) == 0xe3069283);
  // What the event files of TensorFlow and torch begin with: a record of 24 bytes.
  CHECK(version().starts_with(std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09", 13)));
}

TEST_CASE("event files are known by their beginning") {
  CHECK(looks_like_events(version()));
  CHECK(looks_like_events(version() + times({1})));
  CHECK_FALSE(looks_like_events(version().substr(0, 11)));
  CHECK_FALSE(looks_like_events(record("an image")));
  CHECK_FALSE(looks_like_events("iteration        1/    1000 | elapsed time"));
}

TEST_CASE("Megatron's scalars are iterations") {
  std::string file = version();
  for (std::int64_t step = 1; step <= 3; ++step) {
    const auto i = static_cast<double>(step);
    file += scalar(step, "learning-rate", 1e-4 * i) + scalar(step, "batch-size", 128) +
            scalar(step, "lm loss", 11 - i) + scalar(128 * step, "lm loss vs samples", 11 - i) +
            scalar(step, "grad-norm", i / 4) + scalar(step, "iteration-time", step == 1 ? 20 : i) +
            scalar(step, "throughput", 100 + i);
  }
  const LogRun run = only_run(file);
  CHECK(run.format == "tensorboard");
  CHECK(run.point.trainer == "megatron");
  CHECK(run.point.layout.gbs == 128);
  CHECK_FALSE(run.configured);
  CHECK(run.started_at == 1700000000);
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
  REQUIRE(run.iterations.size() == 3);
  const Iteration line = run.iterations[2];
  CHECK(line.number == 3);
  CHECK(line.step_time_ms == Approx(3000));
  CHECK(line.lm_loss == 8.0);
  CHECK(line.grad_norm == 0.75);
  CHECK(*line.learning_rate == Approx(3e-4));
  CHECK(line.gbs == 128);
  CHECK(find_value(line.other, "throughput")->number == 103.0);
  CHECK_FALSE(find_value(line.other, "lm loss vs samples"));
}

TEST_CASE("Megatron's texts are its arguments") {
  const LogRun run =
      only_run(version() + argument("num_layers", "24") + argument("hidden_size", "1024") +
               argument("num_attention_heads", "16") + argument("seq_length", "2048") +
               argument("world_size", "8") + argument("tensor_model_parallel_size", "2") +
               argument("pipeline_model_parallel_size", "1") + argument("data_parallel_size", "4") +
               argument("micro_batch_size", "4") + argument("global_batch_size", "64") +
               argument("train_iters", "100") + argument("log_interval", "10") +
               argument("recompute_granularity", "full") + times({3, 2}, 10, 10));
  CHECK(run.point.model.layers == 24);
  CHECK(run.point.layout.gpus == 8);
  CHECK(run.point.layout.tp == 2);
  CHECK(run.configured);
  CHECK(run.recompute == "full");
  CHECK(run.planned_iterations == 100);
  CHECK(find_value(run.arguments, "train_iters")->number == 100.0);
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(run.iterations[1].interval == 10);
}

TEST_CASE("tags in groups are those of Megatron's forks") {
  const LogRun run = only_run(version() + scalar(1, "iteration-time/iteration-time", 5) +
                              scalar(1, "lm-loss-training/lm loss", 9) +
                              scalar(640, "iteration-time/iteration-time vs samples", 5) +
                              scalar(2, "iteration-time/iteration-time", 4));
  CHECK(numbers_of(run) == std::vector<std::int64_t>{1, 2});
  CHECK(run.iterations[0].lm_loss == 9.0);
}

TEST_CASE("an iteration behind an evaluation has it in it") {
  const LogRun run =
      only_run(version() + times({9, 1}) + scalar(2, "lm loss validation", 8) + times({7, 1}, 3));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, kAfterEvaluation, 0});
}

TEST_CASE("tensors of one number are scalars") {
  const std::string tag = "iteration-time";
  const std::string half = bytes_of(std::bit_cast<std::uint32_t>(0.5F));
  const LogRun run =
      only_run(version() + tensor(1, tag, "\x08\x01" + text('\x2a', half)) +  // packed
               tensor(2, tag, "\x08\x01" + real32('\x2d', 0.5F)) +            // one by one
               tensor(3, tag, "\x08\x01" + text('\x22', half)) +              // as its bytes
               tensor(4, tag, "\x08\x02" + text('\x32', real64('\0', 0.25).substr(1))) +
               tensor(5, tag, "\x08\x01" + text('\x2a', half + half)) +                 // two
               tensor(6, tag, "\x08\x09" + text('\x22', bytes_of<std::uint64_t>(1))));  // whole
  REQUIRE(numbers_of(run) == std::vector<std::int64_t>{1, 2, 3, 4});
  for (std::size_t i = 0; i < 3; ++i) CHECK(run.iterations[i].step_time_ms == 500);
  CHECK(run.iterations[3].step_time_ms == 250);
}

TEST_CASE("steps that go back are another launch") {
  const auto runs =
      read_events(version() + times({9, 1, 2, 3}) + scalar(3, "lm loss", 7) + times({8, 2}, 3));
  REQUIRE(runs.size() == 2);
  CHECK(numbers_of(runs[0]) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(numbers_of(runs[1]) == std::vector<std::int64_t>{3, 4});
  CHECK(runs[1].iterations[0].lm_loss == 7.0);
  CHECK(flags_of(runs[1]) == std::vector<unsigned>{kFirst, 0});
  CHECK(runs[0].started_at);
  CHECK_FALSE(runs[1].started_at);
}

TEST_CASE("a time that is none makes no iteration") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const LogRun run = only_run(version() + times({9, 1, 0, nan, -1, 2}) + scalar(6, "lm loss", nan));
  CHECK(numbers_of(run) == std::vector<std::int64_t>{1, 2, 6});
  CHECK(run.nan_from == 6);
  CHECK_FALSE(run.iterations[2].lm_loss);
}

TEST_CASE("other trainers' scalars are read where they say a step's time") {
  const auto steps = [](const std::string& tag, std::int64_t first, std::int64_t interval) {
    return version() + scalar(first, tag, 9) + scalar(first + interval, tag, 2) +
           scalar(first + 2 * interval, tag, 2);
  };
  const LogRun nemo = only_run(steps("train_step_timing in s", 9, 10));
  CHECK(nemo.point.trainer == "nemo");
  CHECK(nemo.point.name == "nemo-model-tensorboard");
  CHECK(nemo.iterations[1].interval == 1);
  CHECK(flags_of(nemo) == std::vector<unsigned>{kFirst, 0, 0});
  CHECK(flags_of(only_run(steps("perf/step_time_seconds", 0, 1))) ==
        std::vector<unsigned>{kFirst, kFirst, kFirst});
  const LogRun neox = only_run(steps("runtime/iteration_time", 10, 10));
  CHECK(neox.point.trainer == "gpt-neox");
  CHECK(neox.iterations[1].interval == 10);
  const LogRun verl = only_run(steps("timing_s/step", 1, 1) + scalar(2, "timing_s/testing", 1) +
                               scalar(3, "timing_s/save_checkpoint", 1));
  CHECK(flags_of(verl) == std::vector<unsigned>{kFirst, kAfterEvaluation, kAfterSave});
  CHECK(read_events(version() + scalar(1, "train/loss", 3)).empty());
}

TEST_CASE("torchtitan's step 1 says a part of its time") {
  const std::string tag = "time_metrics/end_to_end(s)";
  const LogRun run =
      only_run(version() + scalar(1, tag, 2) + scalar(10, tag, 1) + scalar(20, tag, 1));
  CHECK(numbers_of(run) == std::vector<std::int64_t>{10, 20});
  CHECK(run.iterations[1].interval == 10);
}

TEST_CASE("what is torn at the end of an event file is left out") {
  const std::string whole = version() + times({9, 1}), last = times({2}, 3);
  for (std::size_t size = 0; size < last.size(); ++size)
    CHECK(only_run(whole + last.substr(0, size)).iterations.size() == 2);
  CHECK(only_run(whole + last).iterations.size() == 3);
  CHECK(only_run(whole + std::string(100, '\0')).iterations.size() == 2);
  std::string unwritten = last;
  unwritten[20] = '\0';
  CHECK(only_run(whole + unwritten).iterations.size() == 2);
}

TEST_CASE("a broken record before the end of an event file is refused") {
  const std::string begin = version() + times({9, 1}), end = times({2, 2}, 3);
  const auto with = [&](std::size_t at) {
    std::string broken = end;
    broken[at] = static_cast<char>(broken[at] ^ 1);
    return begin + broken;
  };
  const std::string at = "record at byte " + std::to_string(begin.size());
  CHECK_THROWS_WITH(read_events(with(0)), Contains(at + " is broken: its length"));
  CHECK_THROWS_WITH(read_events(with(8)), Contains(at + " is broken: its length"));
  CHECK_THROWS_WITH(read_events(with(14)), Contains(at + " is broken: its bytes"));
}

TEST_CASE("an event of 4 GB is refused") {
  const std::string length = bytes_of<std::uint64_t>(4'000'000'000);
  CHECK_THROWS_WITH(read_events(version() + length + bytes_of(masked_crc32c(length))),
                    Contains("has 4000000000 bytes; 2147483647 is the most"));
}

TEST_CASE("whatever stands in an event, reading it ends") {
  const std::string whole = times({9});
  const std::string data = whole.substr(12, whole.size() - 16);
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string other = data;
      other[i] = byte;
      CHECK(read_events(version() + record(other) + record(data.substr(0, i)) + times({1}, 2))
                .size() <= 2);
    }
  }
}

TEST_CASE("an event file that is cut anywhere gives the same launches") {
  const std::string file = version() + argument("num_layers", "24") + times({3, 2, 1, 4}) +
                           scalar(2, "lm loss validation", 8) + times({7, 5}, 5);
  const auto whole = read_events(file);
  for (std::size_t cut = 0; cut <= file.size(); ++cut) {
    EventLog log;
    log.add(std::string_view(file).substr(0, cut));
    log.add(std::string_view(file).substr(cut));
    const auto runs = log.runs();
    REQUIRE(runs.size() == whole.size());
    REQUIRE(numbers_of(runs.front()) == numbers_of(whole.front()));
    REQUIRE(flags_of(runs.front()) == flags_of(whole.front()));
  }
}

TEST_CASE("a hole at the end of an event file is left out, and one within it is an error") {
  EventLog log;
  log.add(version() + times({3, 2}) + std::string(20, '\0'));
  log.add(std::string(1000, '\0'));
  REQUIRE(log.runs().size() == 1);
  CHECK(log.runs().front().iterations.size() == 2);
  CHECK_THROWS_WITH(log.add(times({1}, 3)), Contains("nothing but NULs"));
}
