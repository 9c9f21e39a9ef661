// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("Colossal-AI's rate of a run is refused, as its batch is unknown") {
  const std::string log = excerpt("colossalai.log");
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused.front().count == 1);
  CHECK(found.unused.front().reason ==
        "it is the mean of a run, and nothing says how many samples a step has");
}
