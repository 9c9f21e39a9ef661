// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "reports/statistics/nested.h"

namespace pippin::test {

/// The lines of a CSV file in tests/data/statistics, without its header, cut at commas.
std::vector<std::vector<std::string>> csv_rows(const std::string& file);

/// The values of the last column.
std::vector<double> last_column(const std::string& file);

/// The values (last column) of the rows whose first column is `name`.
std::vector<double> series_of(const std::string& file, const std::string& name);

struct RunTimes {
  std::string name, day, allocation;
  std::vector<double> values;
};

/// The runs of a file with the columns day, allocation, run, iteration, time; ordered by name.
std::vector<RunTimes> run_times_of(const std::string& file);
std::vector<RunMoments> runs_of(const std::string& file);
std::vector<RunMoments> moments_of(const std::vector<RunTimes>& runs);

RunMoments moments_of(std::string day, std::string allocation, const std::vector<double>& values);

/// A Hampel filter: what lies more than `far` MADs from the median of three neighbours a side
/// becomes that median. Of a run's start the first value is no neighbour, and the first two stay.
std::vector<double> without_spikes(const std::vector<double>& values, double far, bool start);

/// An intercept and one harmonic of 24 hours.
std::vector<std::vector<double>> cycle_of(const std::vector<double>& hours);

/// A column of ones for every label but the first: which rows have it. Labels in their own order.
std::vector<std::vector<double>> indicators(const std::vector<std::size_t>& labels);

}  // namespace pippin::test
