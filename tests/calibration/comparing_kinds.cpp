// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reports/compare/comparison.h"
#include "tests/calibration/campaigns.h"
#include "tests/calibration/kinds.h"

namespace pippin::calibration {

namespace {

constexpr std::size_t kRows = 12;

Comparison compared(const Truth& base, const Truth& other, Random& random) {
  return compare({"base", campaign(base, "base", random)}, {"new", campaign(other, "new", random)},
                 {});
}

bool is_change(const ComparedRow& row) {
  return row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower;
}

Truth rows_of(std::size_t rows) {
  Truth truth;
  truth.rows = rows;
  return truth;
}

Outcome nothing_changed(Random& random) {
  const auto found = compared(rows_of(kRows), rows_of(kRows), random);
  return {std::any_of(found.rows.begin(), found.rows.end(), is_change)};
}

Outcome nothing_changed_in_own_jobs(Random& random) {
  Truth truth = rows_of(kRows);
  truth.own_jobs = true;
  const auto found = compared(truth, truth, random);
  return {std::any_of(found.rows.begin(), found.rows.end(), is_change)};
}

Outcome nothing_changed_in_three_allocations(Random& random) {
  Truth truth = rows_of(kRows);
  truth.allocations = 3;
  const auto found = compared(truth, truth, random);
  return {std::any_of(found.rows.begin(), found.rows.end(), is_change)};
}

/// The verdict on one row against another of the same allocations.
Outcome small_difference_in_shared_blocks(Random& random) {
  Truth truth = rows_of(2);
  truth.row_shifts = {0, std::log(1.03)};
  const auto points = campaign(truth, "both", random);
  const auto found = compare({"row0", {points[0]}}, {"row1", {points[1]}}, {});
  return {found.rows.at(0).verdict == Verdict::kSlower};
}

Outcome half_of_the_rows_slower(Random& random) {
  Truth other = rows_of(kRows);
  for (std::size_t row = 0; row < kRows; ++row)
    other.row_shifts.push_back(row % 2 == 0 ? std::log(1.2) : 0);
  const auto found = compared(rows_of(kRows), other, random);
  bool faster = false;
  for (std::size_t row = 1; row < kRows; row += 2)
    faster = faster || found.rows.at(row).verdict == Verdict::kFaster;
  return {!faster};
}

Outcome one_row_slower_of_many(Random& random) {
  Truth other = rows_of(kRows);
  other.row_shifts = {0, 0, std::log(1.1)};
  const auto found = compared(rows_of(kRows), other, random);
  return {found.rows.at(2).verdict == Verdict::kSlower};
}

Outcome all_rows_shifted(Random& random) {
  Truth other = rows_of(kRows);
  other.shift = std::log(1.3);
  const auto found = compared(rows_of(kRows), other, random);
  return {std::any_of(found.rows.begin(), found.rows.end(), is_change)};
}

/// The effect that one comparison calls detectable, in the next.
Outcome detectable(std::size_t rows, Random& random) {
  const auto before = compared(rows_of(rows), rows_of(rows), random);
  const auto& effect = before.rows.at(0).minimum_detectable;
  if (!effect) return {false, false};
  Truth other = rows_of(rows);
  other.row_shifts = {std::log(*effect)};
  const auto found = compared(rows_of(rows), other, random);
  return {found.rows.at(0).verdict == Verdict::kSlower};
}

Outcome detectable_alone(Random& random) { return detectable(1, random); }
Outcome detectable_among_many(Random& random) { return detectable(kRows, random); }

}  // namespace

const std::vector<Kind>& comparing_kinds() {
  static const std::vector<Kind> kKinds{
      {"12 rows, 5 allocations a side, nothing changed", "a false verdict", 0, 0.06,
       nothing_changed},
      {"the same, 3 allocations a side", "a false verdict", 0, 0.06,
       nothing_changed_in_three_allocations},
      {"the same, each row in jobs of its own", "a false verdict", 0, 0.06,
       nothing_changed_in_own_jobs},
      {"the same, all rows 30 % slower", "a row is called changed", 0, 0.06, all_rows_shifted},
      {"two rows in 5 shared blocks, 3 % apart", "found", 0.80, 1,
       small_difference_in_shared_blocks},
      {"six of 12 rows 20 % slower", "none of the others is called faster", 0.94, 1,
       half_of_the_rows_slower},
      {"one of 12 rows 10 % slower", "found", 0.80, 1, one_row_slower_of_many},
      {"one row slower by what is called detectable", "found", 0.75, 0.85, detectable_alone},
      {"the same, among 12 rows", "found", 0.75, 0.85, detectable_among_many},
  };
  return kKinds;
}

}  // namespace pippin::calibration
