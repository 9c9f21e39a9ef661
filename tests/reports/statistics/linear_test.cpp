#include "reports/statistics/linear.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "reports/statistics/shares.h"
#include "reports/statistics/time_of_day.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

double number(const std::string& text) { return parse_number(text).value(); }

/// "c3" is 3, "B" is 66: labels in the order of their names.
std::size_t label(const std::string& text) {
  return text[0] == 'c' ? static_cast<std::size_t>(number(text.substr(1)))
                        : static_cast<std::size_t>(text[0]);
}

Columns ones(std::size_t rows) { return {std::vector<double>(rows, 1)}; }

}  // namespace

TEST_CASE("configurations within blocks are R's lm") {
  std::vector<double> y;
  std::vector<std::size_t> configurations, blocks;
  for (const auto& row : test::csv_rows("blocks.csv")) {
    blocks.push_back(static_cast<std::size_t>(number(row.at(0).substr(1))));
    configurations.push_back(label(row.at(4)));
    y.push_back(std::log(number(row.at(6))));
  }
  const auto& r = reference().at("blocks");
  Columns columns = ones(y.size());
  for (auto& column : indicators(configurations)) columns.push_back(column);
  const auto unblocked = least_squares(columns, y);
  CHECK(unblocked->errors[2] == near(r.at("unblocked").at("se_c3")));
  CHECK(std::sqrt(unblocked->squares / unblocked->df) == near(r.at("unblocked").at("residual_sd")));
  for (auto& column : indicators(blocks)) columns.push_back(column);
  const auto blocked = least_squares(columns, y);
  REQUIRE(blocked);
  CHECK(blocked->coefficients[1] == near(r.at("blocked").at("coef").at("configc2")));
  CHECK(blocked->coefficients[5] == near(r.at("blocked").at("coef").at("configc6")));
  CHECK(blocked->errors[2] == near(r.at("blocked").at("se_c3")));
  CHECK(std::sqrt(blocked->squares / blocked->df) == near(r.at("blocked").at("residual_sd")));
}

TEST_CASE("covariates adjust a comparison as R's lm does") {
  std::vector<double> y, network, compute;
  std::vector<std::size_t> configurations;
  for (const auto& row : test::csv_rows("canary.csv")) {
    configurations.push_back(label(row.at(1)));
    network.push_back(std::log(number(row.at(2))));
    compute.push_back(std::log(number(row.at(3))));
    y.push_back(std::log(number(row.at(4))));
  }
  const auto& r = reference().at("canary");
  Columns columns = ones(y.size());
  columns.push_back(indicators(configurations).at(0));
  columns.push_back(network);
  columns.push_back(compute);
  const auto fit = least_squares(columns, y);
  REQUIRE(fit);
  const auto& coefficients = r.at("ancova").at("coef");
  const auto& errors = r.at("ancova").at("se");
  const std::vector<std::string> names{"(Intercept)", "gB", "xn", "xc"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(fit->coefficients[i] == near(coefficients.at(names[i])));
    CHECK(fit->errors[i] == near(errors.at(names[i])));
  }
  const auto shares = variance_shares(y, configurations, {network, compute});
  REQUIRE(shares);
  CHECK(shares->explained[0] == near(r.at("variance_share_lmg").at("network")));
  CHECK(shares->explained[1] == near(r.at("variance_share_lmg").at("compute")));
  CHECK(shares->unexplained == near(r.at("variance_share_lmg").at("unexplained")));
}

TEST_CASE("what cannot be told has no fit") {
  CHECK_FALSE(least_squares({{1, 1, 1}, {2, 2, 2}}, {1, 2, 3}));  // one is the other's double
  CHECK_FALSE(least_squares({{1, 1}, {1, 2}}, {1, 2}));           // nothing is left for the noise
  CHECK_FALSE(variance_shares({1, 1, 1, 1}, {0, 0, 0, 0}, {{1, 2, 3, 5}}));  // nothing varies
  CHECK(variance_inflation({{1, 1, 1, 1}, {1, 2, 3, 4}, {2, 4, 6, 8}})[0] ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("hours that go with configurations are refused, with R's inflation") {
  std::vector<double> y, hours;
  std::vector<std::size_t> configurations;
  for (const auto& row : test::csv_rows("time_of_day_confounded.csv")) {
    configurations.push_back(label(row.at(1)));
    hours.push_back(number(row.at(3)));
    y.push_back(std::log(number(row.at(4))));
  }
  const auto found = time_of_day(y, hours, configurations);
  CHECK(found.refused == "configurations ran at different hours: either could be the cause");
  CHECK(found.inflation == near(reference().at("time_of_day_confounded").at("vif_configB")));
}

TEST_CASE("a daily cycle has R's amplitude, peak and F test") {
  std::map<std::string, std::pair<std::vector<double>, double>> blocks;
  for (const auto& row : test::csv_rows("blocks.csv")) {
    auto& block = blocks[row.at(0)];
    block.first.push_back(std::log(number(row.at(6))));
    block.second += number(row.at(2)) / 6;
  }
  std::vector<double> y, hours;
  for (const auto& entry : blocks) {
    double sum = 0;
    for (const double value : entry.second.first) sum += value;
    y.push_back(sum / 6);
    hours.push_back(entry.second.second);
  }
  const auto found = time_of_day(y, hours, std::vector<std::size_t>(y.size(), 0));
  const auto& r = reference().at("blocks").at("harmonic_blocks");
  CHECK(found.refused == "");
  CHECK(found.amplitude == near(r.at("amplitude")));
  CHECK(found.peak_hour == near(r.at("peak_hour")));
  CHECK(found.p == near(r.at("F_p")));
}

TEST_CASE("a cycle needs runs, and hours that are apart") {
  CHECK(time_of_day({1, 2, 3}, {1, 9, 17}, {0, 0, 0}).refused == "3 times of day are too few");
  const std::vector<std::size_t> same(10, 0);
  const std::vector<double> values{1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  CHECK(time_of_day(values, {23, 23.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}, same).refused ==
        "all lie within 4.5 hours of the day");
}
