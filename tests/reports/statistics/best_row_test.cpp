// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/best_row.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("rows that share no allocation are compared by their own") {
  const RowMeans a{{0, 1, 2}, {1.0, 1.1, 1.2}}, b{{3, 4, 5}, {2.0, 2.1, 2.2}};
  const auto found = row_difference(a, b);
  CHECK_FALSE(found.paired);
  CHECK(found.difference->estimate == Approx(1));
  CHECK(best_row({b, a}, 1).chance[1] > 0.99);
}

TEST_CASE("pairs are used where most allocations are shared") {
  const RowMeans a{{0, 1, 2, 3}, {1, 2, 3, 4}};
  CHECK(row_difference(a, {{1, 3}, {2.5, 4.5}}).paired);
  CHECK(row_difference(a, {{1, 3}, {2.5, 4.5}}).difference->estimate == 0.5);
  CHECK_FALSE(row_difference(a, {{3, 4}, {4.5, 9}}).paired);                  // one
  CHECK_FALSE(row_difference(a, {{2, 3, 4, 5, 6}, {1, 1, 1, 1, 1}}).paired);  // two of five
}

TEST_CASE("the chance of two rows is what their test says") {
  // Each has missed another allocation: they share most, and are paired.
  const RowMeans a{{0, 1, 2, 3, 5}, {1, 1.4, 1.2, 1.1, 1.3}};
  const RowMeans b{{0, 1, 2, 4, 5}, {1.02, 1.47, 1.19, 1.5, 1.38}};
  const auto paired = best_row({a, b}, 1);
  REQUIRE(paired.from_best[1].paired);
  CHECK(std::abs(paired.chance[1] - paired.p[1] / 2) < 0.03);
  const RowMeans alone{{6, 7, 8}, {1.1, 1.5, 1.35}};
  const auto unpaired = best_row({a, alone}, 1);
  REQUIRE_FALSE(unpaired.from_best[1].paired);
  CHECK(std::abs(unpaired.chance[1] - unpaired.p[1] / 2) < 0.03);
}

TEST_CASE("of equal rows that ran in differing allocations, few are called sure") {
  constexpr int kTables = 200;
  Random random(7);
  int sure = 0;
  for (int i = 0; i < kTables; ++i) {
    std::vector<RowMeans> rows(6);
    for (std::size_t allocation = 0; allocation < 8; ++allocation) {
      const double common = 0.2 * normal(random);
      for (auto& row : rows) {
        if (random.below(3) == 0) continue;  // failed, or was not in it
        row.allocations.push_back(allocation);
        row.values.push_back(common + 0.02 * normal(random));
      }
    }
    const auto few = [](const RowMeans& row) { return row.values.size() < 2; };
    rows.erase(std::remove_if(rows.begin(), rows.end(), few), rows.end());
    const auto chances = best_row(rows, 1).chance;
    if (*std::max_element(chances.begin(), chances.end()) > 0.95) ++sure;
  }
  CHECK(sure <= kTables / 10);
}

TEST_CASE("in front is who is surely faster where both ran, not who had the better allocations") {
  // The second misses the slow allocation 4, and the first has it.
  const RowMeans first{{0, 1, 2, 3, 4}, {1.00, 1.10, 1.20, 1.05, 2.00}};
  const RowMeans second{{0, 1, 2, 3}, {1.02, 1.121, 1.22, 1.071}};
  const auto found = best_row({first, second}, 1);
  CHECK(found.best == 0);
  CHECK(found.tied == std::vector<bool>{true, false});
  CHECK(found.from_best[1].difference->estimate == Approx(0.0205));
}

TEST_CASE("of rows that beat one another in a circle, one in front of the best has a chance") {
  const auto found = best_row({{{0, 1, 10, 11}, {0, 0, 5, 5.001}},
                               {{0, 1, 20, 21}, {-1, -1.001, 6, 6.001}},
                               {{10, 11, 20, 21}, {6, 6.003, 5, 4.999}}},
                              1);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& difference = found.from_best[i].difference;
    if (difference && difference->estimate < 0) CHECK(found.chance[i] > 0.5);
    CHECK(found.tied[i] == (!difference || difference->estimate < 0));
  }
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
