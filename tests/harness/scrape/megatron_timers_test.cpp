// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::only_run;
using test::row;

TEST_CASE("the timers under an iteration belong to it") {
  const auto run = only_run(
      dump() + "time (ms) | model-and-optimizer-setup: 313.66 | train iterators: 461.61\n" +
      row(1, 100) + "[Rank 0] (after 1 iterations) memory (MB) | allocated: 5.0\n" +
      "time (ms) | forward-compute: 148.03 | batch-generator: 2.10\n" + row(2, 90) + "time (ms)\n" +
      row(3, 91) + "saving checkpoint at iteration 3 to /x\n" +
      "time (ms) | save-checkpoint: 57514.53\n" + row(4, 92) +
      "echo time (ms) | forward-compute: 1.0\n");
  REQUIRE(run.iterations.size() == 4);
  CHECK(run.iterations[0].other ==
        NamedValues{{"forward-compute", value_of(148.03)}, {"batch-generator", value_of(2.1)}});
  for (int i = 1; i < 4; ++i) CHECK(run.iterations[static_cast<std::size_t>(i)].other.empty());
}

TEST_CASE("what a timers' line holds beside them is read in the next launch, too") {
  const auto torn = [](const char* time) {
    return std::string("time (ms) | forward-compute: ") + time + " |" + row(2, 90);
  };
  const std::string first = row(1, 100) + torn("148.0"), other = row(1, 103) + torn("149.0");
  const std::string log = dump() + first + other;
  const auto runs = scrape_parts([&](const auto& take) { take(log); }).runs;
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].iterations.size() == 2);
  CHECK(runs[1].iterations.size() == 2);
}

TEST_CASE("today's timers are the least and the most of all ranks") {
  const std::string title = "INFO:megatron.core.timers:(min, max) time across ranks (ms):\n";
  const auto run = only_run(
      dump() + title + "    load-checkpoint ................................: (0.18, 0.18)\n" +
      row(1, 100) + title +
      "    forward-backward ...............................: (3198.27, 3199.53)\n"
      "    optimizer-clip-main-grad .......................: (12.00, x)\n"
      "[Rank 1] (after 1 iterations) memory (MB) | allocated: 5.0\n"
      "    optimizer ......................................: (3407.5, 3409.9)\n" +
      row(2, 90) + title +
      "    evaluate .......................................: (3274.73, 3274.73)\n" + row(3, 91));
  REQUIRE(run.iterations.size() == 3);
  CHECK(run.iterations[0].other == NamedValues{{"forward-backward min", value_of(3198.27)},
                                               {"forward-backward max", value_of(3199.53)},
                                               {"optimizer min", value_of(3407.5)},
                                               {"optimizer max", value_of(3409.9)}});
  CHECK(run.iterations[1].other.empty());
  CHECK(run.iterations[2].flags == kAfterEvaluation);
}

TEST_CASE("timers of the slowest rank, or of all, belong to the iteration above them") {
  const auto run = only_run(
      dump() + row(1, 100) + "max time across ranks (ms):\n" +
      "    forward-backward ...............................: 3199.53\n"
      "    optimizer ......................................: 12.50\n" +
      row(2, 90) + "INFO:megatron.core.timers:times across ranks (ms):\n" +
      "  forward-backward:\n     rank  0: 3198.27\n     rank  1: 3201.5\n     rank 12: 3200.0\n"
      "  optimizer:\n     rank  0: 12.5\n" +
      row(3, 91) + "     rank  0: 99.5\n  other ....: 1.5\n" + row(4, 92));
  REQUIRE(run.iterations.size() == 4);
  CHECK(run.iterations[0].other == NamedValues{{"forward-backward max", value_of(3199.53)},
                                               {"optimizer max", value_of(12.5)}});
  CHECK(find_value(run.iterations[1].other, "forward-backward min")->number == 3198.27);
  CHECK(find_value(run.iterations[1].other, "forward-backward max")->number == 3201.5);
  CHECK(find_value(run.iterations[1].other, "optimizer max")->number == 12.5);
  CHECK(run.iterations[2].other.empty());
  CHECK(run.iterations[3].other.empty());
}

TEST_CASE("a timer's range is its least and its most") {
  CHECK(
      timers_in("forward-compute ....: (1.5, 2.5)") ==
      NamedValues{{"forward-compute min", value_of(1.5)}, {"forward-compute max", value_of(2.5)}});
  CHECK(timers_in("  f .: (1, 2)").size() == 2);
  for (const char* line : {"f: (1.5, 2.5)x", "f .: (1.5)", "f .: (x, 2.5)", "f .: (1.5, x)",
                           "f .: 1.5, 2.5)", "f, .: (1.5)"})
    CHECK(timers_in(line).empty());
  CHECK(timers_in("time (ms) | forward: 1.5 | backward: 2.5 | x: y") ==
        NamedValues{{"forward", value_of(1.5)}, {"backward", value_of(2.5)}});
}
