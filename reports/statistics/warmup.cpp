#include "reports/statistics/warmup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

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

/// Spikes become the median of their neighbourhood. The first two samples stay as they are, and the
/// first is no neighbour: start-up is a level of its own, not a spike.
std::vector<double> without_spikes(const std::vector<double>& values) {
  constexpr std::size_t kReach = 3;
  constexpr double kFar = 4, kSmallestMad = 1e-6;
  auto result = values;
  for (std::size_t i = 2; i < values.size(); ++i) {
    const std::size_t from = i > kReach ? i - kReach : 1;
    const std::size_t to = std::min(i + kReach + 1, values.size());
    const std::vector<double> window(values.begin() + static_cast<std::ptrdiff_t>(from),
                                     values.begin() + static_cast<std::ptrdiff_t>(to));
    const double middle = median_of(window);
    if (std::abs(values[i] - middle) > kFar * std::max(mad_of(window), kSmallestMad)) {
      result[i] = middle;
    }
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

/// Squared error of any stretch about its own mean, in constant time.
class SquaredError {
 public:
  explicit SquaredError(const std::vector<double>& values) : sums_{0}, squares_{0}, shares_{0} {
    const double origin = values.back();  // differences keep the digits that squares would lose
    for (double value : values) {
      sums_.push_back(sums_.back() + value - origin);
      squares_.push_back(squares_.back() + (value - origin) * (value - origin));
      shares_.push_back(1 / static_cast<double>(shares_.size()));
    }
  }
  /// Of the values in [from, to).
  double of(std::size_t from, std::size_t to) const {
    const double sum = sums_[to] - sums_[from];
    return squares_[to] - squares_[from] - sum * sum * shares_[to - from];
  }

 private:
  std::vector<double> sums_, squares_;
  std::vector<double> shares_;  ///< 1 / n: the search would spend most of its time dividing
};

/// Starts of the segments that minimise squared error plus `penalty` for each.
std::vector<std::size_t> partition(const std::vector<double>& values, double penalty) {
  const std::size_t n = values.size(), shortest = shortest_segment(n);
  const SquaredError error(values);
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> start(n + 1, 0);
  best[0] = -penalty;
  for (std::size_t to = 1; to <= n; ++to) {
    // A shorter segment may only be the first.
    const std::size_t end = to < shortest ? 1 : to - shortest + 1;
    for (std::size_t from = 0; from < end; ++from) {
      const double cost = best[from] + error.of(from, to) + penalty;
      // Ties, up to rounding, go to the longer last segment.
      if (cost >= best[to] - 1e-15) continue;
      best[to] = cost;
      start[to] = from;
    }
  }
  std::vector<std::size_t> starts;
  for (std::size_t to = n; to > 0; to = start[to]) starts.insert(starts.begin(), start[to]);
  return starts;
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
  const auto values = without_spikes(logs_of(times, std::min(times.size(), kLongestCourse)));
  const auto n = static_cast<double>(values.size());
  const double noise = noise_of(values);
  course.starts = partition(values, 3 * std::log(n) * noise * noise);
  course.means = segment_means(values, course.starts);
  const std::size_t first = first_like_last(course.means, std::max(0.01, 2 * noise / std::sqrt(n)));
  course.steady_from = course.starts[first];
  course.warm_from = course.starts[first_not_slower(course.means, first)];
  course.kind = kind_of(course, values.size());
  course.sure = is_sure(course, values);
  return course;
}

}  // namespace pippin
