// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "core/base/files.h"
#include "core/base/random.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/damage.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

void check_sane(const std::vector<LogRun>& runs) {
  for (const auto& run : runs) {
    REQUIRE(run.point.id.size() == 16);
    std::int64_t last = -1;
    for (const auto& iteration : run.iterations) {
      REQUIRE(iteration.step_time_ms > 0);
      REQUIRE(iteration.interval >= 1);
      REQUIRE(iteration.number > last);
      last = iteration.number;
    }
  }
}

}  // namespace

TEST_CASE("no damage to a log brings the scraper down") {
  const fs::path folder = test::source_directory() / "tests/data/logs";
  Random random(20210523);
  for (const auto& name : disk().list(folder)) {
    const std::string whole = read_input(folder / name);
    for (int round = 0; round < 150; ++round) {
      std::string text = whole;
      for (auto left = 1 + random.below(12); left > 0; --left) test::damage(text, random);
      check_sane(scrape(text));
    }
  }
}

TEST_CASE("every beginning of a log reads without a wrong number") {
  const std::string whole =
      read_input(test::source_directory() / "tests/data/logs/megatron-2021-16-gpus.out");
  const auto all = scrape(whole).at(0).iterations;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto runs = scrape(std::string_view(whole).substr(0, size));
    if (runs.empty()) continue;
    REQUIRE(runs.size() == 1);
    REQUIRE(runs[0].iterations.size() <= all.size());
    for (std::size_t i = 0; i < runs[0].iterations.size(); ++i)
      REQUIRE(runs[0].iterations[i].step_time_ms == all[i].step_time_ms);
  }
}

TEST_CASE("a large log takes seconds") {
  std::string log = test::dump();
  const std::string noise(120, 'x');
  for (int number = 1; number <= 20000; ++number) {
    log += test::row(number, 100);
    for (int line = 0; line < 12; ++line) log += "[INFO] " + noise + "\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto runs = scrape(log);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 20000);
  // Ten times what it takes, so that only a change of its growth shows, not a busy machine.
  CHECK(seconds.count() < 10 * static_cast<double>(log.size()) / 200e6 + 2);
}
