// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/change_points.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "reports/statistics/difference.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

constexpr std::size_t kShortestLevel = 5;

std::vector<double> without_spikes(const std::vector<double>& values) {
  constexpr std::size_t kReach = 3;
  constexpr double kFar = 3;
  auto result = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i > kReach ? i - kReach : 0;
    const std::size_t to = std::min(i + kReach + 1, values.size());
    const std::vector<double> window(values.begin() + static_cast<std::ptrdiff_t>(from),
                                     values.begin() + static_cast<std::ptrdiff_t>(to));
    const double middle = median_of(window);
    if (std::abs(values[i] - middle) > kFar * mad_of(window)) result[i] = middle;
  }
  return result;
}

std::vector<double> stretch(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return {values.begin() + static_cast<std::ptrdiff_t>(from),
          values.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Sums of the distances between any two stretches of a series, in constant time.
class Distances {
 public:
  explicit Distances(const std::vector<double>& values)
      : side_(values.size() + 1), sums_(side_ * side_) {
    for (std::size_t i = 1; i < side_; ++i) {
      double row = 0;
      for (std::size_t j = 1; j < side_; ++j) {
        row += std::abs(values[i - 1] - values[j - 1]);
        sums_[i * side_ + j] = sums_[(i - 1) * side_ + j] + row;
      }
    }
  }
  /// Between all of [a, b) and all of [c, d).
  double between(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
    return sums_[b * side_ + d] - sums_[a * side_ + d] - sums_[b * side_ + c] +
           sums_[a * side_ + c];
  }

 private:
  std::size_t side_;
  std::vector<double> sums_;
};

double energy(const Distances& distances, std::size_t at, std::size_t end) {
  const auto n = static_cast<double>(at), m = static_cast<double>(end - at);
  const double apart = 2 / (n * m) * distances.between(0, at, at, end) -
                       distances.between(0, at, 0, at) / (n * (n - 1)) -
                       distances.between(at, end, at, end) / (m * (m - 1));
  return n * m / (n + m) * apart;
}

/// The share of shuffles that split at least as well as the stretch does, itself counted as one.
double p_of_split(std::vector<double> values, double distance, std::size_t least, Random& random,
                  int permutations) {
  int as_good = 1;
  for (int i = 0; i < permutations; ++i) {
    random.shuffle(values);
    if (best_split(values, 0, values.size(), least).distance >= distance) ++as_good;
  }
  return static_cast<double>(as_good) / (permutations + 1);
}

struct Search {
  const std::vector<double>& values;
  Random random;
  int permutations = 0;
  std::vector<std::size_t> found{};

  void within(std::size_t from, std::size_t to) {
    constexpr double kLevel = 0.05;
    const Split split = best_split(values, from, to, kShortestLevel);
    if (split.distance <= 0) return;
    const double p =
        p_of_split(stretch(values, from, to), split.distance, kShortestLevel, random, permutations);
    if (p > kLevel) return;
    within(from, split.at);
    found.push_back(split.at);
    within(split.at, to);
  }
};

/// Drops splits whose sides are too much alike, the least certain first.
std::vector<std::size_t> merged(const std::vector<double>& values,
                                std::vector<std::size_t> splits) {
  constexpr double kCertain = 0.001, kSmallest = 0.01;
  while (!splits.empty()) {
    std::size_t least_certain = 0, smallest = 0;
    double largest_p = -1, smallest_step = INFINITY;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      const std::size_t from = i == 0 ? 0 : splits[i - 1];
      const std::size_t to = i + 1 < splits.size() ? splits[i + 1] : values.size();
      const auto step =
          unpaired_difference(stretch(values, from, splits[i]), stretch(values, splits[i], to));
      const double p = step->p(), size = std::abs(step->estimate);
      if (p > largest_p) {
        largest_p = p;
        least_certain = i;
      }
      if (size < smallest_step) {
        smallest_step = size;
        smallest = i;
      }
    }
    if (largest_p < kCertain && smallest_step >= kSmallest) break;
    const std::size_t goes = largest_p >= kCertain ? least_certain : smallest;
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(goes));
  }
  return splits;
}

}  // namespace

Split best_split(const std::vector<double>& values, std::size_t from, std::size_t to,
                 std::size_t least) {
  const Distances distances(stretch(values, from, to));
  const std::size_t n = to - from;
  Split best;
  for (std::size_t at = least; at + least <= n; ++at) {
    for (std::size_t end = at + least; end <= n; ++end) {
      const double distance = energy(distances, at, end);
      if (distance > best.distance) best = {distance, from + at, from + end};
    }
  }
  return best;
}

std::vector<std::size_t> change_points(const std::vector<double>& values, std::uint64_t seed,
                                       int permutations) {
  const auto calm = without_spikes(values);
  Search search{calm, Random(seed), permutations};
  search.within(0, calm.size());
  return merged(values, search.found);
}

}  // namespace pippin
