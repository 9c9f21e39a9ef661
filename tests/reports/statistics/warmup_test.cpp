#include "reports/statistics/warmup.h"

#include <cmath>

#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;
using Kind = Course::Kind;

namespace {
struct Decision {
  std::string series;
  Kind kind;
  std::size_t steady_from;
  std::vector<std::size_t> starts;
  double last_mean;
};

// What own R code decides, which was written from the same definition.
const std::vector<Decision> kDecisions{
    {"flat", Kind::kFlat, 0, {0}, 6.39759304215986},
    {"first_iter", Kind::kWarmup, 1, {0, 1}, 6.39961232539066},
    {"exp_decay", Kind::kWarmup, 12, {0, 2, 7, 12}, 6.39504007604081},
    {"two_phase", Kind::kWarmup, 10, {0, 1, 10}, 6.39607357956516},
    {"slowdown", Kind::kSlowdown, 35, {0, 35}, 6.49723234396534},
    {"late_spikes", Kind::kWarmup, 1, {0, 1}, 6.39622746742068},
    {"no_steady", Kind::kNoSteadyState, 55, {0, 55}, 6.70005997004037},
};
}  // namespace

TEST_CASE("seven courses are told apart") {
  for (const auto& decision : kDecisions) {
    INFO(decision.series);
    const Course course = course_of(test::series_of("warmup.csv", decision.series));
    CHECK(course.kind == decision.kind);
    CHECK(course.steady_from == decision.steady_from);
    CHECK(course.starts == decision.starts);
    CHECK(course.means.back() == Approx(decision.last_mean).epsilon(1e-9));
  }
}

TEST_CASE("a slowdown and a run that never settles are kept whole") {
  CHECK(course_of(test::series_of("warmup.csv", "slowdown")).cut() == 0);
  CHECK(course_of(test::series_of("warmup.csv", "no_steady")).cut() == 0);
  CHECK(course_of(test::series_of("warmup.csv", "two_phase")).cut() == 10);
}

TEST_CASE("below eight samples nothing is looked for") {
  std::vector<double> times(kShortestCourse - 1, 1.0);
  times.front() = 9;
  CHECK(course_of(times).kind == Kind::kTooShort);
  CHECK(course_of(times).cut() == 0);
  times.push_back(1.0);
  CHECK(course_of(times).cut() == 1);
}

TEST_CASE("a long run is judged by its beginning") {
  std::vector<double> times(50000, 1.0);
  for (std::size_t i = 0; i < 30; ++i) times[i] = 1.5;
  CHECK(course_of(times).cut() == 30);
}

namespace {

/// Levels of so many samples each.
Course course_of_levels(const std::vector<std::pair<std::size_t, double>>& levels) {
  std::vector<double> times;
  for (const auto& [count, time] : levels) times.insert(times.end(), count, time);
  return course_of(times);
}

}  // namespace

TEST_CASE("a steady part has ten samples and three tenths of all at the least") {
  CHECK(course_of_levels({{10, 2}, {10, 1}}).kind == Kind::kWarmup);
  CHECK(course_of_levels({{10, 2}, {10, 1}}).cut() == 10);
  CHECK(course_of_levels({{11, 2}, {9, 1}}).kind == Kind::kNoSteadyState);
  CHECK(course_of_levels({{35, 2}, {15, 1}}).kind == Kind::kWarmup);
  CHECK(course_of_levels({{36, 2}, {14, 1}}).kind == Kind::kNoSteadyState);
  CHECK(course_of_levels({{36, 2}, {14, 1}}).steady_from == 36);
}

TEST_CASE("levels within a hundredth of the last belong to it") {
  CHECK(course_of_levels({{20, 1.009}, {20, 1}}).kind == Kind::kFlat);
  CHECK(course_of_levels({{20, 1.009}, {20, 1}}).starts.size() == 2);
  CHECK(course_of_levels({{20, 1.012}, {20, 1}}).kind == Kind::kWarmup);
  CHECK(course_of_levels({{10, 2}, {20, 1.009}, {20, 1}}).cut() == 10);
  CHECK(course_of_levels({{20, 0.988}, {20, 1}}).kind == Kind::kSlowdown);
}

TEST_CASE("a warm-up is slower all along, anything else before is a slowdown") {
  CHECK(course_of_levels({{10, 3}, {10, 2}, {20, 1}}).kind == Kind::kWarmup);
  CHECK(course_of_levels({{10, 3}, {10, 2}, {20, 1}}).starts ==
        std::vector<std::size_t>{0, 10, 20});
  CHECK(course_of_levels({{10, 2}, {10, 0.5}, {20, 1}}).kind == Kind::kSlowdown);
  CHECK(course_of_levels({{10, 1}, {10, 2}, {20, 1}}).kind == Kind::kSlowdown);
  CHECK(course_of_levels({{10, 1}, {10, 2}, {20, 1}}).steady_from == 20);
}

TEST_CASE("a spike is no level, but the first samples are") {
  std::vector<double> times(40, 1.0);
  times[20] = times[30] = times[39] = 5;
  CHECK(course_of(times).kind == Kind::kFlat);
  CHECK(course_of(times).starts == std::vector<std::size_t>{0});
  times[0] = 5;
  CHECK(course_of(times).cut() == 1);
  times[1] = 5;
  CHECK(course_of(times).cut() == 2);
  // Only a start may be shorter than five samples.
  CHECK(course_of_levels({{4, 2}, {30, 1}}).starts == std::vector<std::size_t>{0, 4});
}

TEST_CASE("two thousand samples are looked at") {
  CHECK(course_of_levels({{2000, 1}, {900, 2}}).kind == Kind::kFlat);
  CHECK(course_of_levels({{1300, 1}, {1600, 2}}).kind == Kind::kSlowdown);
  CHECK(course_of_levels({{1300, 2}, {1600, 1}}).cut() == 1300);
}

TEST_CASE("means of levels are those of their logarithms") {
  const Course course = course_of_levels({{20, std::exp(2.0)}, {20, std::exp(1.0)}});
  REQUIRE(course.means.size() == 2);
  CHECK(course.means[0] == Approx(2));
  CHECK(course.means[1] == Approx(1));
}
