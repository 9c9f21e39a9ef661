// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

Scraped scraped(const std::string& log) {
  return scrape_parts([&](const auto& take) { take(log); });
}

}  // namespace

TEST_CASE("litgpt's step takes as long as its micro-batches together") {
  const LogRun run = only_run(excerpt("litgpt.log"));
  CHECK(run.point.trainer == "litgpt");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(times_of(run) == std::vector<double>{948.72 + 548.72, 101.25 + 151.25, 102.25 + 152.25});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
  CHECK(run.resolution_ms == Approx(0.02));
  CHECK(run.iterations.at(1).lm_loss == 1.63);
  CHECK(run.nan_from == 3);
  CHECK(run.end == RunState::kOk);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory.front().max_allocated_mib == Approx(20.19e9 / 1048576));
}

TEST_CASE("litgpt's settings are the layout") {
  const Point point = only_run(excerpt("litgpt.log")).point;
  CHECK(point.layout.gpus == 2);
  CHECK(point.layout.gbs == 8);
  CHECK(point.layout.mbs == 2);
  CHECK(point.layout.gas == 2);
  CHECK(point.model.seq == 512);
  CHECK_FALSE(point.model.params);  // those that are trained are not all
  CHECK(find_value(point.axes, "trainable_parameters")->number == 4194304);
}

TEST_CASE("litgpt's lines of 2023 and of March 2024 are read, too") {
  const LogRun old = only_run(
      "iter 1 step 0: loss 3.5551, iter time: 1069.53ms\n"
      "iter 2 step 1: loss 3.3320, iter time: 765.52ms (optimizer.step)\n"
      "iter 3 step 1: loss 3.1906, iter time: 537.32ms\n"
      "iter 4 step 2: loss 3.8844, iter time: 710.44ms (optimizer.step)\n");
  CHECK(times_of(old) == std::vector<double>{1069.53 + 765.52, 537.32 + 710.44});
  CHECK(old.iterations.at(1).lm_loss == 3.8844);
  const LogRun first = only_run(
      "iter 0 step 0: loss 3.5551, time: 100.5ms\n"
      "iter 1 step 1: loss 3.3320, time: 200.5ms (optimizer.step)\n");
  CHECK(times_of(first) == std::vector<double>{301});
  const LogRun march = only_run(
      "Ep 1 | iter 1 | step 0: loss train (curr): 1.657, val (prev val iter): None | iter time: "
      "298.27 ms\n"
      "Ep 1 | iter 2 | step 1: loss train (curr): 1.585, val (prev val iter): None | iter time: "
      "181.34 ms (opt.step)\n");
  CHECK(times_of(march) == std::vector<double>{298.27 + 181.34});
  CHECK(march.iterations.at(0).lm_loss == 1.585);
}

TEST_CASE("a litgpt log of TPUs counts micro-batches from 0, one to a step") {
  const LogRun run = only_run(
      "[rank: 0] iter 34 step 35: iter time: 3372.20ms (optimizer.step)\n"
      "[rank: 0] iter 35 step 36: iter time: 3369.29ms (optimizer.step)\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{35, 36});
  CHECK(times_of(run) == std::vector<double>{3372.2, 3369.29});
}

TEST_CASE("one micro-batch of several that litgpt does not print is no step") {
  const Scraped found = scraped(
      "Epoch 1 | iter 16 step 4 | loss train: 10.9, val: n/a | iter time: 48.72 ms (step) "
      "remaining "
      "time: 0:11:31\n"
      "Epoch 1 | iter 32 step 8 | loss train: 10.8, val: n/a | iter time: 48.75 ms (step) "
      "remaining "
      "time: 0:11:21\n");
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused.front().count == 2);
  CHECK(found.unused.front().reason == "it is the time of one of a step's micro-batches");
}

TEST_CASE("litgpt's lines of every tenth step are single steps where each has one micro-batch") {
  const LogRun run = only_run(
      "Epoch 1 | iter 10 step 10 | loss train: 10.9, val: n/a | iter time: 48.72 ms (step)\n"
      "Epoch 1 | iter 20 step 20 | loss train: 10.8, val: n/a | iter time: 48.75 ms (step)\n");
  CHECK(times_of(run) == std::vector<double>{48.72, 48.75});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("where litgpt's log misses a line, that step has no time") {
  std::string log = excerpt("litgpt.log");
  const auto lost = log.find("Epoch 1 | iter 3 ");
  log.erase(lost, log.find('\n', lost) + 1 - lost);
  CHECK(steps_of(only_run(log)) == std::vector<std::int64_t>{1, 3});
}

TEST_CASE("what a model was asked and wrote makes no document of a log") {
  const std::string begin =
      "iter 1 step 0: loss 3.5551, iter time: 1069.53ms\n"
      "iter 2 step 1: loss 3.3320, iter time: 765.52ms (optimizer.step)\n";
  const std::string end =
      "iter 3 step 1: loss 3.1906, iter time: 537.32ms\n"
      "iter 4 step 2: loss 3.8844, iter time: 710.44ms (optimizer.step)\n";
  for (const char* text :
       {"### Instruction:\nRecommend a movie.\n\n### Response:\nNone.\n", "## A story\nIt was.\n",
        "```python\nprint(1)\n```\n", "|a|b|\n|---|---|\n|1|2|\n"}) {
    INFO(text);
    CHECK(steps_of(only_run(begin + text + end)) == std::vector<std::int64_t>{1, 2});
  }
  CHECK(steps_of(only_run("### Instruction:\nSay it.\n" + begin + end)).size() == 2);
  CHECK(scrape("## Speed\n\n" + begin + end).empty());
  CHECK(scrape("Monday:\n```\n" + begin + end + "```\n").empty());
}

TEST_CASE("a fork of litgpt prints seconds") {
  const LogRun run = only_run(
      "Epoch 1 | iter 1 step 1 | loss train: 10.9, val: n/a | iter time: 35.675 s (step)\n"
      "Epoch 1 | iter 2 step 2 | loss train: 10.8, val: n/a | iter time: 31.5 s (step)\n");
  CHECK(times_of(run) == std::vector<double>{35675, 31500});
  CHECK(run.resolution_ms == Approx(1));
}

TEST_CASE("a litgpt log of micro-batches alone says why it has no steps") {
  const Scraped found = scraped(
      "Epoch 1 | iter 46 step 1 | loss train: 10.9, val: n/a | iter time: 45.73 ms\n"
      "Epoch 1 | iter 92 step 2 | loss train: 10.8, val: n/a | iter time: 45.75 ms\n");
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused.front().first.find("iter 46") != std::string::npos);
  CHECK(found.unused.front().count == 2);
  CHECK(found.unused.front().reason == "it is the time of one of a step's micro-batches");
}
