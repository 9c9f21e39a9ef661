// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/reach.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr std::int64_t kHour = 3600, kMidnight = 1'700'006'400;  // 2023-11-15 00:00 UTC

/// Runs that started so many hours after midnight.
std::string reach_of_hours(const std::vector<double>& hours) {
  std::vector<RunMoments> runs;
  for (const double hour : hours) {
    RunMoments& run = runs.emplace_back();
    run.started_at = kMidnight + static_cast<std::int64_t>(hour * kHour);
    run.day = std::to_string(*run.started_at / (24 * kHour));
  }
  return reach_of(runs);
}

}  // namespace

TEST_CASE("runs close together speak of that time only") {
  CHECK(reach_of_hours({1, 1.5, 1.9}) == "all within an hour: other hours and days may differ");
  CHECK(reach_of_hours({1, 3.5}) == "all within 3 hours: other hours and days may differ");
  CHECK(reach_of_hours({22, 25}) == "all within 3 hours: other hours and days may differ");
}

TEST_CASE("one day speaks of that day, and two of these") {
  CHECK(reach_of_hours({1, 10}) == "all of one day: other days may differ");
  CHECK(reach_of_hours({20, 40}) == "all of one day: other days may differ");  // over midnight
  CHECK(reach_of_hours({1, 40}) == "of two days: other days may differ");
}

TEST_CASE("three days at all hours need no remark, but nights alone do") {
  CHECK(reach_of_hours({1, 33, 65}).empty());
  CHECK(reach_of_hours({1, 26, 51}) == "at the same hours each day: others may differ");
  CHECK(reach_of_hours({23, 48, 72}) == "at the same hours each day: others may differ");
}

TEST_CASE("runs whose day is unknown say so, and unknown hours are not asked for") {
  RunMoments unknown, known;
  known.day = "2024-05-01";
  CHECK(reach_of({unknown, known}) == "on unknown days: others may differ");
  CHECK(reach_of({known, known}) == "all of one day: other days may differ");
}
