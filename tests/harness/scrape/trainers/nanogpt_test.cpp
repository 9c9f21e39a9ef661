// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("nanoGPT's time of an iteration has the evaluation and the save before it in it") {
  const LogRun run = only_run(excerpt("nanogpt.log"));
  CHECK(run.point.trainer == "nanogpt");
  CHECK(steps_of(run) == std::vector<std::int64_t>{0, 10, 20, 30, 40});
  CHECK(times_of(run) == std::vector<double>{36041.63, 250.94, 9563.15, 250.11, 250.13});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst | kAfterEvaluation, 0, kAfterEvaluation | kAfterSave, 0, 0});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1, 1, 1, 1});
  CHECK_FALSE(find_value(run.iterations.at(0).other, "MFU %"));
  CHECK(find_value(run.iterations.at(2).other, "MFU %")->number == 31.45);
  CHECK(run.resolution_ms == Approx(0.01));
  CHECK(run.planned_iterations == 40);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("nanoGPT's overrides are facts of the launch that follows them") {
  const Point point = only_run(excerpt("nanogpt.log")).point;
  CHECK(point.layout.mbs == 12);
  CHECK(point.layout.gbs == 480);  // 491,520 tokens of 1,024 each
  CHECK(point.model.seq == 1024);
  CHECK(find_value(point.axes, "compile")->text == "False");
  CHECK_FALSE(point.model.params);  // what it prints is without an embedding
}

TEST_CASE("nanoGPT's old lines have no MFU and no header") {
  const LogRun run = only_run(
      "iter 1631: loss 4.0863, time 561.94ms\n"
      "iter 1632: loss 3.7441, time 563.15ms\n"
      "iter 1633: loss 3.9848, time 56");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1631, 1632});
  CHECK(times_of(run) == std::vector<double>{561.94, 563.15});
  CHECK(flags_of(run) == std::vector<unsigned>{0, 0});
}

TEST_CASE("a word that ends as nanoGPT's number of parameters does says nothing") {
  std::string log = excerpt("nanogpt.log");
  log.insert(log.find("number of parameters"), "the_");
  CHECK_FALSE(find_value(only_run(log).arguments, "number of parameters"));
}

TEST_CASE("a line with another unit than nanoGPT's is not its own") {
  CHECK(scrape("iter 100: loss 4.0863, time 561.94s\n").empty());
  CHECK(scrape("iter 100, loss 4.0863, time 561.94ms\n").empty());
}
