// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/difference.h"

#include <cmath>
#include <limits>

#include "reports/statistics/many_tests.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/classical.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

std::vector<double> vector_of(const char* name) {
  return test::series_of("small_vectors.csv", name);
}

/// R tells the first's mean less the second's.
void check_welch(const char* first, const char* second, const nlohmann::json& r) {
  CAPTURE(first, second);
  const auto found = unpaired_difference(vector_of(second), vector_of(first));
  REQUIRE(found);
  CHECK(found->estimate / found->se == near(r.at("t")));
  CHECK(found->df == near(r.at("df")));
  CHECK(found->p() == test::within(r.at("p")));
  CHECK(found->low(0.95) == near(r.at("ci").at(0)));
  CHECK(found->high(0.95) == near(r.at("ci").at(1)));
}

}  // namespace

TEST_CASE("the difference of two means is Welch's in R") {
  const auto& r = reference().at("elementary");
  check_welch("a5", "b5", r.at("welch_a5_b5"));
  check_welch("c3", "d3", r.at("welch_c3_d3"));
  check_welch("tail20", "a5", r.at("welch_tail20_vs_a5"));
}

TEST_CASE("a ratio of means is the difference of logarithms") {
  const auto& r = reference().at("elementary").at("log_ratio_b5_over_a5");
  const auto found =
      unpaired_difference(test::logs_of(vector_of("a5")), test::logs_of(vector_of("b5")));
  CHECK(std::exp(found->estimate) == near(r.at("ratio")));
  CHECK(std::exp(found->low(0.95)) == near(r.at("ci").at(0)));
  CHECK(std::exp(found->high(0.95)) == near(r.at("ci").at(1)));
  CHECK(found->df == near(r.at("df")));
  CHECK(found->p() == near(r.at("p")));
}

TEST_CASE("differences within pairs are R's paired t test") {
  const auto& r = reference().at("elementary").at("paired_a5_b5");
  const auto a = vector_of("a5"), b = vector_of("b5");
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(b[i] - a[i]);
  const auto found = paired_difference(differences);
  CHECK(found->estimate / found->se == near(r.at("t")));
  CHECK(found->df == r.at("df").get<double>());
  CHECK(found->p() == near(r.at("p")));
  CHECK(found->low(0.95) == near(r.at("ci").at(0)));
  CHECK(found->high(0.95) == near(r.at("ci").at(1)));
}

TEST_CASE("one mean against a given one is R's t test") {
  const auto& r = reference().at("elementary").at("one_sample_a5_mu100");
  std::vector<double> above;
  for (const double value : vector_of("a5")) above.push_back(value - 100);
  const auto found = paired_difference(above);
  CHECK(found->estimate / found->se == near(r.at("t")));
  CHECK(found->p() == near(r.at("p")));
  CHECK(100 + found->low(0.95) == near(r.at("ci").at(0)));
  CHECK(100 + found->high(0.95) == near(r.at("ci").at(1)));
}

TEST_CASE("one value of a side tells no difference, and equal values tell one exactly") {
  CHECK_FALSE(unpaired_difference({1}, {1, 2}));
  CHECK_FALSE(unpaired_difference({1, 2}, {1}));
  CHECK_FALSE(paired_difference({1}));
  CHECK(unpaired_difference({1, 1}, {1, 1})->p() == 1);
  const auto apart = unpaired_difference({1, 1}, {2, 2, 2});
  CHECK(apart->p() == 0);
  CHECK(apart->low(0.95) == 1);
  CHECK(apart->df == 3);
}

TEST_CASE("p values of many tests are adjusted as in R") {
  const auto& r = reference().at("elementary").at("p_adjust");
  const auto p = test::numbers_of(r.at("p"));
  const auto check = [&](const char* rule, const std::vector<double>& adjusted) {
    const auto expected = test::numbers_of(r.at(rule));
    REQUIRE(adjusted.size() == p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      CAPTURE(rule, i);
      CHECK(std::isnan(adjusted[i]) == std::isnan(expected[i]));
      if (!std::isnan(p[i])) CHECK(adjusted[i] == near(expected[i]));
    }
  };
  check("BH", benjamini_hochberg(p));
  check("holm", holm(p));
  check("BY", test::benjamini_yekutieli(p));
  check("bonferroni", test::bonferroni(p));
}

TEST_CASE("p values are adjusted whatever their order") {
  CHECK(benjamini_hochberg({0.5, 0.01}) == std::vector<double>{0.5, 0.02});
  CHECK(holm({0.5, 0.01, 0.02}) == std::vector<double>{0.5, 0.03, 0.04});
  CHECK(holm({}).empty());
}

TEST_CASE("of few degrees of freedom and many tests a detectable difference is finite") {
  CHECK(std::isfinite(t_detectable(1, 0.05, 0.8)));
  CHECK(std::isfinite(t_detectable(4, 0.05 / 400, 0.8)));
  CHECK(t_detectable(1e6, 0.05, 0.8) == Approx(1.959964 + 0.841621).epsilon(1e-5));
}

TEST_CASE("who plans by an estimated error asks for more") {
  // Many degrees of freedom estimate the error well.
  CHECK(t_detectable_as_estimated(1e4, 0.05, 0.8) ==
        Approx(t_detectable(1e4, 0.05, 0.8)).epsilon(1e-3));
  CHECK(t_detectable_as_estimated(8, 0.05, 0.8) > 1.05 * t_detectable(8, 0.05, 0.8));
  // Drawn: the share of tests that find what an independent estimate called detectable.
  Random random(1);
  const double errors = t_detectable_as_estimated(4, 0.05, 0.8), point = t_point(4);
  const auto error = [&] {
    double squares = 0;
    for (int i = 0; i < 4; ++i) squares += std::pow(normal(random), 2);
    return std::sqrt(squares / 4);
  };
  int found = 0;
  for (int i = 0; i < 4000; ++i)
    found += static_cast<int>(normal(random) + errors * error() > point * error());
  CHECK(found / 4000.0 == Approx(0.8).margin(0.025));
}

TEST_CASE("tails of t and F are those of R") {
  CHECK(2 * t_above(2.74866929037162, 4) == near(0.0514447395118346));  // t.test
  CHECK(t_above(-1, 3) == near(1 - t_above(1, 3)));
  CHECK(t_above(std::numeric_limits<double>::infinity(), 3) == 0);
  const auto& blocks = reference().at("blocks").at("blocked");
  CHECK(f_above(blocks.at("F_config"), 5, 45) == near(blocks.at("p_config")));
}

TEST_CASE("several tests find something together as rarely as one would") {
  CHECK(simes({}) == 1);
  CHECK(simes({0.03}) == 0.03);
  CHECK(simes({0.9, 0.01, 0.5, 0.6}) == Approx(0.04));
  CHECK(simes({0.04, 0.03, 0.05}) == Approx(0.05));
}
