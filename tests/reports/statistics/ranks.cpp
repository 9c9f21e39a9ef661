// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"

namespace pippin::test {

namespace {

constexpr double kNormal = std::numeric_limits<double>::infinity();  // degrees of freedom
using Values = std::vector<double>;

Values joined(const Values& first, const Values& second) {
  Values all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// How many ways to draw so many of the ranks there are for each sum, which is doubled, as ties
/// have halves.
Values ways_by_doubled_sum(const Values& ranks, std::size_t drawn) {
  const auto most = static_cast<std::size_t>(2 * std::accumulate(ranks.begin(), ranks.end(), 0.0));
  std::vector<Values> ways(drawn + 1, Values(most + 1, 0));
  ways[0][0] = 1;
  for (const double rank : ranks) {
    const auto doubled = static_cast<std::size_t>(2 * rank);
    for (std::size_t count = drawn; count > 0; --count) {
      for (std::size_t sum = most; sum >= doubled; --sum)
        ways[count][sum] += ways[count - 1][sum - doubled];
    }
  }
  return ways[drawn];
}

/// The first's shift by `shift` in standard errors, by the normal approximation.
double standardised(const Values& first, const Values& second, double shift, bool corrected) {
  Values shifted = first;
  for (double& value : shifted) value -= shift;
  const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  std::map<double, double> ties;
  for (const double value : joined(shifted, second)) ++ties[value];
  double tied = 0;
  for (const auto& [value, count] : ties) tied += count * count * count - count;
  const double variance = n * m / 12 * (n + m + 1 - tied / ((n + m) * (n + m - 1)));
  const double distance = pairs_above(shifted, second) - n * m / 2;
  const double correction = corrected && distance != 0 ? std::copysign(0.5, distance) : 0;
  return (distance - correction) / std::sqrt(variance);
}

/// All differences between a value of the first and one of the second, ascending.
Values differences(const Values& first, const Values& second) {
  Values all;
  for (const double a : first) {
    for (const double b : second) all.push_back(a - b);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

Values ranks_of(const Values& values) {
  Values ranks;
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(),
                                     [value](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

double pairs_above(const Values& first, const Values& second) {
  Values sorted = second;
  std::sort(sorted.begin(), sorted.end());
  double pairs = 0;
  for (const double value : first) {
    const auto [from, to] = std::equal_range(sorted.begin(), sorted.end(), value);
    pairs += static_cast<double>(from - sorted.begin()) + static_cast<double>(to - from) / 2;
  }
  return pairs;
}

double permutation_p(const Values& first, const Values& second) {
  const auto ranks = ranks_of(joined(first, second));
  const auto ways = ways_by_doubled_sum(ranks, first.size());
  const auto n = static_cast<double>(first.size()), all = static_cast<double>(ranks.size());
  const double middle = n * (all + 1);  // of doubled sums
  const double found = 2 * pairs_above(first, second) + n * (n + 1);
  double as_far = 0, total = 0;
  for (std::size_t sum = 0; sum < ways.size(); ++sum) {
    total += ways[sum];
    if (std::abs(static_cast<double>(sum) - middle) >= std::abs(found - middle))
      as_far += ways[sum];
  }
  return as_far / total;
}

double normal_p(const Values& first, const Values& second, bool corrected) {
  return 2 * t_above(std::abs(standardised(first, second, 0, corrected)), kNormal);
}

double hodges_lehmann(const Values& first, const Values& second) {
  return median_of(differences(first, second));
}

Ends exact_shift(const Values& first, const Values& second) {
  constexpr double kOutside = 0.025;
  const auto ways = ways_by_doubled_sum(ranks_of(joined(first, second)), first.size());
  const double total = std::accumulate(ways.begin(), ways.end(), 0.0);
  const std::size_t least = first.size() * (first.size() + 1);  // the smallest doubled sum
  std::size_t pairs = 0;
  for (double below = ways[least]; below < kOutside * total; below += ways[least + 2 * pairs])
    ++pairs;
  pairs = std::max<std::size_t>(pairs, 1);
  const auto all = differences(first, second);
  return {all[pairs - 1], all[all.size() - pairs]};
}

Ends normal_shift(const Values& first, const Values& second, bool corrected) {
  const double point = t_point(kNormal);
  const auto all = differences(first, second);
  const auto where = [&](double errors) {  // the step at which the shift passes so many errors
    double low = all.front() - 1, high = all.back() + 1;
    while (high - low > 1e-10) {
      const double middle = (low + high) / 2;
      (standardised(first, second, middle, corrected) > errors ? low : high) = middle;
    }
    return (low + high) / 2;
  };
  return {where(point), where(-point)};
}

double friedman(const std::vector<Values>& values) {
  const auto blocks = static_cast<double>(values.size());
  const auto treatments = static_cast<double>(values.front().size());
  Values sums(values.front().size(), 0);
  for (const auto& block : values) {
    const auto ranks = ranks_of(block);
    for (std::size_t i = 0; i < ranks.size(); ++i) sums[i] += ranks[i];
  }
  return 12 * squares_of(sums) / (blocks * treatments * (treatments + 1));
}

}  // namespace pippin::test
