// SPDX-License-Identifier: Apache-2.0
#include "probes/common/steps.h"

#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

/// How many calls are found for calls of which each takes so long.
std::int64_t found(double wanted_us, double call_us, int* rounds = nullptr) {
  return calls_that_take(wanted_us, [&](std::int64_t) {
    if (rounds) ++*rounds;
    return call_us;
  });
}

}  // namespace

TEST_CASE("a step is as many calls as last long enough to be measured") {
  CHECK(found(10'000, 20'000) == 1);
  CHECK(found(10'000, 10'000) == 1);
  CHECK(found(10'000, 3'000) == 4);
  CHECK(found(10'000, 1) == 10'000);
  CHECK(found(0, 5) == 1);
}

TEST_CASE("however short a call is, a step has at most a million") {
  CHECK(found(1e9, 1) == 1'000'000);
  CHECK(found(10'000, 0) == 1'000'000);
}

TEST_CASE("the first calls are slow: their number grows tenfold at most") {
  int rounds = 0;
  CHECK(found(10'000, 1, &rounds) == 10'000);
  CHECK(rounds == 5);  // 1, 10, 100, 1000, 10000
}

TEST_CASE("a step's line has its time in microseconds and its calls") {
  CHECK(step_line(1, 20, 12.34567, 812) ==
        " step        1/      20 | time (us): 12.3457 | calls: 812");
  CHECK(point_line({{"op", "all_reduce"}, {"bytes", "8"}}) == " > point: op=all_reduce bytes=8");
  CHECK(last_step_line(20) == " > done: 20 steps");
}
