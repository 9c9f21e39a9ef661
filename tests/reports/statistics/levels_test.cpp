// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Series = std::vector<double>;

double squared_error(const Series& values, std::size_t from, std::size_t to) {
  double mean = 0, error = 0;
  for (std::size_t i = from; i < to; ++i) mean += values[i] / static_cast<double>(to - from);
  for (std::size_t i = from; i < to; ++i) error += (values[i] - mean) * (values[i] - mean);
  return error;
}

double cost_of(const Series& values, const std::vector<std::size_t>& starts, double penalty) {
  double cost = -penalty;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : values.size();
    cost += squared_error(values, starts[i], end) + penalty;
  }
  return cost;
}

/// The least cost of all partitions, by looking at every one that may be best.
double least_cost(const Series& values, double penalty, std::size_t shortest) {
  std::vector<double> best(values.size() + 1, std::numeric_limits<double>::infinity());
  best[0] = -penalty;
  for (std::size_t to = 1; to <= values.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      if (from > 0 && to - from < shortest) continue;
      best[to] = std::min(best[to], best[from] + squared_error(values, from, to) + penalty);
    }
  }
  return best.back();
}

/// Levels of random lengths and heights, and noise.
Series levels(std::mt19937_64& random, std::size_t count, double noise) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> often(0, 19);
  Series values;
  double level = -3;
  for (std::size_t i = 0; i < count; ++i) {
    if (often(random) == 0) level += normal(random);
    values.push_back(level + noise * normal(random));
  }
  return values;
}

void check_best(const Series& values, double penalty, std::size_t shortest) {
  const auto starts = level_starts(values, penalty, shortest);
  REQUIRE(!starts.empty());
  CHECK(starts.front() == 0);
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : values.size();
    CHECK(end - starts[i] >= shortest);
  }
  CHECK(cost_of(values, starts, penalty) ==
        Approx(least_cost(values, penalty, shortest)).epsilon(1e-9).margin(1e-9));
}

}  // namespace

TEST_CASE("no partition costs less than the one that is found") {
  std::mt19937_64 random(5);
  for (const double noise : {0.0, 0.001, 0.1, 1.0}) {
    for (const double penalty : {1e-6, 0.01, 1.0, 20.0}) {
      for (const std::size_t shortest : {1, 3, 5}) {
        CAPTURE(noise, penalty, shortest);
        for (const std::size_t count : {1, 2, 4, 5, 6, 11, 40, 120})
          check_best(levels(random, count, noise), penalty, shortest);
      }
    }
  }
}

TEST_CASE("values that are all the same, that rise, or that alternate are parted as cheaply") {
  Series same(50, 2.5), rising, alternating;
  for (int i = 0; i < 60; ++i) {
    rising.push_back(i * 0.1);
    alternating.push_back(i % 2);
  }
  CHECK(level_starts(same, 0.1, 5) == std::vector<std::size_t>{0});
  for (const double penalty : {0.001, 0.3, 5.0}) {
    check_best(same, penalty, 5);
    check_best(rising, penalty, 5);
    check_best(alternating, penalty, 5);
  }
}

TEST_CASE("levels are parted where they change") {
  Series values(30, 1.0);
  std::fill(values.begin() + 3, values.begin() + 17, 5.0);
  CHECK(level_starts(values, 0.5, 5) == std::vector<std::size_t>{0, 3, 17});
}
