// SPDX-License-Identifier: Apache-2.0
// two_day.csv: what changed between two days, as pippin, R and others would tell.
#include "tests/reports/statistics/two_days.h"

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "reports/statistics/many_tests.h"
#include "reports/statistics/mixed.h"
#include "reports/statistics/reml.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/ranks.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::two_days;
using test::within;

namespace {

using Names = std::set<std::string>;

const nlohmann::json& answers(const char* key) { return test::reference().at("two_day").at(key); }

std::vector<std::size_t> all_of(const std::vector<TwoSides>& rows) {
  std::vector<std::size_t> all(rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void check_rows(const std::vector<double>& found, const char* key) {
  CAPTURE(key);
  CHECK(answers(key).size() == found.size());
  for (std::size_t row = 0; row < found.size(); ++row) {
    CAPTURE(row);
    CHECK(found[row] == within(answers(key).at(test::two_days_name(row))));
  }
}

Names below(const std::vector<double>& adjusted) {
  Names found;
  for (std::size_t row = 0; row < adjusted.size(); ++row) {
    if (adjusted[row] <= 0.05) found.insert(test::two_days_name(row));
  }
  return found;
}

std::vector<double> p_values(const std::vector<RowDifference>& differences) {
  std::vector<double> p;
  for (const auto& found : differences) p.push_back(found.difference->p());
  return p;
}

/// The rows that were made slower or faster.
Names truly_changed() {
  Names names;
  for (const auto& entry : answers("truth_pct").items()) names.insert(entry.key());
  return names;
}

double mean_time(const std::vector<double>& logs) {
  double sum = 0;
  for (const double log : logs) sum += std::exp(log);
  return sum / static_cast<double>(logs.size());
}

/// All iterations of a configuration on each of both days.
std::map<std::string, std::array<std::vector<double>, 2>> pooled() {
  std::map<std::string, std::array<std::vector<double>, 2>> sides;
  for (const auto& run : test::runs_of_two_days()) {
    auto& side = sides[run.configuration][run.day == "D1" ? 0 : 1];
    side.insert(side.end(), run.times.begin(), run.times.end());
  }
  return sides;
}

}  // namespace

TEST_CASE("two days differ in each row as Welch's test in R tells") {
  std::vector<double> p, by_ranks;
  for (const auto& row : two_days()) {
    const auto name = test::two_days_name(p.size());
    CAPTURE(name);
    const auto& r = answers("per_config").at(name);
    const auto found = row_difference(row.base, row.other);
    CHECK_FALSE(found.paired);
    CHECK(std::exp(found.difference->estimate) == near(r.at("ratio")));
    CHECK(std::exp(found.difference->low(0.95)) == near(r.at("ci").at(0)));
    CHECK(std::exp(found.difference->high(0.95)) == near(r.at("ci").at(1)));
    CHECK(found.difference->df == near(r.at("df")));
    CHECK(found.difference->p() == within(r.at("p_welch_log")));
    CHECK(mean_time(row.other.values) / mean_time(row.base.values) == near(r.at("ratio_of_means")));
    p.push_back(found.difference->p());
    by_ranks.push_back(test::permutation_p(row.other.values, row.base.values));
    CHECK(by_ranks.back() == within(r.at("p_mwu_exact")));
  }
  check_rows(benjamini_hochberg(p), "BH_welch");
  check_rows(holm(p), "holm_welch");
  check_rows(benjamini_hochberg(by_ranks), "BH_mwu");
  // As the allocations differ, too, two of the three that changed stay hidden.
  CHECK(below(benjamini_hochberg(p)) == Names{"k03"});
}

TEST_CASE("single iterations taken for independent make R's p far too small") {
  std::vector<double> p;
  for (const auto& entry : pooled())
    p.push_back(test::normal_p(entry.second[0], entry.second[1], true));
  check_rows(p, "naive_iteration_level_mwu_p");
  check_rows(benjamini_hochberg(p), "naive_BH");
}

TEST_CASE("the shift of all rows is that of R") {
  const auto rows = two_days();
  const auto& r = answers("common_mode_day2_over_day1");
  const auto found = common_shift(rows, all_of(rows));
  CHECK(std::exp(found.difference->estimate) == near(r.at("ratio")));
  CHECK(std::exp(found.difference->low(0.95)) == near(r.at("ci").at(0)));
  CHECK(std::exp(found.difference->high(0.95)) == near(r.at("ci").at(1)));
  CHECK(found.difference->p() == near(r.at("p")));
}

TEST_CASE("beside the common shift exactly the three rows stand out that changed") {
  const auto rows = two_days();
  const auto members = rows_of_one_shift(rows);
  CHECK(members.size() >= 8);
  CHECK(below(benjamini_hochberg(p_values(beside_shift(rows, members)))) == truly_changed());
  // R takes the mean of all rows, the changed ones too; from the others alone it is n / (n - 1) of
  // that, with the same t.
  const auto beside_all = beside_shift(rows, all_of(rows));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto& r = answers("common_mode_adjusted").at(test::two_days_name(row));
    CHECK(std::exp(beside_all[row].difference->estimate * 11 / 12) == near(r.at("ratio")));
    CHECK(beside_all[row].difference->p() == within(r.at("p")));
  }
  const auto adjusted = benjamini_hochberg(p_values(beside_all));
  check_rows(adjusted, "BH_common_mode");
  CHECK(below(adjusted) == truly_changed());
}

TEST_CASE("the smallest difference that a test finds is that of R's power.t.test") {
  const auto& r = answers("mde");
  double squares = 0;
  const auto rows = two_days();
  for (const auto& row : rows)
    squares += std::pow(sd_of(row.base.values), 2) + std::pow(sd_of(row.other.values), 2);
  const double sd = std::sqrt(squares / static_cast<double>(2 * rows.size()));
  CHECK(sd == near(r.at("pooled_log_sd")));
  const double n = r.at("n_per_day");
  CHECK(t_detectable(2 * n - 2, 0.05, 0.8) * sd * std::sqrt(2 / n) == near(r.at("mde_log_80pct")));
}

TEST_CASE("components beside the means of configurations are those of lme4") {
  const auto& r = answers("lmm");
  std::vector<RunMoments> runs;
  std::map<std::string, std::array<double, 2>> totals;  // of mean logarithms, by day
  for (const auto& run : test::runs_of_two_days()) {
    runs.push_back(test::moments_of("", run.allocation, test::logs_of(run.times)));
    const std::size_t day = run.day == "D1" ? 0 : 1;
    totals[run.configuration][day] += runs.back().mean / 6;
    runs.back().configuration = 2 * (totals.size() - 1) + day;
  }
  const Nesting nesting = nest(runs);
  CHECK(nesting.configurations == 24);
  const auto found = components_of(nesting);
  REQUIRE(found.components.size() == 3);
  CHECK(found.components[0].variance == within(r.at("variance").at("iter"), 1e-5));
  CHECK(found.components[1].variance == within(r.at("variance").at("cell"), 1e-5));
  CHECK(found.components[2].variance == within(r.at("variance").at("allocation"), 1e-5));
  CHECK(MixedModel(nesting).fit(found.variances).reml == test::about(r.at("criterion_m2ll"), 1e-6));
  // Six allocations a side of 8 iterations each: the contrast is one of plain means.
  const auto& v = found.variances;
  const double se = std::sqrt(2.0 / 6 * (v[kAllocation] + v[kRun] + v[kIteration] / 8));
  CHECK(r.at("day2_over_day1").size() == totals.size());
  for (const auto& [name, days] : totals) {
    const auto& contrast = r.at("day2_over_day1").at(name);  // "log_ratio", "se"
    CHECK(days[1] - days[0] == near(contrast.at(0)));
    CHECK(se == within(contrast.at(1), 1e-5));
  }
}
