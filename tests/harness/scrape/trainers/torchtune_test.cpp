// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("torchtune's rates are of tokens that nobody counted: they are refused") {
  const std::string log = excerpt("torchtune.log");
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.runs.empty());
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems.front() ==
        "looks like a log of torchtune, but it says tokens a second and GPU, but not how many a "
        "GPU has in a step (gbs, seq and gpus)");
}

TEST_CASE("a torchtune that tells the seconds of its steps is read") {
  const LogRun run = only_run(
      "Step 1 | loss:6.40 lr:5e-07 time_per_step_s:70.2 tokens_per_second_per_gpu:27 "
      "grad_norm:97.5\n"
      "Step 2 | loss:1.58 lr:1e-06 time_per_step_s:21.6 tokens_per_second_per_gpu:91 "
      "grad_norm:131.0\n");
  CHECK(run.point.trainer == "torchtune");
  CHECK(times_of(run)[0] == Approx(70200));
  CHECK(times_of(run)[1] == Approx(21600));
}

TEST_CASE("a torchtune step without its seconds is left out where others tell them") {
  const std::string begin = "| loss:1.2 lr:2e-05 tokens_per_second_per_gpu:1234.5";
  const auto whole = [&](int step) {
    return fmt::format("Step {} {} time_per_step_s:21.6 grad_norm:9.5\n", step, begin);
  };
  const std::string first = fmt::format("Step 1 {}\n", begin);
  const std::string log = first + whole(2) + whole(3) + fmt::format("Step 4 {} time_per", begin);
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{2, 3});
  CHECK(times_of(run) == std::vector<double>{21600, 21600});
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused[0].count == 2);
  CHECK(found.unused[0].reason == "it has no time_per_step_s, as others have");
}

TEST_CASE("a launch of torchtune after one without seconds takes nothing from that") {
  const std::string begin = "| loss:1.2 lr:2e-05 tokens_per_second_per_gpu:1234.5";
  std::string log;
  for (int step = 1; step <= 6; ++step) log += fmt::format("Step {} {}\n", step, begin);
  for (int step = 1; step <= 2; ++step)
    log += fmt::format("Step {} {} time_per_step_s:21.6\n", step, begin);
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(found.runs.size() == 1);
  CHECK(steps_of(found.runs[0]) == std::vector<std::int64_t>{1, 2});
  CHECK(found.unused.empty());
  CHECK(found.problems.size() == 1);
}

TEST_CASE("a torchtune that is launched again within its first steps is two launches") {
  const auto row = [](int step, double seconds) {
    return fmt::format(
        "Step {} | loss:1.2 lr:2e-05 time_per_step_s:{} tokens_per_second_per_gpu:90\n", step,
        seconds);
  };
  for (int steps = 1; steps <= 4; ++steps) {
    CAPTURE(steps);
    std::string log;
    for (int step = 1; step <= steps; ++step) log += row(step, 21.5);
    for (int step = 1; step <= 5; ++step) log += row(step, 31.5);
    const auto runs = scrape(log);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].iterations.size() == static_cast<std::size_t>(steps));
    CHECK(times_of(runs[1]) == std::vector<double>(5, 31500));
  }
  std::string twice;
  for (int i = 0; i < 2; ++i) {
    for (int step = 7; step <= 12; ++step) twice += row(step, 21.5);
  }
  CHECK(steps_of(only_run(twice)) == std::vector<std::int64_t>{7, 8, 9, 10, 11, 12});
}
