// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/block_design.h"

#include <algorithm>
#include <map>

#include "harness/campaign/finite_field.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// How often each pair of points stands in one block, over all replicates.
std::vector<int> concurrences(const std::vector<Replicate>& design, std::size_t points) {
  std::vector<int> met(points * points, 0), pairs;
  for (const auto& replicate : design) {
    for (const auto& block : replicate) {
      for (const auto i : block) {
        for (const auto j : block) ++met[i * points + j];
      }
    }
  }
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs.push_back(met[i * points + j]);
  }
  return pairs;
}

struct Bounds {
  std::size_t points, blocks, replicates;
  int least, most;
};

/// Least and most often that a pair meets.
std::pair<int, int> range(const Bounds& of, std::uint64_t seed) {
  const auto pairs =
      concurrences(resolvable_design(of.points, of.blocks, of.replicates, seed), of.points);
  const auto [least, most] = std::minmax_element(pairs.begin(), pairs.end());
  return {*least, *most};
}

}  // namespace

TEST_CASE("every replicate has each point once in blocks of one size or one less") {
  for (std::size_t points : {1U, 2U, 5U, 9U, 11U, 16U, 23U, 60U, 201U, 1000U}) {
    for (std::size_t blocks = 1; blocks <= std::min<std::size_t>(points, 17); ++blocks) {
      for (const auto& replicate : resolvable_design(points, blocks, 4, 7)) {
        REQUIRE(replicate.size() == blocks);
        std::vector<std::size_t> all;
        for (const auto& block : replicate) {
          all.insert(all.end(), block.begin(), block.end());
          CHECK((block.size() == points / blocks || block.size() == (points - 1) / blocks + 1));
        }
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < points; ++i) REQUIRE(all.at(i) == i);
        CHECK(all.size() == points);
      }
    }
  }
}

TEST_CASE("lattices and geometries are balanced: every pair meets equally often") {
  for (const Bounds& of : std::vector<Bounds>{{9, 3, 4, 1, 1},
                                              {16, 4, 5, 1, 1},
                                              {25, 5, 6, 1, 1},
                                              {49, 7, 8, 1, 1},
                                              {64, 8, 9, 1, 1},
                                              {4, 2, 3, 1, 1},
                                              {8, 2, 7, 3, 3},
                                              {16, 2, 15, 7, 7},
                                              {27, 3, 13, 4, 4},
                                              {64, 4, 21, 5, 5},
                                              {9, 3, 8, 2, 2}}) {
    CAPTURE(of.points, of.blocks, of.replicates);
    for (const std::uint64_t seed : {1U, 2U, 99U})
      CHECK(range(of, seed) == std::pair(of.least, of.most));
  }
}

TEST_CASE("in cyclic designs no pair meets twice") {
  for (const Bounds& of : std::vector<Bounds>{{12, 4, 4, 0, 1},
                                              {15, 5, 5, 0, 1},
                                              {23, 5, 5, 0, 1},
                                              {44, 11, 11, 0, 1},
                                              {30, 8, 8, 0, 1},
                                              {1000, 101, 5, 0, 1}}) {
    CAPTURE(of.points, of.blocks, of.replicates);
    CHECK(range(of, 3) == std::pair(of.least, of.most));
  }
}

TEST_CASE("where no construction fits the search keeps pairs near balance") {
  for (const Bounds& of : std::vector<Bounds>{{11, 3, 5, 0, 3},
                                              {12, 3, 11, 2, 4},
                                              {12, 6, 5, 0, 1},
                                              {24, 6, 5, 0, 2},
                                              {20, 2, 19, 8, 10},
                                              {12, 4, 11, 1, 3},
                                              {100, 10, 5, 0, 2}}) {
    CAPTURE(of.points, of.blocks, of.replicates);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const auto [least, most] = range(of, seed);
      CHECK(least >= of.least);
      CHECK(most <= of.most);
    }
  }
}

TEST_CASE("a design depends on its seed alone and a longer one begins with the shorter") {
  for (const auto& [points, blocks] :
       std::vector<std::pair<std::size_t, std::size_t>>{{9, 3}, {11, 3}, {23, 5}, {300, 6}}) {
    const auto longer = resolvable_design(points, blocks, 9, 5);
    const auto shorter = resolvable_design(points, blocks, 3, 5);
    CHECK(std::equal(shorter.begin(), shorter.end(), longer.begin()));
    CHECK(resolvable_design(points, blocks, 3, 6) != shorter);
  }
  CHECK(resolvable_design(6, 3, 2, 1) ==
        std::vector<Replicate>{{{1, 4}, {3, 5}, {0, 2}}, {{1, 2}, {3, 4}, {0, 5}}});  // anywhere
}

TEST_CASE("finite fields are those of primes and powers of two") {
  for (std::size_t order : {2U, 3U, 4U, 8U, 16U, 31U, 32U, 64U, 128U, 256U, 512U, 1024U}) {
    const auto field = FiniteField::of_order(order);
    REQUIRE(field);
    for (std::size_t a = 1; a < order; a += 1 + order / 40) {
      std::vector<bool> seen(order, false);
      for (std::size_t b = 0; b < order; ++b) seen[field->multiply(a, b)] = true;
      CHECK(std::count(seen.begin(), seen.end(), true) == static_cast<std::ptrdiff_t>(order));
    }
  }
  for (std::size_t order : {0U, 1U, 6U, 9U, 15U, 2048U}) CHECK_FALSE(FiniteField::of_order(order));
}
