// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/start_times.h"

#include <cstdlib>
#include <ctime>

#include "core/base/error.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr std::int64_t kHour = 3600, kDay = 86400;
constexpr std::int64_t kStart = 1795176000;  // 2026-11-20T12:00:00Z
const char* const kStarted = "2026-11-20T12:00:00Z";

/// This machine's clock is UTC for as long as it lives.
struct InUtc {
  InUtc() {
    ::setenv("TZ", "UTC0", 1);
    ::tzset();
  }
  ~InUtc() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

}  // namespace

TEST_CASE("without a word allocations begin at once") {
  CHECK_FALSE(StartTimes("", "", kStarted, 5).begin_of(1));
}

TEST_CASE("a spread places allocations evenly from the campaign's start on") {
  const StartTimes start_times("3d", "", kStarted, 6);
  CHECK(start_times.begin_of(1) == kStart);
  CHECK(start_times.begin_of(2) == kStart + kDay / 2);
  CHECK(start_times.begin_of(6) == kStart + 5 * kDay / 2);
  CHECK(StartTimes("90m", "", kStarted, 2).begin_of(2) == kStart + 2700);
}

TEST_CASE("times of day follow one another from the first after the start on") {
  const InUtc utc;
  const StartTimes start_times("", "18:00,06:00,00:00", kStarted, 4);
  CHECK(start_times.begin_of(1) == kStart + 6 * kHour);
  CHECK(start_times.begin_of(2) == kStart + 12 * kHour);
  CHECK(start_times.begin_of(3) == kStart + 18 * kHour);
  CHECK(start_times.begin_of(4) == kStart + 30 * kHour);
}

TEST_CASE("what is no time is refused with what would be one") {
  for (const char* spread : {"3", "d", "-1d", "3w", "1e9d", " ", "nan d"})
    CHECK_THROWS_WITH(StartTimes(spread, "", kStarted, 2), Catch::Contains("write 3d, 12h or 90m"));
  for (const char* at : {"25:00", "12", "12:60", "12:00,", "noon"})
    CHECK_THROWS_WITH(StartTimes("", at, kStarted, 2), Catch::Contains("is no time of day"));
  CHECK_THROWS_AS(StartTimes("3d", "12:00", kStarted, 2), Error);
}

TEST_CASE("spans reach a year, and days have their first and last minute") {
  const InUtc utc;
  CHECK(StartTimes("365d", "", kStarted, 2).begin_of(2) == kStart + 365 * kDay / 2);
  CHECK(StartTimes("0.5h", "", kStarted, 1).begin_of(1) == kStart);
  CHECK(StartTimes(" 12h ", "", kStarted, 2).begin_of(2) == kStart + 6 * kHour);
  for (const char* spread : {"366d", "0d", "0.0h", "h", "12 hours"})
    CHECK_THROWS_AS(StartTimes(spread, "", kStarted, 2), Error);
  CHECK(StartTimes("", "00:00", kStarted, 1).begin_of(1) == kStart + 12 * kHour);
  CHECK(StartTimes("", "23:59", kStarted, 1).begin_of(1) == kStart + 12 * kHour - 60);
  for (const char* at : {"24:00", "-1:00", "12:-1", "12:00:00", "", ":"})
    if (*at != '\0') CHECK_THROWS_AS(StartTimes("", at, kStarted, 2), Error);
  // A time that has just come is not over, and one said twice comes once a day.
  CHECK(StartTimes("", "12:00", kStarted, 1).begin_of(1) == kStart);
  CHECK(StartTimes("", "11:59", kStarted, 1).begin_of(1) == kStart + kDay - 60);
  CHECK(StartTimes("", "12:00, 12:00", kStarted, 2).begin_of(2) == kStart + kDay);
  CHECK_THROWS_WITH(StartTimes("3d", "12:00", kStarted, 2), "--spread and --at: say one of them");
}

TEST_CASE("a campaign of no allocations spreads as one") {
  CHECK(StartTimes("2d", "", kStarted, 0).begin_of(2) == kStart + 2 * kDay);
}
