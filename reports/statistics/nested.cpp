#include "reports/statistics/nested.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

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

/// Combines children that share a parent; the result's variance is that of the parent's mean alone.
Estimate combine(const std::vector<Estimate>& children, Sums& sums) {
  double weight = 0, weighted = 0;
  const double origin = children.front().mean;  // keeps large means from eating the digits
  for (const auto& child : children) {
    weight += 1 / child.variance;
    weighted += (child.mean - origin) / child.variance;
    sums.log_determinant += std::log(child.variance);
  }
  const double mean = origin + weighted / weight;
  for (const auto& child : children) {
    sums.quadratic += (child.mean - mean) * (child.mean - mean) / child.variance;
  }
  return {mean, 1 / weight};
}

std::vector<Estimate> run_level(const Nesting& nesting, const Variances& variances, Sums& sums) {
  std::vector<Estimate> runs;
  for (const auto& run : nesting.runs) {
    const auto n = static_cast<double>(run.n);
    runs.push_back({run.mean, variances[kRun] + variances[kIteration] / n});
    sums.log_determinant += (n - 1) * std::log(variances[kIteration]) + std::log(n);
    sums.quadratic += run.squares / variances[kIteration];
  }
  return runs;
}

std::vector<Estimate> climb(const std::vector<Estimate>& children,
                            const std::vector<std::size_t>& parents, std::size_t groups,
                            double variance, Sums& sums) {
  std::vector<std::vector<Estimate>> members(groups);
  for (std::size_t i = 0; i < children.size(); ++i) members[parents[i]].push_back(children[i]);
  std::vector<Estimate> result;
  for (const auto& group : members) {
    const Estimate own = combine(group, sums);
    sums.log_determinant -= std::log(own.variance);
    result.push_back({own.mean, variance + own.variance});
  }
  return result;
}

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
  auto estimates = run_level(nesting, variances, sums);
  estimates = climb(estimates, nesting.allocation_of_run, nesting.allocations(),
                    variances[kAllocation], sums);
  estimates = climb(estimates, nesting.day_of_allocation, nesting.days, variances[kDay], sums);
  const Estimate top = combine(estimates, sums);
  const auto n = static_cast<double>(nesting.iterations());
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const double common = sums.log_determinant + sums.quadratic;
  // The mean costs one observation, and 1 / top.variance is the information about it.
  return {(n - 1) * log_two_pi + common - std::log(top.variance), top.mean,
          std::sqrt(top.variance)};
}

}  // namespace pippin
