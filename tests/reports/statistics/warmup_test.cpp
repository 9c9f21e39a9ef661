// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/warmup.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "reports/statistics/sample.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using Kind = Course::Kind;
using test::near;

namespace {

// What own R code decides, which was written from the same definition.
const nlohmann::json& answers() { return test::reference().at("warmup"); }

std::string name_of(Kind kind) {
  if (kind == Kind::kFlat) return "flat";
  if (kind == Kind::kWarmup) return "warmup";
  return kind == Kind::kSlowdown ? "slowdown_or_mixed" : "no_steady_state";
}

/// White's marginal standard error rule on means of so many values: where to cut, and its least
/// value. Source: White, "An Effective Truncation Heuristic for Bias Reduction in Simulation
/// Output", 1997.
std::pair<std::size_t, double> marginal_standard_error(const std::vector<double>& values,
                                                       std::size_t batch) {
  std::vector<double> means;
  for (std::size_t i = 0; i + batch <= values.size(); i += batch) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(i);
    means.push_back(mean_of({from, from + static_cast<std::ptrdiff_t>(batch)}));
  }
  std::pair<std::size_t, double> best{0, INFINITY};
  for (std::size_t cut = 0; cut <= means.size() / 2; ++cut) {
    const std::vector<double> rest(means.begin() + static_cast<std::ptrdiff_t>(cut), means.end());
    const double n = static_cast<double>(rest.size()), value = squares_of(rest) / (n * n);
    if (value < best.second) best = {cut * batch, value};
  }
  return best;
}

}  // namespace

TEST_CASE("seven courses are told apart, with the levels that R finds") {
  CHECK(answers().size() == 7);
  for (const auto& [series, all] : answers().items()) {
    CAPTURE(series);
    const auto& r = all.at("recommended");
    const auto times = test::series_of("warmup.csv", series);
    const Course course = course_of(times);
    CHECK(name_of(course.kind) == r.at("class").get<std::string>());
    CHECK(course.steady_from == r.at("cut_iter").get<std::size_t>());
    const auto starts = test::numbers_of(r.at("segment_starts_iter"));
    const auto means = test::numbers_of(r.at("segment_mean_log"));
    CHECK(std::vector<double>(course.starts.begin(), course.starts.end()) == starts);
    REQUIRE(course.means.size() == means.size());
    for (std::size_t i = 0; i < means.size(); ++i) CHECK(course.means[i] == near(means[i]));
    // The noise by which pippin finds these levels is nothing that it shows.
    const auto values = test::without_spikes(test::logs_of(times), 4, true);
    std::vector<double> steps;
    for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
    const double noise = mad_of(steps) / std::numbers::sqrt2;
    const auto n = static_cast<double>(values.size());
    CHECK(noise == near(r.at("sigma")));
    CHECK(3 * std::log(n) * noise * noise == near(r.at("penalty")));
    CHECK(std::max(0.01, 2 * noise / std::sqrt(n)) == near(r.at("tol")));
  }
}

TEST_CASE("a rule of simulations cuts as in R, but takes a slowdown and late spikes for steady") {
  for (const auto& [series, r] : answers().items()) {
    for (const std::size_t batch : {1u, 5u}) {
      CAPTURE(series, batch);
      const auto& expected = r.at(batch == 1 ? "mser1" : "mser5");
      const auto found = marginal_standard_error(test::series_of("warmup.csv", series), batch);
      CHECK(found.first == expected.at("truncate_at_iter").get<std::size_t>());
      CHECK(found.second == near(expected.at("statistic")));
    }
  }
}

TEST_CASE("warm-ups are cut where they end") {
  const std::map<std::string, std::size_t> truth{
      {"flat", 0}, {"first_iter", 1}, {"exp_decay", 12}, {"two_phase", 10}, {"late_spikes", 1}};
  for (const auto& [series, cut] : truth)
    CHECK(course_of(test::series_of("warmup.csv", series)).cut() == cut);
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

TEST_CASE("the last step of a short warm-up goes with it, though it looks like a spike") {
  std::vector<double> times{1.5, 1.33, 1.17};
  for (int i = 0; i < 45; ++i) times.push_back(1 + 0.005 * std::sin(i));
  CHECK(course_of(times).cut() == 3);
  times[2] = 0.8;  // fast: what follows begins there
  CHECK(course_of(times).cut() == 2);
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
