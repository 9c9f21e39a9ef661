// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("Megatron-LM's progress.txt is refused, as it has no times of steps") {
  const std::string log =
      "2025-02-24 17:01:12\tJob ID: 198424\t# GPUs: 8\tStarting job\n"
      "2025-02-24 17:35:03\tJob ID: 198424\t# GPUs: 8\tSaving async checkpoint\tIteration: 100\t"
      "Job throughput: 364.8 TFLOP/s/GPU\tCumulative throughput: 364.8 TFLOP/s/GPU\t"
      "Floating-point operations: 5.68e+18\tTokens (in billions): 0.42\n";
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused.front().count == 2);
  CHECK(found.unused.front().reason.find("progress.txt") != std::string::npos);
}
