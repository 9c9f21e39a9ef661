#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "reports/statistics/nested.h"

namespace pippin::test {

/// The lines of a CSV file in tests/data/statistics, without its header, cut at commas.
std::vector<std::vector<std::string>> csv_rows(const std::string& file);

/// The values (last column) of the rows whose first column is `name`.
std::vector<double> series_of(const std::string& file, const std::string& name);

/// The runs of a file with the columns day, allocation, run, iteration, time.
std::vector<RunMoments> runs_of(const std::string& file);

RunMoments moments_of(std::string day, std::string allocation, const std::vector<double>& values);

}  // namespace pippin::test
