// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/warmup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "reports/statistics/levels.h"
#include "reports/statistics/pace.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

constexpr std::size_t kFew = 20;  // samples, below which levels are shorter

std::size_t shortest_segment(std::size_t samples) { return samples < kFew ? 3 : 5; }

std::vector<double> logs_of(const std::vector<double>& times, std::size_t count) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < count; ++i) logs.push_back(std::log(times[i]));
  return logs;
}

/// The neighbours of a sample, in order. As median_of and mad_of, which would ask for memory for
/// each of the many.
class Neighbours {
 public:
  static constexpr std::size_t kMost = 7;

  Neighbours(const double* first, const double* last)
      : count_(static_cast<std::size_t>(last - first)) {
    std::copy(first, last, values_.begin());
    sort();
  }
  double median() const {
    const std::size_t below = (count_ - 1) / 2, above = count_ / 2;
    constexpr double kHalf = 0.5;
    return below == above ? values_[below]
                          : values_[below] + kHalf * (values_[above] - values_[below]);
  }
  /// They are the deviations after it.
  double mad() {
    const double middle = median();
    for (std::size_t i = 0; i < count_; ++i) values_[i] = std::abs(values_[i] - middle);
    sort();
    return kMadOfNormal * median();
  }

 private:
  void sort() {
    for (std::size_t i = 1; i < count_; ++i) {
      const double value = values_[i];
      std::size_t place = i;
      for (; place > 0 && values_[place - 1] > value; --place) values_[place] = values_[place - 1];
      values_[place] = value;
    }
  }

  std::array<double, kMost> values_{};
  std::size_t count_;
};

/// The median of seven, without a branch: a sample's neighbours are in no order that one could
/// guess.
double median_of_seven(const double* first) {
  constexpr std::array<std::pair<int, int>, 13> kExchanges{{{0, 5},
                                                            {0, 3},
                                                            {1, 6},
                                                            {2, 4},
                                                            {0, 1},
                                                            {3, 5},
                                                            {2, 6},
                                                            {2, 3},
                                                            {3, 6},
                                                            {4, 5},
                                                            {1, 4},
                                                            {1, 3},
                                                            {3, 4}}};
  static_assert(Neighbours::kMost == 7);
  double v[Neighbours::kMost];
  std::copy(first, first + Neighbours::kMost, v);
#pragma GCC unroll 13
  for (const auto& [a, b] : kExchanges) {
    const double low = std::min(v[a], v[b]), high = std::max(v[a], v[b]);
    v[a] = low;
    v[b] = high;
  }
  return v[Neighbours::kMost / 2];
}

std::pair<double, double> middle_of(const double* first, const double* last) {
  Neighbours window(first, last);
  const double middle = window.median();
  return {middle, window.mad()};
}

/// Median and median absolute deviation of all of them.
std::pair<double, double> middle_of_seven(const double* first) {
  const double middle = median_of_seven(first);
  double deviations[Neighbours::kMost];
  std::transform(first, first + Neighbours::kMost, deviations,
                 [&](double value) { return std::abs(value - middle); });
  return {middle, kMadOfNormal * median_of_seven(deviations)};
}

/// Spikes become the median of their neighbourhood. The first two samples stay as they are, and the
/// first is no neighbour: start-up is a level of its own, not a spike.
std::vector<double> without_spikes(const std::vector<double>& values) {
  constexpr std::size_t kReach = Neighbours::kMost / 2;
  constexpr double kFar = 4, kSmallestMad = 1e-6;
  auto result = values;
  for (std::size_t i = 2; i < values.size(); ++i) {
    const std::size_t from = i > kReach ? i - kReach : 1;
    const std::size_t to = std::min(i + kReach + 1, values.size());
    const auto [middle, mad] = to - from == Neighbours::kMost
                                   ? middle_of_seven(values.data() + from)
                                   : middle_of(values.data() + from, values.data() + to);
    if (std::abs(values[i] - middle) > kFar * std::max(mad, kSmallestMad)) result[i] = middle;
  }
  return result;
}

/// Sd of the noise, from neighbours' differences, which a change of level hardly touches. Among few
/// of them the one that start-up makes would weigh too much.
double noise_of(const std::vector<double>& values) {
  constexpr double kSmallest = 1e-6;
  const std::size_t first = values.size() < kFew ? 2 : 1;
  std::vector<double> differences;
  for (std::size_t i = first; i < values.size(); ++i)
    differences.push_back(values[i] - values[i - 1]);
  return std::max(mad_of(differences) / std::numbers::sqrt2, kSmallest);
}

std::vector<double> segment_means(const std::vector<double>& values,
                                  const std::vector<std::size_t>& starts) {
  std::vector<double> means;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : values.size();
    means.push_back(mean_of({values.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                             values.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return means;
}

/// Index of the first segment of the last level.
std::size_t first_like_last(const std::vector<double>& means, double tolerance) {
  std::size_t first = means.size() - 1;
  while (first > 0 && std::abs(means[first - 1] - means.back()) <= tolerance) --first;
  return first;
}

/// Index of the first segment that is not slower than the last level.
std::size_t first_not_slower(const std::vector<double>& means, std::size_t first_of_last) {
  std::size_t segment = 0;
  while (segment < first_of_last && means[segment] > means.back()) ++segment;
  return segment;
}

/// A step that is slower than what follows it at once, and was taken for a spike, is start-up's.
std::size_t behind_slow_steps(const std::vector<double>& raw, const std::vector<double>& values,
                              std::size_t from) {
  while (from > 0 && from < values.size() && raw[from] > values[from]) ++from;
  return from;
}

Course::Kind kind_of(const Course& course, std::size_t n) {
  constexpr double kShortestTail = 10, kSmallestTailShare = 0.3;
  const double shortest = n < kFew ? static_cast<double>(shortest_segment(n)) : kShortestTail;
  const double tail = static_cast<double>(n - course.steady_from);
  if (tail < std::max(shortest, kSmallestTailShare * static_cast<double>(n)))
    return Course::Kind::kNoSteadyState;
  if (course.steady_from == 0) return Course::Kind::kFlat;
  return course.warm_from == course.steady_from ? Course::Kind::kWarmup : Course::Kind::kSlowdown;
}

/// Levels are found in chance too: whether this one's pace changed for sure.
bool is_sure(const Course& course, const std::vector<double>& values) {
  const std::size_t behind_start = std::max<std::size_t>(1, course.warm_from);
  if (course.kind == Course::Kind::kSlowdown) return pace_of(values, behind_start).changed();
  return course.kind == Course::Kind::kNoSteadyState && pace_of(values, 1).changed();
}

}  // namespace

std::size_t Course::cut() const {
  if (kind == Kind::kWarmup) return steady_from;
  return kind == Kind::kSlowdown && !sure ? warm_from : 0;
}

Course course_of(const std::vector<double>& times) {
  Course course;
  if (times.size() < kShortestCourse) {
    course.kind = Course::Kind::kTooShort;
    return course;
  }
  const auto raw = logs_of(times, std::min(times.size(), kLongestCourse));
  const auto values = without_spikes(raw);
  const auto n = static_cast<double>(values.size());
  const double noise = noise_of(values);
  course.starts =
      level_starts(values, 3 * std::log(n) * noise * noise, shortest_segment(values.size()));
  course.means = segment_means(values, course.starts);
  const std::size_t first = first_like_last(course.means, std::max(0.01, 2 * noise / std::sqrt(n)));
  course.steady_from = course.starts[first];
  course.warm_from = course.starts[first_not_slower(course.means, first)];
  const bool is_warmup = course.warm_from == course.steady_from;
  if (is_warmup) course.steady_from = behind_slow_steps(raw, values, course.steady_from);
  if (is_warmup) course.warm_from = course.steady_from;
  course.kind = kind_of(course, values.size());
  course.sure = is_sure(course, values);
  return course;
}

}  // namespace pippin
