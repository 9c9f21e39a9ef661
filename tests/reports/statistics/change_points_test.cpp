// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/change_points.h"

#include <cmath>

#include "core/base/random.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;

namespace {

std::vector<double> nights() { return test::logs_of(test::last_column("change_point.csv")); }

}  // namespace

TEST_CASE("the first split is that of R by energy distance") {
  const auto& r = test::reference().at("change_point").at("e_divisive_first_split");
  const Split split = best_split(nights(), 0, 60, 2);
  CHECK(r.at("alpha") == 1);
  CHECK(split.distance == test::near(r.at("q_hat")));
  CHECK(split.at + 1 == r.at("tau_first_index_of_right_segment").get<std::size_t>());
  CHECK(split.end + 1 == r.at("kappa_exclusive_end").get<std::size_t>());
}

TEST_CASE("nights change their level where they do, whatever the shuffles") {
  // New levels begin in nights 26 and 46; the noise moves the second by one, in R, too.
  const auto& r = test::reference().at("change_point");
  const auto truth = test::numbers_of(r.at("truth_new_segment_starts_1based"));
  const auto ends = test::numbers_of(
      r.at("merged_welch_p001_mag1pct").at("breakpoints_last_index_of_left_segment"));
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto found = change_points(nights(), seed);
    REQUIRE(found.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto start = static_cast<double>(found[i]) + 1;  // from 1
      CHECK(start == ends[i] + 1);
      CHECK(std::abs(start - truth[i]) <= 1);
    }
  }
}

TEST_CASE("a steady series, a short one and an equal one do not change") {
  Random random(7);
  int changed = 0;
  for (int series = 0; series < 40; ++series) {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back(0.02 * normal(random));
    changed += static_cast<int>(!change_points(values, 1).empty());
  }
  CHECK(changed == 0);
  CHECK(change_points({}, 1).empty());
  CHECK(change_points({1, 1, 1, 2, 2, 2}, 1).empty());  // no level is so short
  CHECK(change_points(std::vector<double>(30, 0.5), 1).empty());
}

TEST_CASE("a clean step is found between its sides") {
  std::vector<double> values(12, 1.0);
  for (int i = 0; i < 12; ++i) values.push_back(1.1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i % 2 == 0 ? 0.001 : -0.001;
  CHECK(change_points(values, 1) == std::vector<std::size_t>{12});
}
