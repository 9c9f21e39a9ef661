// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/best_row.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("rows that share no allocation are compared by their own") {
  const RowMeans a{{0, 1, 2}, {1.0, 1.1, 1.2}}, b{{3, 4, 5}, {2.0, 2.1, 2.2}};
  const auto found = row_difference(a, b);
  CHECK_FALSE(found.paired);
  CHECK(found.difference->estimate == Approx(1));
  CHECK(best_row({b, a}, 1).chance == std::vector<double>{0, 1});
}

TEST_CASE("pairs are used where most allocations are shared") {
  const RowMeans a{{0, 1, 2, 3}, {1, 2, 3, 4}};
  CHECK(row_difference(a, {{1, 3}, {2.5, 4.5}}).paired);
  CHECK(row_difference(a, {{1, 3}, {2.5, 4.5}}).difference->estimate == 0.5);
  CHECK_FALSE(row_difference(a, {{3, 4}, {4.5, 9}}).paired);                  // one
  CHECK_FALSE(row_difference(a, {{2, 3, 4, 5, 6}, {1, 1, 1, 1, 1}}).paired);  // two of five
}

TEST_CASE("a row of one allocation is tied, as nothing is known of it") {
  const auto found = best_row({{{0, 1, 2}, {1, 1.01, 1.02}}, {{3}, {9}}, {{4, 5}, {5, 5.01}}}, 1);
  CHECK(found.best == 0);
  CHECK(found.tied == std::vector<bool>{true, true, false});
  CHECK(std::isnan(found.p[1]));
  CHECK(found.chance[1] > 0);
  CHECK(found.chance[0] + found.chance[1] == Approx(1));
}

TEST_CASE("chances are shares of one, however many rows no draw has seen win") {
  std::vector<RowMeans> rows;
  for (std::size_t i = 0; i < 1500; ++i) {
    const auto far = static_cast<double>(i) / 300;
    rows.push_back({{2 * i, 2 * i + 1}, {1 + far, 1.5 + far}});
  }
  const auto found = best_row(rows, 1);
  double sum = 0;
  for (const double chance : found.chance) {
    CHECK(chance >= 0);
    sum += chance;
  }
  CHECK(sum == Approx(1));
  CHECK(found.chance[found.best] > found.chance.back());
}

TEST_CASE("of rows that are equal each is the best by its share") {
  const RowMeans row{{0, 1}, {1, 2}};
  CHECK(best_row({row, row}, 1).chance == std::vector<double>{0.5, 0.5});
}
