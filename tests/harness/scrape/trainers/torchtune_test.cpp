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
