// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/common_mode.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// `count` rows on 5 allocations a side that all of them share; `moves` are added to the other.
std::vector<TwoSides> simulated(Random& random, const std::vector<double>& moves, double between,
                                double within) {
  std::vector<TwoSides> rows(moves.size());
  for (std::size_t allocation = 0; allocation < 10; ++allocation) {
    const double here = between * normal(random);
    for (std::size_t row = 0; row < moves.size(); ++row) {
      RowMeans& side = allocation < 5 ? rows[row].base : rows[row].other;
      side.allocations.push_back(allocation);
      side.values.push_back(here + within * normal(random) + (allocation < 5 ? 0 : moves[row]));
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("half of the rows slower is no common shift") {
  Random random(1);
  std::vector<double> moves(12, 0);
  for (std::size_t row = 0; row < 6; ++row) moves[row] = std::log(1.2);
  for (int i = 0; i < 50; ++i)
    CHECK(rows_of_one_shift(simulated(random, moves, 0.05, 0.01)).empty());
}

TEST_CASE("what all rows share is one shift, and a few that moved are none of it") {
  Random random(2);
  std::vector<double> moves(12, std::log(1.1));
  moves[3] = std::log(1.3);
  int with_it = 0, enough = 0;
  for (int i = 0; i < 50; ++i) {
    const auto members = rows_of_one_shift(simulated(random, moves, 0.05, 0.01));
    with_it += static_cast<int>(std::count(members.begin(), members.end(), 3));
    enough += static_cast<int>(members.size() >= 8);
  }
  CHECK(with_it == 0);
  CHECK(enough >= 40);
}

TEST_CASE("three rows have no common shift: two of them could have moved") {
  Random random(3);
  CHECK(rows_of_one_shift(simulated(random, {0, 0, 0}, 0.05, 0.01)).empty());
  CHECK(rows_of_one_shift({}).empty());
}

TEST_CASE("rows that miss an allocation are averaged by what the others show") {
  // Row 1 is ten times as long and misses the last allocation of each side.
  const double far = std::log(10);
  const std::vector<TwoSides> rows{
      {{{0, 1, 2}, {0, 0.1, 0.2}}, {{3, 4, 5}, {0.5, 0.6, 0.7}}},
      {{{0, 1}, {far, far + 0.1}}, {{3, 4}, {far + 0.5, far + 0.6}}},
  };
  const auto shift = common_shift(rows, {0, 1});
  CHECK(shift.difference->estimate == Approx(0.5).epsilon(0.05));
  CHECK(beside_shift(rows, {1})[0].difference->estimate == Approx(0).margin(1e-12));
}

TEST_CASE("rows that share no allocation are held against the others' mean") {
  const std::vector<TwoSides> rows{
      {{{0, 1}, {1, 1.1}}, {{2, 3}, {2, 2.1}}},
      {{{4, 5}, {3, 3.1}}, {{6, 7}, {3.2, 3.3}}},
      {{{8, 9}, {5, 5.1}}, {{10, 11}, {5.4, 5.5}}},
  };
  const auto found = beside_shift(rows, {1, 2})[0];
  CHECK_FALSE(found.paired);
  CHECK(found.difference->estimate == Approx(1 - 0.3));
  // Each row's se is sqrt(2 * 0.005 / 2); the mean of two has half of its square.
  CHECK(found.difference->se == Approx(std::sqrt(0.005 * 1.5)));
}
