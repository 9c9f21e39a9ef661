// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/two_days.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "reports/statistics/sample.h"
#include "tests/reports/statistics/series.h"

namespace pippin::test {

std::vector<TwoDaysRun> runs_of_two_days() {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<double>> times;
  for (const auto& row : csv_rows("two_day.csv"))
    times[{row.at(2), row.at(0), row.at(1)}].push_back(parse_number(row.at(4)).value());
  std::vector<TwoDaysRun> runs;
  for (const auto& [names, values] : times) {
    const auto& [configuration, day, allocation] = names;
    runs.push_back({day, allocation, configuration, values});
  }
  return runs;
}

std::vector<TwoSides> two_days() {
  std::map<std::string, std::size_t> allocations;
  std::vector<TwoSides> rows;
  for (const auto& run : runs_of_two_days()) {
    if (run.configuration == two_days_name(rows.size())) rows.emplace_back();
    const auto number = allocations.try_emplace(run.allocation, allocations.size()).first->second;
    RowMeans& side = run.day == "D1" ? rows.back().base : rows.back().other;
    side.allocations.push_back(number);
    side.values.push_back(std::log(mean_of(run.times)));
  }
  return rows;
}

std::string two_days_name(std::size_t row) { return fmt::format("k{:02}", row + 1); }

}  // namespace pippin::test
