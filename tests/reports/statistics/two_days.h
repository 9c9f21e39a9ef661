// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/statistics/common_mode.h"

namespace pippin::test {

/// two_day.csv: 12 configurations on 2 days of 6 allocations; every allocation ran all of them.
struct TwoDaysRun {
  std::string day, allocation, configuration;
  std::vector<double> times;
};

/// Ordered by configuration, day and allocation.
std::vector<TwoDaysRun> runs_of_two_days();

/// Its configurations in the order of their names, each a mean logarithm per allocation.
std::vector<TwoSides> two_days();

/// "k03" of row 2.
std::string two_days_name(std::size_t row);

}  // namespace pippin::test
