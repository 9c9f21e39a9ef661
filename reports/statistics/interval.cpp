// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/interval.h"

#include <algorithm>
#include <cmath>

#include "reports/statistics/reach.h"
#include "reports/statistics/reml.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"

namespace pippin {

namespace {

/// Days that a claim may rest on: 0 where an allocation's day is unknown.
std::size_t known_days(const Nesting& nesting) {
  const auto& runs = nesting.runs;
  const bool unknown =
      std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.day.empty(); });
  return unknown ? 0 : nesting.days;
}

Nesting without_days(std::vector<RunMoments> runs) {
  for (auto& run : runs) run.day.clear();
  return nest(std::move(runs));
}

double squares_within_runs(const std::vector<RunMoments>& runs) {
  double squares = 0;
  for (const auto& run : runs) squares += run.squares;
  return squares;
}

/// How far the mean may be off, as units of one level tell.
struct Estimate {
  double mean = 0;
  double half_width = 0;
  double df = 0;
};

/// The variance between units. Where a level has as many members as the one below, the fit holds
/// the variance of both in the lower.
double unit_variance(const Nesting& nesting, const Variances& variances, Level unit) {
  const std::size_t counts[] = {nesting.iterations(), nesting.runs.size(), nesting.allocations(),
                                nesting.days};
  std::size_t level = unit;
  while (level > kIteration && counts[level] == counts[level - 1]) --level;
  return variances[level];
}

std::optional<Estimate> least_squares(const Nesting& nesting, Level unit) {
  const auto found = components_of(nesting);
  const bool usable =
      found.df && *found.df >= 1 && unit_variance(nesting, found.variances, unit) > 0;
  if (!usable) return std::nullopt;
  return Estimate{found.fit.mean, t_point(*found.df) * found.fit.se, *found.df};
}

Estimate estimate_of(const Nesting& nesting, const std::vector<double>& means, Level unit) {
  const Estimate simple{mean_of(means), t_half_width(means), static_cast<double>(means.size() - 1)};
  const bool no_spread = squares_of(means) == 0 && squares_within_runs(nesting.runs) == 0;
  if (balanced(nesting) || no_spread) return simple;
  return least_squares(nesting, unit).value_or(simple);
}

/// What iterations alone, were they independent, make of an allocation's mean.
struct IterationNoise {
  double variance = 0;  ///< of unlike allocations the mean
  double df = 1;
};

IterationNoise iteration_noise(const Nesting& nesting) {
  const double df = static_cast<double>(nesting.iterations() - nesting.runs.size());
  if (df < 1) return {};
  const double variance = squares_within_runs(nesting.runs) / df;
  std::vector<double> sums(nesting.allocations()), runs(nesting.allocations());
  for (std::size_t run = 0; run < nesting.runs.size(); ++run) {
    const std::size_t allocation = nesting.allocation_of_run[run];
    sums[allocation] += variance / static_cast<double>(nesting.runs[run].n);
    ++runs[allocation];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= runs[i] * runs[i];
  return {mean_of(sums), df};
}

/// How far rounding alone may move a mean.
double half_a_step(const std::vector<RunMoments>& runs) {
  double coarsest = 0;
  for (const auto& run : runs) coarsest = std::max(coarsest, run.resolution);
  return coarsest / 2;
}

Interval replicated(const Nesting& nesting, Level unit) {
  const auto means = unit == kDay ? day_means(nesting) : allocation_means(nesting);
  const Estimate estimate = estimate_of(nesting, means, unit);
  // Of two units the difference is a single number, which may be small by chance.
  const IterationNoise noise = means.size() == 2 ? iteration_noise(nesting) : IterationNoise{};
  const double least =
      t_point(noise.df) * std::sqrt(noise.variance / static_cast<double>(means.size()));
  const double half_width =
      std::hypot(std::max(estimate.half_width, least), half_a_step(nesting.runs));
  Interval interval;
  interval.mean = estimate.mean;
  interval.low = std::max(0.0, estimate.mean - half_width);
  interval.high = estimate.mean + half_width;
  interval.df = least > estimate.half_width ? noise.df : estimate.df;
  interval.sd = sd_of(means);
  const SdInterval spread = sd_interval(*interval.sd, static_cast<double>(means.size() - 1));
  interval.sd_low = spread.low;
  interval.sd_high = std::max(spread.high, std::sqrt(noise.variance));
  interval.unit = unit == kDay ? "day" : "allocation";
  return interval;
}

/// However many runs it holds, one allocation says nothing of the next.
Interval single_allocation(const Nesting& nesting) {
  const auto means = run_means(nesting);
  const RunMoments& first = nesting.runs.front();
  Interval interval;
  interval.mean = mean_of(means);
  interval.unit = means.size() > 1 ? "run" : "iteration";
  interval.remark = "one allocation";
  if (means.size() > 1) {
    interval.sd = sd_of(means);
  } else if (first.n > 1) {
    interval.sd = std::sqrt(first.squares / static_cast<double>(first.n - 1));
  }
  return interval;
}

}  // namespace

Interval interval_of(const std::vector<RunMoments>& runs) {
  const Nesting nesting = nest(runs);
  if (nesting.allocations() == 1) return single_allocation(nesting);
  Interval interval = known_days(nesting) >= kDaysForAClaim
                          ? replicated(nesting, kDay)
                          : replicated(without_days(runs), kAllocation);
  interval.remark = reach_of(runs);
  return interval;
}

}  // namespace pippin
