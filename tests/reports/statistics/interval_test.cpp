// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/interval.h"

#include <cmath>

#include "reports/statistics/student.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {
Approx near(double value, double relative) { return Approx(value).epsilon(relative).margin(0); }
}  // namespace

TEST_CASE("three days or more make the day the unit") {
  const Interval interval = interval_of(test::runs_of("nested_balanced.csv"));
  CHECK(interval.unit == "day");  // t.test() on R's day means
  CHECK(interval.mean == near(1012.6951, 1e-9));
  CHECK(interval.low.value() == near(955.089179361599, 1e-9));
  CHECK(interval.high.value() == near(1070.3010206384, 1e-9));
  CHECK(interval.sd.value() == near(36.202287, 1e-6));
  CHECK(interval.remark.empty());
}

TEST_CASE("repeats of unequal size are weighed by what they tell") {
  const Interval interval = interval_of(test::runs_of("nested_unbalanced.csv"));
  const double half = 10.1766242760656 * 2.6744;  // lme4's standard error, qt(.975, 4.42143)
  CHECK(interval.unit == "day");
  CHECK(interval.mean == near(873.528317143223, 1e-7));
  CHECK(interval.high.value() - interval.mean == near(half, 1e-3));
  CHECK(interval.mean - interval.low.value() == near(half, 1e-3));
}

TEST_CASE("with one day the allocation is the unit") {
  const Interval interval = interval_of(test::runs_of("nested_negative.csv"));
  CHECK(interval.unit == "allocation");
  CHECK(interval.mean == near(496.050055555556, 1e-9));
  CHECK(interval.high.value() - interval.mean == near(12.2014887009124 * 2.57058183563631, 1e-6));
  CHECK(interval.remark == "all of one day: other days may differ");
  CHECK(interval.df == 5);
}

TEST_CASE("two days are a claim about these days only") {
  const Interval interval = interval_of({test::moments_of("2024-05-01", "a", {1.0, 1.1}),
                                         test::moments_of("2024-05-02", "b", {1.2, 1.3})});
  CHECK(interval.unit == "allocation");
  CHECK(interval.remark == "of two days: other days may differ");
  CHECK(interval.mean == near(1.15, 1e-12));
}

TEST_CASE("unknown days make no claim about days") {
  const Interval interval = interval_of(
      {test::moments_of("2024-05-01", "a", {1.0}), test::moments_of("2024-05-02", "b", {1.2}),
       test::moments_of("2024-05-03", "c", {1.1}), test::moments_of("", "d", {1.1})});
  CHECK(interval.unit == "allocation");
  CHECK(interval.remark == "on unknown days: others may differ");
}

TEST_CASE("half a step of rounded times is part of an interval") {
  std::vector<RunMoments> runs{test::moments_of("2024-05-01", "a", {12.0, 12.0}),
                               test::moments_of("2024-05-01", "b", {12.0, 12.0})};
  CHECK(interval_of(runs).high == 12.0);
  for (auto& run : runs) run.resolution = 0.1;
  CHECK(interval_of(runs).high.value() == near(12.05, 1e-12));
  runs[1].mean = 12.2;
  const Interval interval = interval_of(runs);
  const double half_width = std::hypot(t_point(1) * 0.1, 0.05);
  CHECK(interval.high.value() - interval.mean == near(half_width, 1e-9));
}

TEST_CASE("a spread shows how sure it is") {
  std::vector<RunMoments> runs;
  for (const double time : {1.0, 1.2, 1.4})
    runs.push_back(test::moments_of("2024-05-01", std::to_string(time), {time, time}));
  const Interval interval = interval_of(runs);
  CHECK(interval.sd.value() == near(0.2, 1e-12));
  // R: 0.2 * sqrt(2 / qchisq(c(.975, .025), 2))
  CHECK(interval.sd_low.value() == near(0.104132, 1e-5));
  CHECK(interval.sd_high.value() == near(1.256956, 1e-5));
}

TEST_CASE("one allocation has no interval however many runs it holds") {
  const Interval interval = interval_of(
      {test::moments_of("", "a", {1.0, 1.2}), test::moments_of("", "a", {1.3, 1.5, 1.4})});
  CHECK(interval.mean == near(1.25, 1e-12));  // of the runs' means: no run counts twice
  CHECK_FALSE(interval.low);
  CHECK_FALSE(interval.high);
  CHECK(interval.unit == "run");
  CHECK(interval.sd.value() == near(0.2121320344, 1e-9));
  CHECK(interval.remark == "one allocation");
}

TEST_CASE("one run shows the spread of its iterations and one iteration none") {
  const Interval run = interval_of({test::moments_of("", "a", {1.0, 1.2})});
  CHECK(run.unit == "iteration");
  CHECK(run.sd.value() == near(0.1414213562, 1e-9));
  const Interval single = interval_of({test::moments_of("", "a", {1.0})});
  CHECK(single.mean == 1.0);
  CHECK_FALSE(single.sd);
}

TEST_CASE("a time has no negative bound") {
  const Interval interval =
      interval_of({test::moments_of("", "a", {1.0}), test::moments_of("", "b", {2.0})});
  CHECK(interval.low.value() == 0);
  CHECK(interval.high.value() == near(1.5 + 12.7062047361747 * 0.5, 1e-9));
}

TEST_CASE("allocations that do not differ fall back on their means") {
  // No variance between them: degrees of freedom would count all 11 iterations.
  const Interval interval = interval_of({test::moments_of("", "a", {0.986, 1.0, 1.014, 1.0}),
                                         test::moments_of("", "b", {0.996, 1.024, 1.01}),
                                         test::moments_of("", "c", {0.991, 1.019, 1.005, 1.005})});
  CHECK(interval.mean == near((1.0 + 1.01 + 1.005) / 3, 1e-9));
  CHECK(interval.high.value() - interval.mean == near(4.30265272974946 * 0.005 / 1.7320508, 1e-6));
}

TEST_CASE("allocations that agree by chance are no surer than their iterations") {
  const Interval chance = interval_of(
      {test::moments_of("", "a", {0.9, 1.0, 1.1}), test::moments_of("", "b", {1.1, 0.9, 1.0})});
  const double half_width = 2.7764451051978 * 0.1 / std::sqrt(6.0);  // t of 4 degrees of freedom
  CHECK(chance.mean == near(1, 1e-12));
  CHECK(chance.high.value() - chance.mean == near(half_width, 1e-9));
  CHECK(*chance.sd == near(0, 1e-12));
  CHECK(*chance.sd_high == near(0.1 / std::sqrt(3.0), 1e-9));
  CHECK(chance.df == 4);
}

TEST_CASE("what recurs within every run does not widen the interval of three allocations") {
  std::vector<RunMoments> runs;
  for (const char* name : {"a", "b", "c"})
    runs.push_back(test::moments_of("", name, {0.9, 1.1, 0.9, 1.1, 0.9, 1.1}));
  CHECK(interval_of(runs).high.value() == near(1, 1e-9));
}

TEST_CASE("measurements without any spread have an interval of no width") {
  const Interval interval =
      interval_of({test::moments_of("", "a", {0.1, 0.1}), test::moments_of("", "b", {0.1}),
                   test::moments_of("", "c", {0.1, 0.1, 0.1})});
  CHECK(interval.low.value() == 0.1);
  CHECK(interval.mean == 0.1);
  CHECK(interval.high.value() == 0.1);
}

TEST_CASE("whatever the shape and the scale the mean lies within its interval") {
  Random random(20211);
  for (int i = 0; i < 3000; ++i) {
    const double scale = std::pow(10.0, static_cast<double>(random.below(13)) - 6);
    const double spread = std::pow(10.0, -static_cast<double>(random.below(17)));
    std::vector<RunMoments> runs;
    for (std::uint64_t count = 1 + random.below(6); count > 0; --count) {
      std::vector<double> times(1 + random.below(random.below(2) == 0 ? 2 : 30));
      for (double& time : times) {
        time = scale * (1 + spread * static_cast<double>(random.below(4)) / 3);
      }
      const std::string day = random.below(8) == 0 ? "" : "d" + std::to_string(random.below(4));
      runs.push_back(test::moments_of(day, "a" + std::to_string(random.below(4)), times));
    }
    const Interval interval = interval_of(runs);
    INFO(i << ": " << runs.size() << " runs, scale " << scale << ", spread " << spread);
    REQUIRE(std::isfinite(interval.mean));
    REQUIRE(interval.mean >= scale * (1 - 1e-9));
    REQUIRE(interval.mean <= scale * (1 + spread) * (1 + 1e-9));
    REQUIRE(interval.low.has_value() == interval.high.has_value());
    if (!interval.low) continue;
    REQUIRE(*interval.low <= interval.mean);
    REQUIRE(interval.mean <= *interval.high);
    REQUIRE(std::isfinite(*interval.high));
    REQUIRE((!interval.sd || std::isfinite(*interval.sd)));
  }
}

TEST_CASE("single iterations in unlike numbers are weighed by what they tell, too") {
  // Nothing spreads within runs; the allocation of three tells a little more than the others.
  const Interval interval =
      interval_of({test::moments_of("", "a", {10.0}), test::moments_of("", "a", {10.1}),
                   test::moments_of("", "a", {10.2}), test::moments_of("", "b", {15.0}),
                   test::moments_of("", "c", {12.0})});
  const double plain = (10.1 + 15 + 12) / 3;
  CHECK(interval.mean < plain - 1e-6);
  CHECK(interval.mean > plain - 0.1);
}
