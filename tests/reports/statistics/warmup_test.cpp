#include "reports/statistics/warmup.h"

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

TEST_CASE("below twenty samples nothing is looked for") {
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
