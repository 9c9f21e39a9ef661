// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/linear.h"

#include "reports/statistics/shares.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("what cannot be told has no fit") {
  CHECK_FALSE(least_squares({{1, 1, 1}, {2, 2, 2}}, {1, 2, 3}));  // one is the other's double
  CHECK_FALSE(least_squares({{1, 1}, {1, 2}}, {1, 2}));           // nothing is left for the noise
  CHECK_FALSE(variance_shares({1, 1, 1, 1}, {0, 0, 0, 0}, {{1, 2, 3, 5}}));  // nothing varies
  CHECK_FALSE(least_squares_within({{0.1, 0.1, 7.3, 7.3, 7.3}}, {1, 2, 3, 4, 5}, {0, 0, 1, 1, 1}));
  CHECK_FALSE(least_squares_within({{1, 2, 4}}, {1, 2, 3}, {0, 0, 1}));
  CHECK_FALSE(least_squares_within({}, {1, 2}, {0, 1}));
}

TEST_CASE("a fit beside the means of labels is that with a column for each") {
  const std::vector<std::size_t> labels{0, 2, 0, 1, 2, 2, 1, 0, 1, 2};
  const std::vector<double> x{1, 4, 2, 8, 5, 7, 1, 3, 9, 6}, y{2, 1, 9, 3, 8, 4, 4, 7, 5, 6};
  const Columns means{std::vector<double>(labels.size(), 1), test::indicators(labels)[0],
                      test::indicators(labels)[1]};
  Columns all = means;
  all.push_back(x);
  const auto full = least_squares(all, y), within = least_squares_within({x}, y, labels);
  CHECK(within->coefficients[0] == Approx(full->coefficients[3]));
  CHECK(within->errors[0] == Approx(full->errors[3]));
  CHECK(within->squares == Approx(full->squares));
  CHECK(within->df == full->df);
  const auto plain = least_squares(means, y), without = least_squares_within({}, y, labels);
  CHECK(without->squares == Approx(plain->squares));
  CHECK(p_of_more(*without, *within) == Approx(p_of_more(*plain, *full)));
}
