// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/sample.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "reports/statistics/student.h"
#include "tests/reports/statistics/classical.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

std::vector<double> vector_of(const std::string& name) {
  return test::series_of("small_vectors.csv", name);
}

double mean_of_inverses(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += 1 / value;
  return sum / static_cast<double>(values.size());
}

/// The value farthest from the median, in MADs that estimate an sd.
double farthest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value - median_of(values)));
  return most / mad_of(values);
}

}  // namespace

TEST_CASE("means and spreads are those of R") {
  const auto& all = reference().at("elementary").at("describe");
  CHECK(all.size() == 9);
  for (const auto& [name, r] : all.items()) {
    CAPTURE(name);
    const auto values = vector_of(name);
    CHECK(values.size() == r.at("n").get<std::size_t>());
    CHECK(mean_of(values) == near(r.at("mean")));
    CHECK(median_of(values) == near(r.at("median")));
    CHECK(mad_of(values) == near(r.at("mad_1.4826")));
    CHECK(mad_of(values) / 1.4826 == near(r.at("mad_raw")));
    CHECK(quantile_of(values, 0.75) - quantile_of(values, 0.25) == near(r.at("iqr_type7")));
    CHECK(std::exp(mean_of(test::logs_of(values))) == near(r.at("geometric_mean")));
    CHECK(1 / mean_of_inverses(values) == near(r.at("harmonic_mean")));
    CHECK(test::trimmed_mean(values, 0.1) == near(r.at("trimmed_mean_10")));
    CHECK(test::trimmed_mean(values, 0.2) == near(r.at("trimmed_mean_20")));
    // Of one value R knows no sd, of equal ones no distance in MADs: neither is asked for here.
    CHECK(r.at("sd").is_null() == (values.size() < 2));
    CHECK(r.at("cv").is_null() == (values.size() < 2));
    CHECK(r.at("modified_z_max").is_null() == (mad_of(values) == 0));
    if (values.size() < 2) continue;
    CHECK(sd_of(values) == near(r.at("sd")));
    CHECK(sd_of(values) / mean_of(values) == near(r.at("cv")));
    if (mad_of(values) > 0) CHECK(farthest(values) == near(r.at("modified_z_max")));
  }
}

TEST_CASE("quantiles are R's type 7") {
  const auto& r = reference().at("elementary");
  const auto p = test::numbers_of(r.at("quantile_probs"));
  CHECK(r.at("quantiles").size() == 3);
  for (const std::string name : {"a5", "ties_y", "tail20"}) {
    const auto& types = r.at("quantiles").at(name);
    CHECK(types.size() == 9);
    for (std::size_t i = 0; i < p.size(); ++i) {
      CAPTURE(name, p[i]);
      CHECK(quantile_of(vector_of(name), p[i]) == near(types.at("type7").at(i)));
      for (int type = 1; type <= 9; ++type) {  // the others for comparison
        CAPTURE(type);
        CHECK(test::quantile_of_type(vector_of(name), p[i], type) ==
              near(types.at(fmt::format("type{}", type)).at(i)));
      }
    }
  }
  CHECK(quantile_of({42.5}, 0.99) == 42.5);
}

TEST_CASE("equal values have no spread at all") {
  const std::vector<double> equal(7, 0.1);
  CHECK(mean_of(equal) == 0.1);
  CHECK(squares_of(equal) == 0);
  CHECK(mad_of(equal) == 0);
}

TEST_CASE("t intervals are those of R") {
  const auto& r = reference().at("elementary");
  CHECK(r.at("t_quantiles_975").size() == 10);
  for (const auto& [df, point] : r.at("t_quantiles_975").items()) {
    CAPTURE(df);
    CHECK(t_point(std::stod(df)) == near(point));
  }
  const auto a5 = vector_of("a5");
  const auto& ends = r.at("one_sample_a5_mu100").at("ci");
  CHECK(mean_of(a5) - t_half_width(a5) == near(ends.at(0)));
  CHECK(mean_of(a5) + t_half_width(a5) == near(ends.at(1)));
}
