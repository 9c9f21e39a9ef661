// SPDX-License-Identifier: Apache-2.0
#include "reports/standing.h"

#include <cmath>

#include "reports/rates.h"
#include "reports/statistics/best_row.h"
#include "reports/statistics/sample.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// A row that ran in jobs "1", "2", …, or in `jobs`.
Summary row_of(const std::string& name, const std::vector<double>& seconds,
               std::vector<std::string> jobs = {}) {
  Summary row = test::row_52b(name, mean_of(seconds));
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::string job = jobs.empty() ? std::to_string(i + 1) : jobs[i];
    row.allocation_means.push_back({job, "2026-11-20", seconds[i]});
  }
  row.allocations = static_cast<std::int64_t>(seconds.size());
  rate(row, {});
  return row;
}

Standing::Place place_of(const Summary& row) { return row.standing.value().place; }

}  // namespace

TEST_CASE("rows of shared allocations are compared within them") {
  std::vector<Summary> rows{row_of("a", {1.0, 2.0, 4.0}), row_of("b", {1.25, 2.5, 5.1})};
  compare_with(rows, 0);
  CHECK(rows[0].vs.value().value == 1);
  CHECK_FALSE(rows[0].vs->low);
  // Logarithms of 1.25, 1.25 and 1.275: their mean and Student's t.
  const std::vector<double> logs{std::log(1.25), std::log(1.25), std::log(1.275)};
  const Difference expected = paired_difference(logs).value();
  CHECK(rows[1].vs.value().value == Approx(std::exp(-mean_of(logs))));
  CHECK(rows[1].vs->low.value() == Approx(std::exp(-expected.high(0.95))));
  CHECK(rows[1].vs->high.value() == Approx(std::exp(-expected.low(0.95))));
  CHECK(rows[1].vs->high.value() < 0.83);
}

TEST_CASE("rows of unlike allocations are compared by Welch's interval") {
  std::vector<Summary> rows{row_of("a", {1.0, 1.1}), row_of("b", {2.0, 2.3}, {"3", "4"})};
  compare_with(rows, 0);
  const auto expected = unpaired_difference({0, std::log(1.1)}, {std::log(2.0), std::log(2.3)});
  CHECK(rows[1].vs.value().value == Approx(std::exp(-expected->estimate)));
  CHECK(rows[1].vs->low.value() == Approx(std::exp(-expected->high(0.95))));
}

TEST_CASE("a row that was not repeated has a ratio without an interval") {
  std::vector<Summary> rows{row_of("a", {2}), row_of("b", {1}), row_of("c", {3, 4})};
  compare_with(rows, 0);
  CHECK(rows[1].vs.value().value == Approx(2));
  CHECK_FALSE(rows[1].vs->low);
  CHECK_FALSE(rows[2].vs.value().low);
}

TEST_CASE("a row that failed or was noted by hand has no place, and a failed one no ratio") {
  std::vector<Summary> rows{row_of("a", {2, 2.1}), row_of("b", {1, 1.1}), row_of("c", {3, 3.1}),
                            row_of("d", {1.5, 1.6})};
  rows[1].state = RunState::kOom;
  rows[2].noted = true;
  compare_with(rows, 0);
  rank(rows);
  CHECK_FALSE(rows[1].vs);
  CHECK_FALSE(rows[1].standing);
  CHECK(rows[2].vs);
  CHECK_FALSE(rows[2].vs->low);
  CHECK_FALSE(rows[2].standing);
  CHECK(place_of(rows[3]) == Standing::kBest);
}

TEST_CASE("unlike models without FLOPs are not held against one another") {
  std::vector<Summary> rows{row_of("a", {2, 2.1}), row_of("b", {1, 1.1})};
  for (auto& row : rows) row.useful_tflops.reset();
  rows[1].point.model.hidden = 1;
  compare_with(rows, 0);
  rank(rows);
  CHECK(rows[0].vs);
  CHECK_FALSE(rows[1].vs);
  CHECK_FALSE(rows[0].standing);
}

TEST_CASE("a comparison counts recomputed work once and falls back on sequences of one model") {
  std::vector<Summary> rows{row_of("a", {3}), row_of("b", {4})};
  rows[0].recompute = "none";
  for (auto& row : rows) rate(row, {});
  CHECK(rows[1].tflops.value() == Approx(rows[0].tflops.value()));  // 4/4 of the work in 4/3
  compare_with(rows, 0);
  CHECK(rows[1].vs.value().value == Approx(0.75));
  for (auto& row : rows) row.useful_tflops.reset();
  rows[1].samples_per_s = 3 * rows[0].samples_per_s.value();
  compare_with(rows, 0);
  CHECK(rows[1].vs.value().value == Approx(3));
}

TEST_CASE("rows that cannot be told from the best are one group, and their chances add up") {
  std::vector<Summary> rows{
      row_of("a", {1.00, 1.20, 1.10, 1.30, 1.05}), row_of("b", {1.01, 1.19, 1.12, 1.28, 1.06}),
      row_of("c", {1.50, 1.79, 1.66, 1.95, 1.58}), row_of("d", {1.02, 1.23, 1.13, 1.32, 1.08})};
  rank(rows);
  CHECK(place_of(rows[0]) == Standing::kBest);
  CHECK(place_of(rows[1]) == Standing::kTied);
  CHECK(place_of(rows[2]) == Standing::kBehind);
  CHECK(place_of(rows[3]) == Standing::kBehind);  // always 2 % behind
  double sum = 0;
  for (const auto& row : rows) sum += row.standing->chance;
  CHECK(sum == Approx(1));
  CHECK(rows[0].standing->chance > 0.5);
  CHECK(rows[1].standing->chance > 0.1);
  CHECK(rows[2].standing->chance == 0);
}

TEST_CASE("where nothing was repeated nobody has a place") {
  std::vector<Summary> rows{row_of("a", {1}), row_of("b", {2})};
  rank(rows);
  CHECK_FALSE(rows[0].standing);
  CHECK_FALSE(rows[1].standing);
}

TEST_CASE("a row that was not repeated has no place among those that were") {
  std::vector<Summary> rows{row_of("a", {1, 1.1, 1.2}), row_of("b", {0.5}, {"9"}),
                            row_of("c", {2, 2.1, 2.2})};
  rank(rows);
  CHECK(place_of(rows[0]) == Standing::kBest);
  CHECK_FALSE(rows[1].standing);
  CHECK(place_of(rows[2]) == Standing::kBehind);
}
