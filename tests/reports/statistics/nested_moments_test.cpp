// SPDX-License-Identifier: Apache-2.0
// Sums of squares by level: the moment estimators that pippin does not use, as they can be
// negative.
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

#include "reports/statistics/interval.h"
#include "reports/statistics/reml.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

/// Iterations of a unit, and their sum.
struct Sum {
  double n = 0, total = 0;
  std::size_t above = 0;  ///< the unit that it belongs to

  double mean() const { return total / n; }
};

/// Sums of every run, allocation and day, and of all.
std::vector<std::vector<Sum>> sums_of(const Nesting& nesting) {
  std::vector<std::vector<Sum>> sums(kLevels + 1);
  for (std::size_t i = 0; i < nesting.runs.size(); ++i) {
    const auto n = static_cast<double>(nesting.runs[i].n);
    sums[kRun].push_back({n, n * nesting.runs[i].mean, nesting.allocation_of_run[i]});
  }
  for (const std::size_t day : nesting.day_of_allocation) sums[kAllocation].push_back({0, 0, day});
  sums[kDay].resize(nesting.days);
  sums[kDay + 1].resize(1);
  for (std::size_t level = kRun; level <= kDay; ++level) {
    for (const Sum& sum : sums[level]) {
      sums[level + 1][sum.above].n += sum.n;
      sums[level + 1][sum.above].total += sum.total;
    }
  }
  return sums;
}

/// Henderson's first method: sequential sums of squares and what variances they are expected to be.
struct Moments {
  double df[kLevels] = {}, squares[kLevels] = {}, variances[kLevels] = {};
  double coefficients[6] = {};  ///< as R names them, c1 to c6

  double mean_square(Level level) const { return squares[level] / df[level]; }
};

/// Sum over the units of a level of n squared, divided by the n of the unit around at `above`.
double weight(const std::vector<std::vector<Sum>>& sums, std::size_t level, std::size_t above) {
  double result = 0;
  for (const Sum& unit : sums[level]) {
    std::size_t around = unit.above;
    for (std::size_t at = level + 1; at < above; ++at) around = sums[at][around].above;
    result += unit.n * unit.n / sums[above][around].n;
  }
  return result;
}

Moments moments_of(const Nesting& nesting) {
  const auto sums = sums_of(nesting);
  Moments found;
  double below = sums[kDay + 1][0].n;
  for (const Level level : {kRun, kAllocation, kDay}) {
    for (const Sum& unit : sums[level])
      found.squares[level] +=
          unit.n * std::pow(unit.mean() - sums[level + 1][unit.above].mean(), 2);
    found.df[level - 1] = below - static_cast<double>(sums[level].size());
    below = static_cast<double>(sums[level].size());
  }
  found.df[kDay] = below - 1;
  for (const auto& run : nesting.runs) found.squares[kIteration] += run.squares;
  const double all = sums[kDay + 1][0].n;
  const double runs_in_days = weight(sums, kRun, kDay), runs = weight(sums, kRun, kDay + 1);
  const double in_days = weight(sums, kAllocation, kDay);
  const double runs_in_allocations = weight(sums, kRun, kAllocation);
  double* c = found.coefficients;
  c[0] = (all - runs_in_allocations) / found.df[kRun];
  c[1] = (runs_in_allocations - runs_in_days) / found.df[kAllocation];
  c[2] = (all - in_days) / found.df[kAllocation];
  c[3] = (runs_in_days - runs) / found.df[kDay];
  c[4] = (in_days - weight(sums, kAllocation, kDay + 1)) / found.df[kDay];
  c[5] = (all - weight(sums, kDay, kDay + 1)) / found.df[kDay];
  double* v = found.variances;
  v[kIteration] = found.mean_square(kIteration);
  v[kRun] = (found.mean_square(kRun) - v[kIteration]) / c[0];
  v[kAllocation] = (found.mean_square(kAllocation) - v[kIteration] - c[1] * v[kRun]) / c[2];
  v[kDay] =
      (found.mean_square(kDay) - v[kIteration] - c[3] * v[kRun] - c[4] * v[kAllocation]) / c[5];
  return found;
}

Moments check_moments(const std::string& key) {
  CAPTURE(key);
  const Moments found = moments_of(nest(test::runs_of(key + ".csv")));
  const auto& r = reference().at(key).at("mom");
  const std::vector<std::pair<Level, std::string>> levels{
      {kIteration, "iter"}, {kRun, "run"}, {kAllocation, "alloc"}, {kDay, "day"}};
  for (const auto& [level, name] : levels) {
    CAPTURE(name);
    CHECK(found.df[level] == r.at("df").at(name).get<double>());
    CHECK(found.squares[level] == Approx(r.at("ss").at(name).get<double>()).epsilon(1e-9));
    const bool single = found.df[level] == 0;  // one day
    CHECK(r.at("ms").at(name).is_null() == single);
    CHECK(r.at("variance_raw").at(name).is_null() == single);
    if (single) continue;
    CHECK(found.mean_square(level) == near(r.at("ms").at(name)));
    CHECK(found.variances[level] == near(r.at("variance_raw").at(name)));
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& expected = r.at("coef").at(fmt::format("c{}", i + 1));
    if (!expected.is_null()) CHECK(found.coefficients[i] == near(expected));
  }
  return found;
}

/// The mean of the sums of squares of lower means within an upper unit, by their n - 1.
double variance_within(const std::vector<double>& lower, const std::vector<std::size_t>& above) {
  std::map<std::size_t, std::vector<double>> groups;
  for (std::size_t i = 0; i < lower.size(); ++i) groups[above[i]].push_back(lower[i]);
  double sum = 0;
  for (const auto& group : groups) sum += std::pow(sd_of(group.second), 2);
  return sum / static_cast<double>(groups.size());
}

}  // namespace

TEST_CASE("moments of nested runs are R's, and of repeats of one size the likelihood's") {
  const Moments found = check_moments("nested_balanced");
  const auto likely = components_of(nest(test::runs_of("nested_balanced.csv"))).variances;
  for (std::size_t level = 0; level < kLevels; ++level)
    CHECK(likely[level] == Approx(found.variances[level]).epsilon(1e-5));
}

TEST_CASE("moments make variances negative where the likelihood does not") {
  CHECK(check_moments("nested_unbalanced").variances[kDay] < 0);
  CHECK(components_of(nest(test::runs_of("nested_unbalanced.csv"))).variances[kDay] > 0);
  const Moments found = check_moments("nested_negative");
  CHECK(found.variances[kRun] < 0);
  // Without runs the likelihood's components are the moments of what is left.
  const auto& r = reference().at("nested_negative").at("mom_pooled_run_dropped");
  const auto likely = components_of(nest(test::runs_of("nested_negative.csv"))).variances;
  CHECK(found.df[kRun] + found.df[kIteration] == r.at("df_iter").get<double>());
  const double pooled =
      (found.squares[kRun] + found.squares[kIteration]) / (found.df[kRun] + found.df[kIteration]);
  CHECK(pooled == near(r.at("iter")));
  CHECK((found.mean_square(kAllocation) - pooled) / 15 == near(r.at("alloc")));
  CHECK(likely[kIteration] == test::within(r.at("iter"), 1e-5));
  CHECK(likely[kAllocation] == test::within(r.at("alloc"), 1e-5));
}

TEST_CASE("variances by level, and how many repeats pay, are those of Kalibera and Jones") {
  // "Rigorous Benchmarking in Reasonable Time", 2013, with its erratum.
  const Nesting nesting = nest(test::runs_of("nested_balanced.csv"));
  const auto& r = reference().at("nested_balanced").at("kalibera_jones");
  const auto days = day_means(nesting);
  const double within_runs =
      std::accumulate(nesting.runs.begin(), nesting.runs.end(), 0.0,
                      [](double sum, const RunMoments& run) {
                        return sum + run.squares / static_cast<double>(run.n - 1);
                      }) /
      static_cast<double>(nesting.runs.size());
  const std::vector<double> s{within_runs,
                              variance_within(run_means(nesting), nesting.allocation_of_run),
                              variance_within(allocation_means(nesting), nesting.day_of_allocation),
                              std::pow(sd_of(days), 2)};
  const std::vector<double> repeats{10, 3, 3, 4};
  const auto costs = test::numbers_of(r.at("costs_low_to_high"));
  std::vector<double> t;
  for (std::size_t i = 0; i < kLevels; ++i) {
    CAPTURE(i);
    t.push_back(i == 0 ? s[0] : s[i] - s[i - 1] / repeats[i - 1]);
    CHECK(s[i] == near(r.at("S2").at(i)));
    CHECK(t[i] == near(r.at("T2").at(i)));
    CHECK(repeats[i] == r.at("r").at(i).get<double>());
    if (i == 0) continue;
    const double best = std::sqrt(costs[i] / costs[i - 1] * t[i - 1] / t[i]);
    CHECK(best == near(r.at("optimal_r1_r2_r3_unrounded").at(i - 1)));
    CHECK(std::ceil(best) == r.at("optimal_r1_r2_r3").at(i - 1).get<double>());
  }
  const Interval interval = interval_of(test::runs_of("nested_balanced.csv"));
  CHECK(interval.mean == near(r.at("mean")));
  CHECK(interval.high.value() - interval.mean == near(r.at("half_width_95")));
  CHECK(interval.df == r.at("df").get<double>());
}

TEST_CASE("an interval of many units that are not independent is too narrow") {
  const auto& r = reference().at("nested_balanced").at("mean_ci_by_unit");
  const Nesting nesting = nest(test::runs_of("nested_balanced.csv"));
  std::vector<double> iterations;
  for (const auto& run : test::run_times_of("nested_balanced.csv"))
    iterations.insert(iterations.end(), run.values.begin(), run.values.end());
  const auto check = [&](const std::string& unit, const std::vector<double>& means) {
    CAPTURE(unit);
    CHECK(means.size() == r.at(unit).at("n").get<std::size_t>());
    CHECK(mean_of(means) == near(r.at(unit).at("mean")));
    CHECK(mean_of(means) - t_half_width(means) == near(r.at(unit).at("ci").at(0)));
    CHECK(mean_of(means) + t_half_width(means) == near(r.at(unit).at("ci").at(1)));
    return t_half_width(means);
  };
  const double narrow = check("iteration", iterations), run = check("run", run_means(nesting));
  const double allocation = check("allocation", allocation_means(nesting));
  const double day = check("day", day_means(nesting));
  CHECK(narrow < run);
  CHECK(run < allocation);
  CHECK(allocation < day);
}

TEST_CASE("so many allocations are needed as R says of the same variances") {
  const auto found = components_of(nest(test::runs_of("nested_balanced.csv")));
  const auto& v = found.variances;
  CHECK(reference().at("plan").size() == 18);
  for (const auto& row : reference().at("plan")) {
    const double runs = row.at("runs_per_alloc"), iterations = row.at("iters_per_run");
    const double variance = v[kAllocation] + v[kRun] / runs + v[kIteration] / (runs * iterations);
    const double half_width = row.at("rel_half_width").get<double>() * found.fit.mean;
    double allocations = 2;
    while (t_point(allocations - 1) * std::sqrt(variance / allocations) > half_width) ++allocations;
    CAPTURE(row.dump());
    CHECK(allocations == row.at("allocations_needed").get<double>());
  }
}
