// SPDX-License-Identifier: Apache-2.0
// What textbooks would say: pippin does not, but what stands beside it here is held against R, too.
#include "tests/reports/statistics/classical.h"

#include <cmath>
#include <utility>

#include "reports/statistics/sample.h"
#include "tests/reports/statistics/ranks.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::within;

namespace {

const nlohmann::json& elementary(const char* key) {
  return test::reference().at("elementary").at(key);
}

std::vector<double> vector_of(const char* name) {
  return test::series_of("small_vectors.csv", name);
}

void check_ends(const test::Ends& found, const nlohmann::json& r, double relative = 1e-9) {
  CHECK(found.low == within(r.at("ci").at(0), relative));
  CHECK(found.high == within(r.at("ci").at(1), relative));
}

/// Without ties.
void check_ranks(const char* first, const char* second, const nlohmann::json& r) {
  CAPTURE(first, second);
  const auto a = vector_of(first), b = vector_of(second);
  CHECK(test::pairs_above(a, b) == r.at("W").get<double>());
  CHECK(test::permutation_p(a, b) == within(r.at("p")));
  CHECK(test::hodges_lehmann(a, b) == within(r.at("hodges_lehmann")));
  check_ends(test::exact_shift(a, b), r);
}

}  // namespace

TEST_CASE("two means of one variance differ as in Student's test in R") {
  const auto& r = elementary("student_a5_b5");
  const auto found = test::pooled_difference(vector_of("b5"), vector_of("a5"));
  CHECK(found.estimate / found.se == near(r.at("t")));
  CHECK(found.df == r.at("df").get<double>());
  CHECK(found.p() == near(r.at("p")));
  check_ends({found.low(0.95), found.high(0.95)}, r);
}

TEST_CASE("Mann and Whitney's exact test is that of R") {
  check_ranks("a5", "b5", elementary("mwu_exact_a5_b5"));
  check_ranks("c3", "d3", elementary("mwu_exact_c3_d3"));
  for (const auto& [n, p] : elementary("mwu_min_two_sided_p_equal_n").items()) {
    CAPTURE(n);
    std::vector<double> low, high;
    for (int i = 0; i < std::stoi(n); ++i) {
      low.push_back(i);
      high.push_back(100 + i);
    }
    CHECK(test::permutation_p(low, high) == within(p));
  }
}

TEST_CASE("Mann and Whitney's test of ties is that of R, by a normal distribution or exactly") {
  const auto x = vector_of("ties_x"), y = vector_of("ties_y");
  for (const bool corrected : {true, false}) {
    const auto& r = elementary(corrected ? "mwu_normal_ties" : "mwu_normal_ties_nocorrect");
    CHECK(test::pairs_above(x, y) == r.at("W").get<double>());
    CHECK(test::normal_p(x, y, corrected) == within(r.at("p")));
    // R searches for these three with a precision of 1e-4; they are differences of values.
    constexpr double kSearched = 5e-5;
    CHECK(test::hodges_lehmann(x, y) == within(r.at("hodges_lehmann"), kSearched));
    check_ends(test::normal_shift(x, y, corrected), r, kSearched);
  }
  const auto& r = elementary("mwu_exact_ties_permutation");
  CHECK(test::pairs_above(x, y) == r.at("W").get<double>());
  CHECK(test::permutation_p(x, y) == within(r.at("p_two_sided")));
}

TEST_CASE("order statistics hold the median as often as a coin tells") {
  for (const auto& [key, level] :
       {std::pair("median_order_ci_95", 0.95), std::pair("median_order_ci_99", 0.99)}) {
    for (const auto& r : elementary(key)) {
      const auto n = r.at("n").get<std::size_t>();
      CAPTURE(key, n);
      const auto found = test::median_orders(n, level);
      CHECK(found.lower == r.at("lower_order").get<std::size_t>());
      CHECK(found.upper == r.at("upper_order").get<std::size_t>());
      CHECK(r.at("coverage").is_null() == (found.lower == 0));
      if (found.lower > 0) CHECK(found.coverage == near(r.at("coverage")));
    }
  }
}

TEST_CASE("sizes of an effect are those of R") {
  const auto a = vector_of("a5"), b = vector_of("b5");
  const double pairs = static_cast<double>(a.size() * b.size());
  CHECK(2 * test::pairs_above(b, a) / pairs - 1 == near(elementary("cliff_delta_a5_b5")));
  const auto difference = test::pooled_difference(a, b);
  const double sd = difference.se / std::sqrt(2.0 / 5);
  const double bias = 1 - 3 / (4 * difference.df - 1);
  CHECK(difference.estimate / sd * bias == near(elementary("hedges_g_a5_b5")));
}

TEST_CASE("a ratio of means has Fieller's interval") {
  const auto& r = elementary("fieller_b5_over_a5");
  const auto a = vector_of("a5"), b = vector_of("b5");
  CHECK(mean_of(b) / mean_of(a) == near(r.at("ratio")));
  CHECK(a.size() - 1 == r.at("df_used").get<std::size_t>());
  check_ends(test::fieller(a, b, 0.95), r);
}
