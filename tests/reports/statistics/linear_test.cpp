// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/linear.h"

#include <limits>

#include "reports/statistics/shares.h"
#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("what cannot be told has no fit") {
  CHECK_FALSE(least_squares({{1, 1, 1}, {2, 2, 2}}, {1, 2, 3}));  // one is the other's double
  CHECK_FALSE(least_squares({{1, 1}, {1, 2}}, {1, 2}));           // nothing is left for the noise
  CHECK_FALSE(variance_shares({1, 1, 1, 1}, {0, 0, 0, 0}, {{1, 2, 3, 5}}));  // nothing varies
  CHECK(variance_inflation({{1, 1, 1, 1}, {1, 2, 3, 4}, {2, 4, 6, 8}})[0] ==
        std::numeric_limits<double>::infinity());
}
