// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/many_tests.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pippin {

namespace {

/// Indices of the numbers in `p`, smallest first.
std::vector<std::size_t> smallest_first(const std::vector<double>& p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> benjamini_hochberg(const std::vector<double>& p) {
  std::vector<double> adjusted = p;
  const auto order = smallest_first(p);
  const auto tests = static_cast<double>(order.size());
  double least = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    least = std::min(least, p[i] * tests / static_cast<double>(rank));
    adjusted[i] = least;
  }
  return adjusted;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<double> adjusted = p;
  const auto order = smallest_first(p);
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t i = order[rank];
    largest = std::max(largest, std::min(1.0, p[i] * static_cast<double>(order.size() - rank)));
    adjusted[i] = largest;
  }
  return adjusted;
}

double simes(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  double least = 1;
  for (std::size_t i = 0; i < p.size(); ++i)
    least = std::min(least, p[i] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
  return least;
}

}  // namespace pippin
