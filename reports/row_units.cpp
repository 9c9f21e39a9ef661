// SPDX-License-Identifier: Apache-2.0
#include "reports/row_units.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/statistics/reach.h"
#include "reports/statistics/sample.h"

namespace pippin {

RowMeans RowUnits::means(const std::vector<AllocationMean>& allocations) {
  std::map<std::size_t, std::vector<double>> units;
  for (const auto& mean : allocations) {
    const std::string& name = days_ ? mean.day : mean.allocation;
    const std::size_t number = numbers_.try_emplace(name, numbers_.size()).first->second;
    units[number].push_back(std::log(mean.seconds));
  }
  RowMeans result;
  for (const auto& unit : units) {
    result.allocations.push_back(unit.first);
    result.values.push_back(mean_of(unit.second));
  }
  return result;
}

std::vector<AllocationMean> allocation_means_of(const std::vector<RunMoments>& runs) {
  if (runs.size() == 1) return {{runs[0].allocation, runs[0].day, runs[0].mean}};
  std::map<std::string, std::vector<const RunMoments*>> allocations;
  for (const auto& run : runs) allocations[run.allocation].push_back(&run);
  std::vector<AllocationMean> means;
  means.reserve(allocations.size());
  for (const auto& entry : allocations) {
    double sum = 0;
    for (const auto* run : entry.second) sum += run->mean;
    means.push_back(
        {entry.first, entry.second.front()->day, sum / static_cast<double>(entry.second.size())});
  }
  return means;
}

std::size_t days_of(const std::vector<AllocationMean>& allocations) {
  std::set<std::string> days;
  for (const auto& mean : allocations) days.insert(mean.day);
  return days.count("") > 0 ? 0 : days.size();
}

bool rest_on_days(const std::vector<const std::vector<AllocationMean>*>& rows) {
  const auto has_few = [](const auto* row) { return days_of(*row) < kDaysForAClaim; };
  if (std::any_of(rows.begin(), rows.end(), has_few)) return false;
  std::map<std::string, std::size_t> uses;
  for (const auto* row : rows) {
    for (const auto& mean : *row) ++uses[mean.allocation];
  }
  return std::none_of(uses.begin(), uses.end(), [](const auto& use) { return use.second > 1; });
}

}  // namespace pippin
