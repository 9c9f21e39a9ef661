// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/sample.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace pippin {

double mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  // The mean of the differences from the first value: equal values have exactly their own mean.
  const double first = values.front();
  double sum = 0;
  for (double value : values) sum += value - first;
  return first + sum / n;
}

double squares_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double sd_of(const std::vector<double>& values) {
  return std::sqrt(squares_of(values) / static_cast<double>(values.size() - 1));
}

double sorted_quantile(const std::vector<double>& values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - static_cast<double>(below);
  return values[below] + share * (values[above] - values[below]);
}

namespace {

using Place = std::vector<double>::iterator;

/// Puts in its place what would stand there if all were sorted, for each of some places of a part.
void order_places(Place first, Place last, std::span<const std::size_t> places, std::size_t begin) {
  if (places.empty() || last - first < 2) return;
  const std::size_t middle = places.size() / 2;
  const Place place = first + static_cast<std::ptrdiff_t>(places[middle] - begin);
  std::nth_element(first, place, last);
  order_places(first, place, places.first(middle), begin);
  order_places(std::next(place), last, places.subspan(middle + 1), places[middle] + 1);
}

}  // namespace

void order_for_quantiles(std::vector<double>& values, std::span<const double> shares) {
  if (values.empty()) return;
  std::vector<std::size_t> places{0, values.size() - 1};
  for (const double p : shares) {
    const auto below = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1));
    places.insert(places.end(), {below, std::min(below + 1, values.size() - 1)});
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  order_places(values.begin(), values.end(), places, 0);
}

double quantile_of(std::vector<double> values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  const double share = position - static_cast<double>(below);
  // What lies on either side need not be in order.
  const auto place = values.begin() + below;
  std::nth_element(values.begin(), place, values.end());
  if (std::next(place) == values.end()) return *place;
  return *place + share * (*std::min_element(std::next(place), values.end()) - *place);
}

double median_of(std::vector<double> values) { return quantile_of(std::move(values), 0.5); }

double mad_of(const std::vector<double>& values) {
  const double middle = median_of(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (double value : values) deviations.push_back(std::abs(value - middle));
  return kMadOfNormal * median_of(std::move(deviations));
}

}  // namespace pippin
