// SPDX-License-Identifier: Apache-2.0
// nested_single_repeat.csv: one run per allocation, and 2, 3 and 1 allocations on three days.
#include <cmath>
#include <utility>

#include "core/base/random.h"
#include "reports/statistics/interval.h"
#include "reports/statistics/linear.h"
#include "reports/statistics/reml.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::indicators;
using test::near;
using test::reference;
using test::within;

namespace {

const nlohmann::json& answers() { return reference().at("nested_single_repeat"); }

/// Allocations of three such days, whose sd is `day_sd` times that between allocations of a day.
std::vector<RunMoments> three_days(double day_sd, Random& random) {
  const std::vector<int> allocations{2, 3, 1};
  std::vector<RunMoments> runs;
  for (std::size_t day = 0; day < allocations.size(); ++day) {
    const double level = 100 + day_sd * normal(random);
    for (int i = 0; i < allocations[day]; ++i)
      runs.push_back(test::moments_of("2024-05-0" + std::to_string(day + 1),
                                      std::to_string(runs.size()), {level + normal(random)}));
  }
  return runs;
}

/// Of days that do not differ: F of the means of their allocations.
double p_of_days(const Nesting& nesting) {
  const auto means = allocation_means(nesting);
  const Columns all{std::vector<double>(means.size(), 1)};
  Columns by_day = all;
  for (auto& column : indicators(nesting.day_of_allocation)) by_day.push_back(column);
  return p_of_more(*least_squares(all, means), *least_squares(by_day, means));
}

/// Shares of such measurements whose interval over days, and over allocations, holds the truth.
std::pair<double, double> shares_that_hold(double day_sd) {
  constexpr int kTimes = 2000;
  Random random(103);
  int days = 0, allocations = 0;
  for (int i = 0; i < kTimes; ++i) {
    const auto runs = three_days(day_sd, random);
    const auto interval = interval_of(runs);
    days += static_cast<int>(*interval.low <= 100 && 100 <= *interval.high);
    const auto means = allocation_means(nest(runs));
    allocations += static_cast<int>(std::abs(mean_of(means) - 100) <= t_half_width(means));
  }
  return {days / double{kTimes}, allocations / double{kTimes}};
}

}  // namespace

TEST_CASE("levels that the data cannot tell apart are one component, as in lme4") {
  const auto found = components_of(nest(test::runs_of("nested_single_repeat.csv")));
  const auto& variances = answers().at("variance");
  REQUIRE(found.components.size() == 3);
  CHECK(found.components[0].variance == within(variances.at("Residual"), 1e-5));
  CHECK(found.components[1].levels == "allocation and run");
  CHECK(found.components[1].variance == within(variances.at("allocation"), 1e-5));
  CHECK(found.components[2].levels == "day");
  CHECK(found.components[2].variance == 0);  // there 5e-11
  CHECK(variances.at("day").get<double>() < 1e-9);
  CHECK(answers().at("singular").get<bool>());
  CHECK(found.fit.reml == test::about(answers().at("criterion_m2ll"), 1e-6));
  CHECK(found.fit.mean == within(answers().at("intercept")));
  CHECK(found.fit.se == within(answers().at("se"), 1e-5));
}

// R's 1204.2 ± 25.1 takes the six allocations as independent, since no variance between days is
// detected; pippin says 1210.0 ± 61.6, from the means of three days. pippin is right: its mean is
// to hold on other days, too, and three days cannot show that days do not differ. Days that spread
// as much as allocations are detected in one of six cases, and R's interval then misses the truth
// in 14 % of all cases, of days that spread three times as much in 23 %, pippin's in 5 %. R's would
// do for a claim about these three days alone.
TEST_CASE("three days are the unit, even where no difference between them is detected") {
  auto runs = test::runs_of("nested_single_repeat.csv");
  const Interval over_days = interval_of(runs);
  CHECK(over_days.unit == "day");
  CHECK(over_days.mean == Approx(1209.95).margin(0.01));
  CHECK(over_days.high.value() - over_days.mean == Approx(61.6).margin(0.05));
  for (auto& run : runs) run.day.clear();
  const Interval over_allocations = interval_of(runs);
  CHECK(over_allocations.unit == "allocation");
  CHECK(over_allocations.low.value() == near(answers().at("alloc_means_t_ci").at(0)));
  CHECK(over_allocations.high.value() == near(answers().at("alloc_means_t_ci").at(1)));
}

TEST_CASE("of six allocations of three days nobody can tell that days do not differ") {
  CHECK(p_of_days(nest(test::runs_of("nested_single_repeat.csv"))) == Approx(0.31).margin(0.01));
  constexpr int kTimes = 1000;
  Random random(1);
  int found = 0;
  for (int i = 0; i < kTimes; ++i)
    found += static_cast<int>(p_of_days(nest(three_days(1, random))) < 0.05);
  CHECK(found < kTimes / 5);
}

TEST_CASE("intervals over three days hold the truth whether days differ or not") {
  const auto alike = shares_that_hold(0), apart = shares_that_hold(1), far = shares_that_hold(3);
  for (const auto& shares : {alike, apart, far}) CHECK(shares.first > 0.93);
  CHECK(alike.second > 0.93);
  CHECK(apart.second < 0.9);
  CHECK(far.second < 0.8);
}
