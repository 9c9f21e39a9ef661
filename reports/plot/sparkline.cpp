// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reports/statistics/sample.h"

namespace pippin {

namespace {

constexpr std::size_t kHeights = 8;
constexpr std::array<const char*, kHeights> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, kHeights> kSigns{".", ":", "-", "=", "+", "*", "#", "@"};
constexpr std::size_t kMiddle = 3;  // where all values are alike

double median_of_finite(const double* from, const double* to) {
  std::vector<double> finite;
  std::copy_if(from, to, std::back_inserter(finite), [](double one) { return std::isfinite(one); });
  return finite.empty() ? std::numeric_limits<double>::quiet_NaN() : median_of(std::move(finite));
}

/// One value a column.
std::vector<double> binned(const std::vector<double>& values, std::size_t width) {
  const std::size_t columns = std::min(values.size(), width);
  std::vector<double> bins;
  bins.reserve(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t from = i * values.size() / columns, to = (i + 1) * values.size() / columns;
    bins.push_back(median_of_finite(values.data() + from, values.data() + to));
  }
  return bins;
}

std::size_t height_of(double value, double low, double high) {
  const double span = high / 2 - low / 2;  // the whole may be more than a double holds
  if (!(span > 0)) return kMiddle;
  const double share = (value / 2 - low / 2) / span;
  return std::min(static_cast<std::size_t>(share * kHeights), kHeights - 1);
}

}  // namespace

std::string sparkline(const std::vector<double>& values, std::size_t width, bool ascii) {
  const auto bins = binned(values, width);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (double value : bins) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string text;
  for (double value : bins) {
    const auto& signs = ascii ? kSigns : kBlocks;
    text += std::isnan(value) ? " " : signs[height_of(value, low, high)];
  }
  return text;
}

}  // namespace pippin
