// SPDX-License-Identifier: Apache-2.0
#include "probes/common/spread.h"

#include <algorithm>
#include <cmath>

namespace pippin::probes {

namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double mean_of(const std::vector<double>& samples) {
  double sum = 0;
  for (const double sample : samples) sum += sample;
  return sum / static_cast<double>(samples.size());
}

double cv_of(const std::vector<double>& samples, double mean) {
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  if (samples.size() < 2 || mean == 0) return 0;
  return std::sqrt(squares / static_cast<double>(samples.size() - 1)) / mean;
}

}  // namespace

double median_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return median_of_sorted(samples);
}

Spread spread_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size(), p99 = (99 * n + 99) / 100 - 1;
  const double mean = mean_of(samples);
  return {static_cast<std::int64_t>(n),
          samples.front(),
          median_of_sorted(samples),
          samples[p99],
          samples.back(),
          mean,
          cv_of(samples, mean)};
}

}  // namespace pippin::probes
