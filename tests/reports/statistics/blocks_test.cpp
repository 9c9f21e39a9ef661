// SPDX-License-Identifier: Apache-2.0
// blocks.csv: which configuration is best, and what blocks and canaries take off the error.
#include "tests/reports/statistics/blocks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "reports/statistics/reml.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "reports/statistics/time_of_day.h"
#include "tests/reports/statistics/ranks.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/resampling.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::blocks_data;
using test::indicators;
using test::near;
using test::rows_of_blocks;
using test::within;

namespace {

const nlohmann::json& answers(const char* key) { return test::reference().at("blocks").at(key); }

std::string name_of(std::size_t row) { return fmt::format("c{}", row + 1); }

double sd_of_residuals(const LinearFit& fit) { return std::sqrt(fit.squares / fit.df); }

Columns with(Columns columns, const Columns& more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

Columns intercept() { return {std::vector<double>(blocks_data().times.size(), 1)}; }
Columns by_configuration() { return with(intercept(), indicators(blocks_data().configurations)); }
Columns by_block() { return with(intercept(), indicators(blocks_data().blocks)); }
Columns by_both() { return with(by_configuration(), indicators(blocks_data().blocks)); }

LinearFit fit(const Columns& columns) { return *least_squares(columns, blocks_data().times); }

double p_of_coefficient(const LinearFit& fit, std::size_t i) {
  return 2 * t_above(std::abs(fit.coefficients[i] / fit.errors[i]), fit.df);
}

/// Means of the rows, drawn from the same allocations each.
std::vector<std::vector<double>> drawn_rows() {
  std::vector<std::vector<double>> means;
  const auto draws = test::drawn_in("boot_indices_n10.csv");
  for (const auto& row : rows_of_blocks()) means.push_back(test::drawn_means(row.values, draws));
  return means;
}

}  // namespace

TEST_CASE("configurations within blocks are R's lm") {
  const auto rows = rows_of_blocks();
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(mean_of(rows[i].values) == near(answers("config_means_log").at(name_of(i))));
  const auto unblocked = fit(by_configuration()), blocked = fit(by_both());
  CHECK(unblocked.errors[2] == near(answers("unblocked").at("se_c3")));
  CHECK(sd_of_residuals(unblocked) == near(answers("unblocked").at("residual_sd")));
  const auto& r = answers("blocked");
  for (std::size_t i = 1; i < rows.size(); ++i)
    CHECK(blocked.coefficients[i] == near(r.at("coef").at("config" + name_of(i))));
  CHECK(blocked.errors[2] == near(r.at("se_c3")));
  CHECK(sd_of_residuals(blocked) == near(r.at("residual_sd")));
  const auto without = fit(by_block());
  const double f = (without.squares - blocked.squares) / 5 / (blocked.squares / blocked.df);
  CHECK(f == near(r.at("F_config")));
  CHECK(p_of_more(without, blocked) == within(r.at("p_config")));
  CHECK(f_above(r.at("F_config"), 5, 45) == within(r.at("p_config")));
  CHECK(blocked.errors[2] < unblocked.errors[2] / 2);
}

TEST_CASE("a canary does nearly what blocks do, and the position in a block nothing, as in R") {
  const auto canary = fit(with(by_configuration(), {blocks_data().canaries}));
  const auto& r = answers("canary_covariate");
  CHECK(canary.coefficients.back() == near(r.at("slope")));
  CHECK(canary.errors.back() == near(r.at("slope_se")));
  CHECK(canary.errors[2] == near(r.at("se_c3")));
  CHECK(sd_of_residuals(canary) == near(r.at("residual_sd")));
  const auto drift = fit(with(by_both(), {blocks_data().positions}));
  CHECK(drift.coefficients.back() == near(answers("position_drift").at("slope")));
  CHECK(p_of_coefficient(drift, drift.coefficients.size() - 1) ==
        near(answers("position_drift").at("p")));
}

TEST_CASE("blocks as random effects have lme4's variances") {
  const auto& data = blocks_data();
  std::vector<RunMoments> runs;
  for (std::size_t i = 0; i < data.times.size(); ++i) {
    runs.push_back(test::moments_of("", std::to_string(data.blocks[i]), {data.times[i]}));
    runs.back().configuration = data.configurations[i];
  }
  const auto& r = answers("reml_block");
  const auto v = components_of(nest(runs)).variances;
  CHECK(v[kAllocation] == within(r.at("var_block"), 1e-5));
  CHECK(v[kIteration] == within(r.at("var_resid"), 1e-5));
  // Every block ran every configuration: estimates are plain means.
  const auto rows = rows_of_blocks();
  const double first = mean_of(rows[0].values);
  CHECK(first == near(r.at("fixef").at("(Intercept)")));
  CHECK(std::sqrt((v[kAllocation] + v[kIteration]) / 10) ==
        within(r.at("se").at("(Intercept)"), 1e-5));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(mean_of(rows[i].values) - first == near(r.at("fixef").at("config" + name_of(i))));
    CHECK(std::sqrt(2 * v[kIteration] / 10) == within(r.at("se").at("config" + name_of(i)), 1e-5));
  }
}

TEST_CASE("within blocks, what cannot be told from the best is R's tie group") {
  const auto found = best_row(rows_of_blocks(), 1);
  const auto& r = answers("vs_best");
  CHECK(name_of(found.best) == r.at("sample_best").get<std::string>());
  std::vector<std::string> tied;
  for (std::size_t i = 0; i < 6; ++i) {
    if (found.tied[i]) tied.push_back(name_of(i));
  }
  CHECK(tied == std::vector<std::string>{"c1", "c2", "c3"});
  CHECK(tied == r.at("tie_group_holm_05").get<std::vector<std::string>>());
  CHECK_FALSE(found.from_best[0].difference);
  for (std::size_t i = 1; i < 6; ++i) {
    const auto& expected = r.at("paired").at(name_of(i));
    CAPTURE(i);
    CHECK(found.from_best[i].paired);
    CHECK(found.from_best[i].difference->estimate == near(expected.at("mean_log_diff")));
    CHECK(found.from_best[i].difference->low(0.95) == near(expected.at("ci").at(0)));
    CHECK(found.from_best[i].difference->high(0.95) == near(expected.at("ci").at(1)));
    CHECK(found.from_best[i].difference->p() == within(expected.at("p")));
    CHECK(found.p[i] == within(expected.at("p_holm")));
    // The interval holds the truth.
    const double truth = answers("truth_log").at(name_of(i));
    CHECK(found.from_best[i].difference->low(0.95) <= truth);
    CHECK(found.from_best[i].difference->high(0.95) >= truth);
  }
}

TEST_CASE("the chance of being best is R's over the same resamples") {
  const auto means = drawn_rows();
  const std::size_t draws = means[0].size();
  std::vector<double> shares(6, 0);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto less = [&](const auto& a, const auto& b) { return a[draw] < b[draw]; };
    const auto least = std::min_element(means.begin(), means.end(), less) - means.begin();
    shares[static_cast<std::size_t>(least)] += 1 / static_cast<double>(draws);
  }
  const auto& r = answers("boot_fixed");
  for (std::size_t i = 0; i < 6; ++i) CHECK(shares[i] == near(r.at("p_best").at(name_of(i))));
  // Our own draws tell the same, but for chance: sd sqrt(0.25 / 2000) = 0.011.
  const auto own = best_row(rows_of_blocks(), 1).chance;
  for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(own[i] - shares[i]) < 0.05);
}

TEST_CASE("ranks and ratios over the same resamples are R's") {
  const auto& r = answers("boot_fixed");
  const auto means = drawn_rows();
  std::vector<double> ranks(6, 0);
  for (std::size_t draw = 0; draw < means[0].size(); ++draw) {
    std::vector<double> here;
    for (const auto& row : means) here.push_back(row[draw]);
    const auto drawn = test::ranks_of(here);
    for (std::size_t i = 0; i < 6; ++i) ranks[i] += drawn[i] / static_cast<double>(means[0].size());
  }
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(ranks[i] == near(r.at("mean_rank").at(name_of(i))));
    if (i == 0) continue;
    std::vector<double> differences;
    for (std::size_t draw = 0; draw < means[0].size(); ++draw)
      differences.push_back(means[i][draw] - means[0][draw]);
    const auto ends = test::percentile(differences);
    CHECK(std::exp(ends.low) == near(r.at("ratio_ci_vs_c1").at(name_of(i)).at(0)));
    CHECK(std::exp(ends.high) == near(r.at("ratio_ci_vs_c1").at(name_of(i)).at(1)));
  }
}

TEST_CASE("Friedman's test finds a difference, too, as in R") {
  const auto& r = answers("friedman");
  std::vector<std::vector<double>> blocks(10, std::vector<double>(6));
  const auto& data = blocks_data();
  for (std::size_t i = 0; i < data.times.size(); ++i)
    blocks[data.blocks[i]][data.configurations[i]] = data.times[i];
  const double found = test::friedman(blocks), df = 5;
  CHECK(found == near(r.at("chisq")));
  CHECK(df == r.at("df").get<double>());
  constexpr double kManyDegrees = 1e13;  // F is chi squared then
  CHECK(f_above(found / df, df, kManyDegrees) == within(r.at("p")));
}

TEST_CASE("a daily cycle has R's amplitude, peak and F test") {
  const auto& data = blocks_data();
  std::vector<double> y(10, 0), hours(10, 0);
  for (std::size_t i = 0; i < data.times.size(); ++i) {
    y[data.blocks[i]] += data.times[i] / 6;
    hours[data.blocks[i]] = data.hours[i];
  }
  const auto found = time_of_day(y, hours, std::vector<std::size_t>(y.size(), 0));
  const auto& r = answers("harmonic_blocks");
  CHECK(found.refused == "");
  CHECK(found.amplitude == near(r.at("amplitude")));
  CHECK(found.peak_hour == near(r.at("peak_hour")));
  CHECK(found.p == near(r.at("F_p")));
  const auto cycle = least_squares(test::cycle_of(hours), y);
  CHECK(cycle->coefficients[0] == near(r.at("coef").at("(Intercept)")));
  CHECK(cycle->coefficients[1] == near(r.at("coef").at("cos(2 * pi * hour/24)")));
  CHECK(cycle->coefficients[2] == near(r.at("coef").at("sin(2 * pi * hour/24)")));
}
