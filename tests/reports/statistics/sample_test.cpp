#include "reports/statistics/sample.h"

#include "reports/statistics/student.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {
Approx close(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }
}  // namespace

TEST_CASE("means and spreads are those of R") {
  const auto a5 = test::series_of("small_vectors.csv", "a5");
  CHECK(mean_of(a5) == close(100.64));
  CHECK(sd_of(a5) == close(1.78129166617935));
  CHECK(median_of(a5) == close(100.1));
  CHECK(mad_of(a5) == close(1.63086));
  const auto tail20 = test::series_of("small_vectors.csv", "tail20");
  CHECK(mean_of(tail20) == close(511.28));
  CHECK(sd_of(tail20) == close(34.155844071118));
  CHECK(median_of(tail20) == close(501.0));
  CHECK(mad_of(tail20) == close(1.55673));
}

TEST_CASE("quantiles are R's type 7") {
  const std::vector<double> p{0, .05, .25, .5, .75, .9, .95, .99, 1};
  const std::vector<double> a5{98.7, 98.92, 99.8, 100.1, 101.2, 102.52, 102.96, 103.312, 103.4};
  const std::vector<double> ties{4, 4.35, 6.5, 8.5, 9.25, 10.6, 11.3, 11.86, 12};
  for (std::size_t i = 0; i < p.size(); ++i) {
    CHECK(quantile_of(test::series_of("small_vectors.csv", "a5"), p[i]) == close(a5[i]));
    CHECK(quantile_of(test::series_of("small_vectors.csv", "ties_y"), p[i]) == close(ties[i]));
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
  CHECK(t_point(1) == close(12.7062047361747));
  CHECK(t_point(2) == close(4.30265272974946));
  CHECK(t_point(2.37) == close(3.71892083979746));
  CHECK(t_point(19) == close(2.09302405440831));
  const auto a5 = test::series_of("small_vectors.csv", "a5");
  CHECK(mean_of(a5) - t_half_width(a5) == close(98.4282342678047));
  CHECK(mean_of(a5) + t_half_width(a5) == close(102.851765732195));
}
