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
