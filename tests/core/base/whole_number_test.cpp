// SPDX-License-Identifier: Apache-2.0
#include "core/base/whole_number.h"

#include <limits>

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a double is a whole number where it has no fraction and neighbours a unit away") {
  CHECK(whole_number(0) == 0);
  CHECK(whole_number(-3) == -3);
  CHECK(whole_number(9007199254740991) == 9007199254740991);
  for (const double none : {0.5, -1e-9, 9007199254740992.0, -9007199254740992.0, 1e300,
                            std::numeric_limits<double>::infinity(), std::nan("")})
    CHECK_FALSE(whole_number(none));
}

TEST_CASE("the nearest whole number of a double is none where that is beyond all counts") {
  CHECK(nearest_whole_number(15.933 * 1e9) == 15933000000);
  CHECK(nearest_whole_number(-1.5) == -2);
  for (const double none : {1e300, -1e19, std::nan("")}) CHECK_FALSE(nearest_whole_number(none));
}
