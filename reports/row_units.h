// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/statistics/best_row.h"
#include "reports/statistics/nested.h"

namespace pippin {

/// What was repeated, under numbers that all rows of a table share: its allocations, or its days.
class RowUnits {
 public:
  explicit RowUnits(bool days) : days_(days) {}

  /// The mean logarithm of each unit: of a day the mean over its allocations.
  RowMeans means(const std::vector<AllocationMean>& allocations);

 private:
  std::map<std::string, std::size_t> numbers_;
  bool days_;
};

/// By allocation: the mean of its runs, in the runs' unit.
std::vector<AllocationMean> allocation_means_of(const std::vector<RunMoments>& runs);

/// Whether days are what a claim about these rows rests on: each has three or more, and no two ran
/// in the same allocation, within which they could be compared.
bool rest_on_days(const std::vector<const std::vector<AllocationMean>*>& rows);

/// The days of a row; 0 where one is unknown.
std::size_t days_of(const std::vector<AllocationMean>& allocations);

}  // namespace pippin
