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
