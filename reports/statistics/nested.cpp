// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/nested.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <span>

#include "reports/statistics/sample.h"

namespace pippin {

namespace {

/// One child on its way up: its mean, and the variance of that mean given the level above.
struct Estimate {
  double mean = 0;
  double variance = 0;
};

/// What groups have added so far.
struct Sums {
  double log_determinant = 0;
  double quadratic = 0;
};

/// ln of numbers that are mostly the one before.
class Logarithm {
 public:
  double of(double value) {
    if (value != value_) {
      value_ = value;
      logarithm_ = std::log(value);
    }
    return logarithm_;
  }

 private:
  double value_ = 1, logarithm_ = 0;
};

/// Combines children that share a parent; the result's variance is that of the parent's mean alone.
Estimate combine(std::span<const Estimate> children, Sums& sums) {
  double weight = 0, weighted = 0;
  const double origin = children.front().mean;  // keeps large means from eating the digits
  Logarithm logarithm;
  for (const auto& child : children) {
    weight += 1 / child.variance;
    weighted += (child.mean - origin) / child.variance;
    sums.log_determinant += logarithm.of(child.variance);
  }
  const double mean = origin + weighted / weight;
  for (const auto& child : children) {
    sums.quadratic += (child.mean - mean) * (child.mean - mean) / child.variance;
  }
  return {mean, 1 / weight};
}

/// The estimates of one fit: searches ask for thousands of fits of a few runs.
class Climb {
 public:
  const std::vector<Estimate>& estimates() const { return estimates_; }

  void begin(const Nesting& nesting, const Variances& variances, Sums& sums) {
    estimates_.clear();
    const double log_variance = std::log(variances[kIteration]);
    Logarithm logarithm;
    for (const auto& run : nesting.runs) {
      const auto n = static_cast<double>(run.n);
      estimates_.push_back({run.mean, variances[kRun] + variances[kIteration] / n});
      sums.log_determinant += (n - 1) * log_variance + logarithm.of(n);
      sums.quadratic += run.squares / variances[kIteration];
    }
  }

  /// One level up.
  void climb(const std::vector<std::size_t>& parents, std::size_t groups, double variance,
             Sums& sums) {
    ends_.assign(groups + 1, 0);
    for (const std::size_t parent : parents) ++ends_[parent + 1];
    for (std::size_t group = 0; group < groups; ++group) ends_[group + 1] += ends_[group];
    members_.resize(estimates_.size());
    for (std::size_t i = 0; i < estimates_.size(); ++i)
      members_[ends_[parents[i]]++] = estimates_[i];
    estimates_.clear();
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t begin = group == 0 ? 0 : ends_[group - 1];
      const Estimate own = combine({members_.data() + begin, members_.data() + ends_[group]}, sums);
      sums.log_determinant -= std::log(own.variance);
      estimates_.push_back({own.mean, variance + own.variance});
    }
  }

 private:
  std::vector<Estimate> estimates_, members_;  ///< the latter by group
  std::vector<std::size_t> ends_;              ///< of each group
};

std::vector<double> group_means(const std::vector<double>& values,
                                const std::vector<std::size_t>& parents, std::size_t groups) {
  std::vector<std::vector<double>> members(groups);
  for (std::size_t i = 0; i < values.size(); ++i) members[parents[i]].push_back(values[i]);
  std::vector<double> means;
  means.reserve(groups);
  for (const auto& group : members) means.push_back(mean_of(group));
  return means;
}

bool equally_often(const std::vector<std::size_t>& parents, std::size_t groups) {
  std::vector<std::size_t> counts(groups);
  for (std::size_t parent : parents) ++counts[parent];
  return std::set<std::size_t>(counts.begin(), counts.end()).size() <= 1;
}

std::map<std::string, std::string> day_of_each_allocation(const std::vector<RunMoments>& runs) {
  std::map<std::string, std::string> days;
  for (const auto& run : runs) {
    std::string& day = days[run.allocation];
    if (day.empty() || (!run.day.empty() && run.day < day)) day = run.day;
  }
  return days;
}

}  // namespace

std::size_t Nesting::iterations() const {
  std::size_t count = 0;
  for (const auto& run : runs) count += run.n;
  return count;
}

Nesting nest(std::vector<RunMoments> runs) {
  Nesting result;
  if (runs.size() == 1) {  // of a table of runs each row
    result.allocation_of_run = result.day_of_allocation = {0};
    result.days = 1;
    result.configurations = runs.front().configuration + 1;
    result.runs = std::move(runs);
    return result;
  }
  std::map<std::string, std::size_t> day_index, allocation_index;
  for (const auto& [allocation, day] : day_of_each_allocation(runs)) {
    allocation_index.emplace(allocation, allocation_index.size());
    result.day_of_allocation.push_back(day_index.emplace(day, day_index.size()).first->second);
  }
  for (const auto& run : runs) {
    result.allocation_of_run.push_back(allocation_index.at(run.allocation));
  }
  result.days = day_index.size();
  for (const auto& run : runs)
    result.configurations = std::max(result.configurations, run.configuration + 1);
  result.runs = std::move(runs);
  return result;
}

bool balanced(const Nesting& nesting) {
  const auto& runs = nesting.runs;
  const bool equal_runs = std::all_of(runs.begin(), runs.end(),
                                      [&](const auto& run) { return run.n == runs.front().n; });
  return equal_runs && equally_often(nesting.allocation_of_run, nesting.allocations()) &&
         equally_often(nesting.day_of_allocation, nesting.days);
}

std::vector<double> run_means(const Nesting& nesting) {
  std::vector<double> means;
  for (const auto& run : nesting.runs) means.push_back(run.mean);
  return means;
}

std::vector<double> allocation_means(const Nesting& nesting) {
  return group_means(run_means(nesting), nesting.allocation_of_run, nesting.allocations());
}

std::vector<double> day_means(const Nesting& nesting) {
  return group_means(allocation_means(nesting), nesting.day_of_allocation, nesting.days);
}

NestedFit fit_of(const Nesting& nesting, const Variances& variances) {
  Sums sums;
  thread_local Climb up;
  up.begin(nesting, variances, sums);
  up.climb(nesting.allocation_of_run, nesting.allocations(), variances[kAllocation], sums);
  up.climb(nesting.day_of_allocation, nesting.days, variances[kDay], sums);
  const Estimate top = combine(up.estimates(), sums);
  const auto n = static_cast<double>(nesting.iterations());
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const double common = sums.log_determinant + sums.quadratic;
  // The mean costs one observation, and 1 / top.variance is the information about it.
  return {(n - 1) * log_two_pi + common - std::log(top.variance), top.mean,
          std::sqrt(top.variance)};
}

}  // namespace pippin
