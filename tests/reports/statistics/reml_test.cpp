// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/reml.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

#include "reports/statistics/mixed.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

Approx near(double value, double relative) { return Approx(value).epsilon(relative).margin(0); }

}  // namespace

TEST_CASE("components are named by their level, lowest first") {
  const auto found = components_of(nest(test::runs_of("nested_unbalanced.csv")));
  std::vector<std::string> levels;
  for (const auto& component : found.components) levels.push_back(component.levels);
  CHECK(levels == std::vector<std::string>{"iteration", "run", "allocation", "day"});
}

TEST_CASE("a variance that is not there is exactly zero") {
  const auto found = components_of(nest(test::runs_of("nested_negative.csv")));
  CHECK(found.variances[kRun] == 0);
}

TEST_CASE("one iteration per run leaves one component") {
  const auto found =
      components_of(nest({test::moments_of("", "a", {1.0}), test::moments_of("", "b", {2.0}),
                          test::moments_of("", "c", {4.0})}));
  REQUIRE(found.components.size() == 1);
  CHECK(found.components[0].variance == near(7.0 / 3, 1e-9));
  REQUIRE(found.df);
  CHECK(*found.df == near(2, 1e-3));
}

TEST_CASE("of several configurations, too, an allocation of one run differs from others") {
  std::mt19937 random(11);
  std::normal_distribution<double> of_allocation(0, 0.03), of_iteration(0, 0.01);
  std::vector<RunMoments> runs;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t configuration = i % 6;
    const double level = 1 + 0.2 * static_cast<double>(configuration) + of_allocation(random);
    std::vector<double> times;
    for (int k = 0; k < 30; ++k) times.push_back(level + of_iteration(random));
    runs.push_back(test::moments_of("", fmt::format("a{}", i), times));
    runs.back().configuration = configuration;
  }
  Nesting nesting = nest(runs);
  nesting.configurations = 6;
  const auto found = components_of(nesting);
  REQUIRE(found.components.size() == 2);
  CHECK(found.components[1].levels == "allocation and run");
  CHECK(std::sqrt(found.components[0].variance) == near(0.01, 0.05));
  CHECK(std::sqrt(found.components[1].variance) == near(0.03, 0.25));
}

TEST_CASE("data without spread inside its runs still has a mean") {
  const auto found =
      components_of(nest({test::moments_of("", "a", {1.0, 1.0}), test::moments_of("", "b", {2.0}),
                          test::moments_of("", "c", {3.0, 3.0, 3.0})}));
  CHECK(found.fit.mean == near(2, 1e-6));
}

TEST_CASE("an allocation over midnight belongs to one day") {
  const auto nesting =
      nest({test::moments_of("2024-05-02", "a", {1.0}), test::moments_of("2024-05-01", "a", {1.0}),
            test::moments_of("", "a", {1.0}), test::moments_of("2024-05-02", "b", {1.0})});
  CHECK(nesting.allocations() == 2);
  CHECK(nesting.days == 2);
}

namespace {

RunMoments run_in(const std::string& day, const std::string& allocation,
                  const std::vector<double>& values) {
  return test::moments_of(day, allocation, values);
}

}  // namespace

TEST_CASE("runs are grouped by allocation and these by the earliest day that is known") {
  const Nesting nesting =
      nest({run_in("d2", "b", {1, 3}), run_in("d1", "a", {5}), run_in("d1", "b", {7}),
            run_in("", "c", {9}), run_in("d3", "c", {9, 9, 9}), run_in("", "d", {1})});
  CHECK(nesting.runs.size() == 6);
  CHECK(nesting.iterations() == 9);
  CHECK(nesting.allocations() == 4);
  CHECK(nesting.days == 3);
  CHECK(nesting.allocation_of_run[0] == nesting.allocation_of_run[2]);
  CHECK(nesting.allocation_of_run[3] == nesting.allocation_of_run[4]);
  CHECK(nesting.allocation_of_run[0] != nesting.allocation_of_run[1]);
  const auto day = [&](std::size_t run) {
    return nesting.day_of_allocation[nesting.allocation_of_run[run]];
  };
  CHECK(day(0) == day(1));  // of d1 and d2 the earlier
  CHECK(day(0) != day(4));
  CHECK(day(5) != day(4));
  CHECK(day(5) != day(0));
}

TEST_CASE("means of a level are plain means of the level below") {
  const Nesting nesting = nest({run_in("d1", "a", {1, 3}), run_in("d1", "a", {6}),
                                run_in("d1", "b", {8}), run_in("d2", "c", {9, 11})});
  CHECK(run_means(nesting) == std::vector<double>{2, 6, 8, 10});
  CHECK(allocation_means(nesting) == std::vector<double>{4, 8, 10});
  CHECK(day_means(nesting) == std::vector<double>{6, 10});
}

TEST_CASE("repeats are balanced where every level has as many of the one below") {
  const auto of = [](const std::vector<RunMoments>& runs) { return balanced(nest(runs)); };
  CHECK(of({run_in("d1", "a", {1, 2}), run_in("d2", "b", {1, 2})}));
  CHECK(of({run_in("d1", "a", {1})}));
  CHECK_FALSE(of({run_in("d1", "a", {1, 2}), run_in("d2", "b", {1})}));
  CHECK_FALSE(of({run_in("d1", "a", {1}), run_in("d1", "a", {1}), run_in("d2", "b", {1})}));
  CHECK_FALSE(of({run_in("d1", "a", {1}), run_in("d1", "b", {1}), run_in("d2", "c", {1})}));
  CHECK(of({run_in("d1", "a", {1}), run_in("d1", "b", {1}), run_in("d2", "c", {1}),
            run_in("d2", "d", {1})}));
}

TEST_CASE("means of configurations and effects of units go out in either order") {
  Random random(1);
  std::vector<RunMoments> runs;
  for (int i = 0; i < 200; ++i) {
    const auto allocation = random.below(30);
    std::vector<double> values;
    for (std::uint64_t n = 0; n < 1 + random.below(5); ++n) values.push_back(normal(random));
    runs.push_back(test::moments_of("d" + std::to_string(allocation % 4),
                                    "a" + std::to_string(allocation), values));
    runs.back().configuration = i < 20 ? static_cast<std::size_t>(i) : random.below(20);
  }
  const Nesting nesting = nest(runs);
  for (const Variances& variances :
       {Variances{1, 0.5, 2, 3}, Variances{0.1, 0.01, 0, 1}, Variances{2, 0, 0.3, 0}}) {
    const MixedFit one = MixedModel(nesting, MixedModel::Way::kByConfigurations).fit(variances);
    const MixedFit other = MixedModel(nesting, MixedModel::Way::kByUnits).fit(variances);
    CHECK(one.reml == near(other.reml, 1e-10));
    CHECK(one.ml == near(other.ml, 1e-10));
  }
}

TEST_CASE("with one configuration both passes are the same") {
  const Nesting nesting = nest(test::runs_of("nested_unbalanced.csv"));
  const Variances variances{225, 100, 900, 400};
  CHECK(MixedModel(nesting).fit(variances).reml == near(fit_of(nesting, variances).reml, 1e-12));
}

TEST_CASE("an interval surrounds its sd at whatever level there is spread, and at none") {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 120; ++trial) {
    const bool across = random() % 2 == 0, between = random() % 2 == 0, within = random() % 3 > 0;
    const std::size_t configurations = 1 + random() % 3, allocations = 2 + random() % 4;
    std::vector<RunMoments> runs;
    for (std::size_t allocation = 0; allocation < allocations; ++allocation) {
      const double level = across ? 0.1 * normal(random) : 0;
      for (std::size_t i = 0; i < configurations * 2; ++i) {
        const double run = between ? 0.03 * normal(random) : 0;
        std::vector<double> times(1 + random() % 5, 1 + level + run);
        for (double& time : times) time += within ? 0.01 * normal(random) : 0;
        runs.push_back(test::moments_of("d" + std::to_string(allocation / 2),
                                        std::to_string(allocation), times));
        runs.back().configuration = i % configurations;
      }
    }
    // One iteration stands apart, so that there is something to share out.
    runs.front() = test::moments_of("d0", "0", {1.0, 1.0 + 1e-4});
    CAPTURE(trial, across, between, within, configurations, allocations);
    const Nesting nesting = nest(std::move(runs));
    const auto found = components_of(nesting);
    const auto intervals = sd_intervals(nesting, found);
    REQUIRE(intervals.size() == found.components.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const double sd = std::sqrt(found.components[i].variance);
      CHECK(intervals[i].low >= 0);
      CHECK(intervals[i].low <= sd * 1.01);
      CHECK(intervals[i].high >= sd * 0.99);
      CHECK(std::isfinite(intervals[i].high));
    }
  }
}

TEST_CASE("intervals of so many runs that several threads look for them are the same each time") {
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  std::vector<RunMoments> runs;
  for (std::size_t allocation = 0; allocation < 24; ++allocation) {
    const double level = 0.05 * normal(random);
    for (std::size_t configuration = 0; configuration < 250; ++configuration) {
      std::vector<double> times(5 + random() % 7, 1 + level + 0.02 * normal(random));
      for (double& time : times) time += 0.01 * normal(random);
      runs.push_back(test::moments_of("d" + std::to_string(allocation / 4),
                                      std::to_string(allocation), times));
      runs.back().configuration = configuration;
    }
  }
  const Nesting nesting = nest(std::move(runs));
  const auto found = components_of(nesting);
  REQUIRE(found.components.size() == 4);
  const auto intervals = sd_intervals(nesting, found);
  for (const auto& [component, sd] : {std::pair{0, 0.01}, {1, 0.02}, {2, 0.05}}) {
    CAPTURE(component, intervals[component].low, intervals[component].high);
    CHECK(intervals[component].low < sd);
    CHECK(intervals[component].high > sd);
  }
  for (int again = 0; again < 3; ++again) {
    const auto others = sd_intervals(nesting, found);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      CHECK(others[i].low == intervals[i].low);
      CHECK(others[i].high == intervals[i].high);
    }
  }
}
