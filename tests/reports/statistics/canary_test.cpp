// SPDX-License-Identifier: Apache-2.0
// canary.csv: what canaries beside the runs explain, and what they take off the error.
#include <cmath>

#include "core/base/text.h"
#include "reports/statistics/linear.h"
#include "reports/statistics/shares.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::indicators;
using test::near;

namespace {

const nlohmann::json& answers(const char* key) { return test::reference().at("canary").at(key); }

/// Logarithms; one item a run.
struct Canaries {
  std::vector<double> times, network, compute;
  std::vector<std::size_t> configurations;  ///< A 0, B 1
};

Canaries canaries() {
  const auto number = [](const std::string& text) { return parse_number(text).value(); };
  Canaries data;
  for (const auto& row : test::csv_rows("canary.csv")) {
    data.configurations.push_back(row.at(1) == "B" ? 1 : 0);
    data.network.push_back(std::log(number(row.at(2))));
    data.compute.push_back(std::log(number(row.at(3))));
    data.times.push_back(std::log(number(row.at(4))));
  }
  return data;
}

/// On an intercept, the configuration and those.
LinearFit fit(const Canaries& data, const Columns& covariates) {
  Columns columns{std::vector<double>(data.times.size(), 1), indicators(data.configurations)[0]};
  columns.insert(columns.end(), covariates.begin(), covariates.end());
  return *least_squares(columns, data.times);
}

}  // namespace

TEST_CASE("covariates adjust a comparison as R's lm does") {
  const auto data = canaries();
  const auto found = fit(data, {data.network, data.compute});
  const auto& r = answers("ancova");
  const std::vector<std::string> names{"(Intercept)", "gB", "xn", "xc"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(found.coefficients[i] == near(r.at("coef").at(names[i])));
    CHECK(found.errors[i] == near(r.at("se").at(names[i])));
  }
  CHECK(std::sqrt(found.squares / found.df) == near(r.at("sigma")));
  const double half_width = t_point(found.df) * found.errors[1];
  CHECK(found.coefficients[1] - half_width == near(r.at("configB_ci").at(0)));
  CHECK(found.coefficients[1] + half_width == near(r.at("configB_ci").at(1)));
  const std::vector<std::string> truths{"", "config_B", "allreduce", "gemm"};
  for (std::size_t i = 1; i < truths.size(); ++i) {
    const double truth = answers("truth").at(truths[i]);
    CHECK(std::abs(found.coefficients[i] - truth) < 3 * found.errors[i]);
  }
}

TEST_CASE("without covariates the same difference is four times less sure, as in R") {
  const auto data = canaries();
  const auto found = fit(data, {});
  const auto& r = answers("unadjusted");
  CHECK(found.coefficients[1] == near(r.at("configB")));
  CHECK(found.errors[1] == near(r.at("se")));
  CHECK(2 * t_above(found.coefficients[1] / found.errors[1], found.df) == near(r.at("p")));
  CHECK(found.errors[1] > 4 * fit(data, {data.network, data.compute}).errors[1]);
}

TEST_CASE("one canary alone adjusts as CUPED does in R") {
  const auto data = canaries();
  const auto& r = answers("cuped_single_allreduce");
  const auto without = fit(data, {}), found = fit(data, {data.network});
  CHECK(found.coefficients[2] == near(r.at("theta_pooled_within_config")));
  CHECK(found.squares / without.squares == near(r.at("var_ratio")));
  CHECK(found.coefficients[1] == near(r.at("configB_adjusted")));
}

TEST_CASE("network and compute have R's partial and Shapley's shares of the variance") {
  const auto data = canaries();
  const double both = fit(data, {data.network, data.compute}).squares;
  const auto& partial = answers("partial_R2");
  CHECK(1 - both / fit(data, {data.compute}).squares == near(partial.at("network")));
  CHECK(1 - both / fit(data, {data.network}).squares == near(partial.at("compute")));
  const auto shares =
      variance_shares(data.times, data.configurations, {data.network, data.compute});
  REQUIRE(shares);
  const auto& r = answers("variance_share_lmg");
  CHECK(shares->explained[0] == near(r.at("network")));
  CHECK(shares->explained[1] == near(r.at("compute")));
  CHECK(shares->unexplained == near(r.at("unexplained")));
}
