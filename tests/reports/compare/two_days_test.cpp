// SPDX-License-Identifier: Apache-2.0
// two_day.csv by the whole of compare: 12 configurations, of which three changed.
#include "tests/reports/statistics/two_days.h"

#include <cmath>

#include "reports/compare/comparison.h"
#include "reports/digest.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::vector<PointSamples> side_of(const std::string& day) {
  std::vector<PointSamples> points;
  for (const auto& measured : test::runs_of_two_days()) {
    if (measured.day != day) continue;
    if (points.empty() || points.back().point.name != measured.configuration) {
      points.emplace_back().point.name = measured.configuration;
      points.back().point.id = measured.configuration;
    }
    RunSamples run = test::run_of(measured.allocation, measured.times);
    run.iterations.front().flags = 0;  // the file leaves first iterations out
    run.day = day;
    run.digest = digest_of(run.iterations, {});
    points.back().runs.push_back(run);
  }
  return points;
}

}  // namespace

TEST_CASE("of twelve configurations exactly the three are told that changed between two days") {
  const auto found = compare({"D1", side_of("D1")}, {"D2", side_of("D2")}, {});
  REQUIRE(found.rows.size() == 12);
  std::string slower, faster;
  for (const auto& row : found.rows) {
    if (row.verdict == Verdict::kSlower) slower += row.point.name + " ";
    if (row.verdict == Verdict::kFaster) faster += row.point.name + " ";
  }
  CHECK(slower == "k03 k07 ");
  CHECK(faster == "k11 ");
  REQUIRE(found.common);
  CHECK(found.common->verdict != Verdict::kSlower);
  CHECK(found.common->verdict != Verdict::kFaster);
  // The truth: 8 and 5 % slower, 6 % faster; their intervals hold it.
  for (const auto& [index, percent] : {std::pair(2, 8), std::pair(6, 5), std::pair(10, -6)}) {
    const auto& difference = *found.rows[static_cast<std::size_t>(index)].difference;
    CAPTURE(index);
    CHECK(difference.low(0.95) < percent / 100.0);
    CHECK(difference.high(0.95) > percent / 100.0);
  }
}
