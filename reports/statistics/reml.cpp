// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/reml.h"

#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <future>
#include <nlopt.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "reports/statistics/mixed.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

constexpr const char* kLevelNames[kLevels] = {"iteration", "run", "allocation", "day"};
/// Iterations are never quite equal: without a floor, data without any inner spread would have an
/// infinite likelihood.
constexpr double kSmallestSd = 1e-6;  // of the whole spread
constexpr double kLargestSd = 50;     // of the whole spread

using Levels = std::vector<std::size_t>;
using Counts = std::array<std::size_t, kLevels>;  ///< members of each level

Counts counts_of(const Nesting& nesting) {
  return {nesting.iterations(), nesting.runs.size(), nesting.allocations(), nesting.days};
}

/// How many groups of configurations and units hang together by configurations that ran in units.
std::size_t connected_parts(const Nesting& nesting, const std::vector<std::size_t>& unit_of_run,
                            std::size_t units) {
  std::vector<std::size_t> parent(nesting.configurations + units);
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = i;
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t i = 0; i < nesting.runs.size(); ++i) {
    const std::size_t configuration = root(nesting.runs[i].configuration);
    parent[configuration] = root(nesting.configurations + unit_of_run[i]);
  }
  std::size_t parts = 0;
  for (std::size_t i = 0; i < parent.size(); ++i) parts += root(i) == i;
  return parts;
}

/// Whether the means of the configurations leave anything over by which the units of a level can
/// be seen to differ.
bool is_spared(const Nesting& nesting, std::size_t level) {
  if (nesting.configurations == 1 || level == kIteration) return true;
  const auto allocations =
      connected_parts(nesting, nesting.allocation_of_run, nesting.allocations());
  if (level == kAllocation) return nesting.allocations() > allocations;
  if (level == kRun)
    return nesting.runs.size() > nesting.configurations + nesting.allocations() - allocations;
  std::vector<std::size_t> day_of_run;
  for (const std::size_t allocation : nesting.allocation_of_run)
    day_of_run.push_back(nesting.day_of_allocation[allocation]);
  return nesting.days > connected_parts(nesting, day_of_run, nesting.days);
}

/// The highest level with as many members as `level`.
std::size_t highest_alike(const Counts& counts, std::size_t level) {
  while (level + 1 < kLevels && counts[level + 1] == counts[level]) ++level;
  return level;
}

/// The levels with a variance of their own. Levels with equally many members cannot be told apart:
/// the lowest of them stands for all. A level with one member has none, but iterations always do.
Levels separable_levels(const Nesting& nesting) {
  const Counts counts = counts_of(nesting);
  Levels levels{kIteration};
  for (std::size_t level = kRun; level < kLevels; ++level) {
    const bool repeated = counts[level] > 1 && counts[level] < counts[level - 1];
    // Where each allocation has one run, none is to be told from it.
    if (repeated && is_spared(nesting, highest_alike(counts, level))) levels.push_back(level);
  }
  return levels;
}

/// "allocation and run": a level and those above it with equally many members.
std::string name_of(std::size_t level, const Counts& counts) {
  std::string name = kLevelNames[level];
  for (std::size_t above = level + 1; above <= highest_alike(counts, level); ++above) {
    name.insert(0, std::string(kLevelNames[above]).append(" and "));
  }
  return name;
}

/// The sd of all iterations about the mean of their configuration.
double whole_sd(const Nesting& nesting) {
  std::vector<double> totals(nesting.configurations), counts(nesting.configurations);
  for (const auto& run : nesting.runs) {
    totals[run.configuration] += static_cast<double>(run.n) * run.mean;
    counts[run.configuration] += static_cast<double>(run.n);
  }
  double squares = 0;
  for (const auto& run : nesting.runs) {
    const double distance = run.mean - totals[run.configuration] / counts[run.configuration];
    squares += run.squares + static_cast<double>(run.n) * distance * distance;
  }
  return std::sqrt(squares / static_cast<double>(nesting.iterations() - nesting.configurations));
}

Variances variances_of(const Levels& levels, const std::vector<double>& sds) {
  Variances variances{};
  for (std::size_t i = 0; i < levels.size(); ++i) variances[levels[i]] = sds[i] * sds[i];
  return variances;
}

/// -2 log likelihoods of the same data for many variances.
class Likelihood {
 public:
  explicit Likelihood(const Nesting& nesting) : nesting_(nesting) {}

  double restricted(const Variances& variances) {
    return nesting_.configurations == 1 ? fit_of(nesting_, variances).reml
                                        : model().fit(variances).reml;
  }

  /// What intervals come from: of one mean the likelihood, as lme4 has it; of many means that would
  /// be far too narrow and too low.
  double for_intervals(const Variances& variances) {
    const MixedFit fit = model().fit(variances);
    return intervals_are_restricted() ? fit.reml : fit.ml;
  }
  bool intervals_are_restricted() const { return nesting_.configurations > 1; }

 private:
  /// Takes more to make than a few fits of one configuration, which do without.
  MixedModel& model() {
    if (!model_) model_.emplace(nesting_);
    return *model_;
  }

  const Nesting& nesting_;
  std::optional<MixedModel> model_;
};

/// What NLopt calls: a criterion as a function of sds, in units of the whole spread.
struct Criterion {
  Likelihood& likelihood;
  const Levels& levels;
  double unit;
  double (Likelihood::*of)(const Variances&) = &Likelihood::restricted;
  Variances fixed{};  ///< of the other levels, in the data's unit
  std::vector<double> best{};
  double best_value = HUGE_VAL;

  double at(const std::vector<double>& sds) {
    auto variances = fixed;
    for (std::size_t i = 0; i < levels.size(); ++i)
      variances[levels[i]] = sds[i] * sds[i] * unit * unit;
    const double value = (likelihood.*of)(variances);
    if (value < best_value) {
      best_value = value;
      best = sds;
    }
    return value;
  }
};

double call_criterion(const std::vector<double>& sds, std::vector<double>&, void* criterion) {
  return static_cast<Criterion*>(criterion)->at(sds);
}

/// Powell's BOBYQA from the middle. Where rounding hides all progress it stops with an exception;
/// the best point so far is the optimum then.
void minimise(Criterion& criterion, double precision = 1e-10, double step = 0.2) {
  const std::size_t count = criterion.levels.size();
  // In one dimension BOBYQA does not work.
  const bool line = count == 1;
  nlopt::opt search(line ? nlopt::LN_COBYLA : nlopt::LN_BOBYQA, static_cast<unsigned>(count));
  std::vector<double> lower(count, 0.0);
  if (criterion.levels[0] == kIteration) lower[0] = kSmallestSd;
  search.set_lower_bounds(lower);
  search.set_upper_bounds(kLargestSd);
  search.set_initial_step(step);
  search.set_xtol_rel(0);
  search.set_xtol_abs(precision);
  search.set_maxeval(20000);
  search.set_min_objective(call_criterion, &criterion);
  if (criterion.best.empty()) criterion.best.assign(count, 0.5);
  std::vector<double> sds = criterion.best;
  double value = 0;
  try {
    search.optimize(sds, value);
  } catch (const std::runtime_error&) {  // NLopt's roundoff_limited and its unnamed failure
  }
}

/// The optimum over the sds of `levels`. One level needs no search: its variance is the spread.
Variances optimum(Likelihood& likelihood, const Levels& levels, double unit) {
  if (levels.size() == 1) return variances_of(levels, {unit});
  Criterion criterion{likelihood, levels, unit};
  minimise(criterion);
  for (double& sd : criterion.best) sd *= unit;
  return variances_of(levels, criterion.best);
}

/// The level whose variance may as well be exactly 0, or none.
std::optional<std::size_t> undetected(Likelihood& likelihood, const Levels& levels,
                                      const Variances& variances) {
  constexpr double kNoLoss = 1e-8;  // of -2 log likelihood: far below what data can tell
  const double best = likelihood.restricted(variances);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    Variances without = variances;
    without[levels[i]] = 0;
    if (likelihood.restricted(without) <= best + kNoLoss) return i;
  }
  return std::nullopt;
}

/// Where a function that rises away from `x` reaches 0, downwards or upwards of it, and no farther
/// than `last`. Requires x != last, and value < 0: that at `x`. Shape: to within 1e-5.
double root_beyond(double x, double value, bool down, double last,
                   const std::function<double(double)>& function) {
  constexpr double kFirstStep = 0.25, kMost = 2, kMargin = 1.1, kClose = 1e-5;
  constexpr std::uintmax_t kMostSteps = 100;
  double inside = x, below = value, outside = x, above = value;
  for (double step = kFirstStep; above < 0;) {
    inside = outside;
    below = above;
    outside = down ? std::max(outside - step, last) : std::min(outside + step, last);
    above = function(outside);
    if (above < 0 && outside == last) return last;
    const double line = (outside - x) * value / (value - above) - (outside - x);
    step = above > value ? std::clamp(std::abs(line) * kMargin, kFirstStep / 2, kMost) : kMost;
  }
  const auto close = [](double a, double b) { return b - a < kClose; };
  std::uintmax_t steps = kMostSteps;
  const auto [low, high] = down ? boost::math::tools::toms748_solve(function, outside, inside,
                                                                    above, below, close, steps)
                                : boost::math::tools::toms748_solve(function, inside, outside,
                                                                    below, above, close, steps);
  return (low + high) / 2;
}

/// The likelihood with one sd held and all others chosen best.
class Profile {
 public:
  /// `found`: where the restricted likelihood is best.
  Profile(Likelihood& likelihood, Levels levels, double unit, const Variances& found)
      : likelihood_(likelihood), levels_(std::move(levels)), unit_(unit) {
    Criterion criterion{likelihood_, levels_, unit_, &Likelihood::for_intervals};
    if (likelihood_.intervals_are_restricted()) {
      std::vector<double> sds;
      for (const std::size_t level : levels_) sds.push_back(std::sqrt(found[level]) / unit_);
      criterion.at(sds);
    } else {
      minimise(criterion, kPrecision);
    }
    least_ = criterion.best_value;
    best_ = criterion.best;
  }
  /// The same for another thread, whose own likelihood must be of the same data.
  Profile(const Profile& other, Likelihood& likelihood)
      : likelihood_(likelihood),
        levels_(other.levels_),
        unit_(other.unit_),
        least_(other.least_),
        best_(other.best_) {}

  double least() const { return least_; }
  /// In units of the whole spread.
  double best_sd(std::size_t level) const { return best_[place_of(level)]; }

  /// Where the likelihood falls to `limit` between the best sd and one farther `out`, in the
  /// data's unit; `out` where it does not.
  double crossing(std::size_t level, double best, double out, double limit) const {
    if (out < best && at(level, out) < limit) return out * unit_;
    const double begin_sd = std::max(best, kSmallestSd), end_sd = std::max(out, kSmallestSd);
    if (begin_sd == end_sd) return out * unit_;
    const double target = std::sqrt(limit - least_);
    const Others begin = best_others(level);
    // The root of what the likelihood falls by is nearly a line in the logarithm of the sd.
    const auto missing = [&, start = begin](double log_sd) mutable {
      const double fall = std::sqrt(std::max(0.0, at(level, std::exp(log_sd), start) - least_));
      return std::isfinite(fall) ? fall - target : kVeryFar;
    };
    return std::exp(
               root_beyond(std::log(begin_sd), -target, out < best, std::log(end_sd), missing)) *
           unit_;
  }

 private:
  static constexpr double kPrecision = 1e-5, kSmallestStep = 1e-4, kNear = 0.02;
  static constexpr double kVeryFar = 1e9;  // for what is too far to be computed

  std::size_t place_of(std::size_t level) const {
    return static_cast<std::size_t>(std::find(levels_.begin(), levels_.end(), level) -
                                    levels_.begin());
  }

  using Others = std::vector<double>;  ///< sds of the levels that are not held

  Levels others(std::size_t level) const {
    Levels rest = levels_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place_of(level)));
    return rest;
  }

  Others best_others(std::size_t level) const {
    Others sds;
    for (const std::size_t other : others(level))
      sds.push_back(std::max(best_sd(other), kSmallestStep));
    return sds;
  }

  double at(std::size_t level, double sd) const {
    Others start = best_others(level);
    return at(level, sd, start);
  }

  /// `start`: where the others are looked for, and then where they were found.
  double at(std::size_t level, double sd, Others& start) const {
    const Levels rest = others(level);
    Criterion criterion{likelihood_, rest, unit_, &Likelihood::for_intervals};
    criterion.best = start;
    const double held = level == kIteration ? std::max(sd, kSmallestSd) : sd;
    criterion.fixed[level] = held * held * unit_ * unit_;
    if (rest.empty()) return criterion.at({});
    minimise(criterion, kPrecision, kNear);
    start = criterion.best;
    return criterion.best_value;
  }

  Likelihood& likelihood_;
  Levels levels_;
  double unit_;
  double least_ = 0;
  std::vector<double> best_;
};

using Function = std::function<double(const Eigen::VectorXd&)>;

/// Central differences at steps h and 2h, combined so that the error is of fourth order.
double richardson(const std::function<double(double)>& difference) {
  constexpr double kStep = 0.01;
  return (4 * difference(kStep) - difference(2 * kStep)) / 3;
}

double slope(const Function& f, const Eigen::VectorXd& at, Eigen::Index i) {
  const Eigen::VectorXd unit = Eigen::VectorXd::Unit(at.size(), i);
  return richardson([&](double h) { return (f(at + h * unit) - f(at - h * unit)) / (2 * h); });
}

double curvature(const Function& f, const Eigen::VectorXd& at, Eigen::Index i, Eigen::Index j) {
  const Eigen::VectorXd a = Eigen::VectorXd::Unit(at.size(), i);
  const Eigen::VectorXd b = Eigen::VectorXd::Unit(at.size(), j);
  if (i == j) {
    return richardson(
        [&](double h) { return (f(at + h * a) - 2 * f(at) + f(at - h * a)) / (h * h); });
  }
  return richardson([&](double h) {
    const double along = f(at + h * (a + b)) + f(at - h * (a + b));
    const double across = f(at + h * (a - b)) + f(at - h * (a - b));
    return (along - across) / (4 * h * h);
  });
}

/// Satterthwaite: 2 V^2 / Var(V) for V = se^2, with Var(V) from the curvature of the criterion in
/// the logarithms of the variances.
std::optional<double> satterthwaite(const Nesting& nesting, const Levels& levels,
                                    const Variances& variances) {
  const auto count = static_cast<Eigen::Index>(levels.size());
  const auto level = [&](Eigen::Index i) { return levels[static_cast<std::size_t>(i)]; };
  Eigen::VectorXd logs(count);
  for (Eigen::Index i = 0; i < count; ++i) logs[i] = std::log(variances[level(i)]);
  const auto fit_at = [&](const Eigen::VectorXd& at) {
    Variances result{};
    for (Eigen::Index i = 0; i < count; ++i) result[level(i)] = std::exp(at[i]);
    return fit_of(nesting, result);
  };
  const Function criterion = [&](const Eigen::VectorXd& at) { return fit_at(at).reml; };
  const Function squared_se = [&](const Eigen::VectorXd& at) { return std::pow(fit_at(at).se, 2); };
  Eigen::VectorXd gradient(count);
  Eigen::MatrixXd hessian(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    gradient[i] = slope(squared_se, logs, i);
    for (Eigen::Index j = 0; j < count; ++j) hessian(i, j) = curvature(criterion, logs, i, j);
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(hessian);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return std::pow(squared_se(logs), 2) / gradient.dot(factor.solve(gradient));
}

/// As many as there are cores, where the fits of so many runs are worth a thread.
std::size_t threads_for(const Nesting& nesting, std::size_t tasks) {
  constexpr std::size_t kManyRuns = 5000;
  if (nesting.runs.size() < kManyRuns) return 1;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, tasks);
}

}  // namespace

VarianceComponents components_of(const Nesting& nesting) {
  const double unit = whole_sd(nesting);
  const Levels separable = separable_levels(nesting);
  Levels levels = separable;
  Likelihood likelihood(nesting);
  Variances variances = optimum(likelihood, levels, unit);
  while (const auto zero = undetected(likelihood, levels, variances)) {
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(*zero));
    variances = optimum(likelihood, levels, unit);
  }
  VarianceComponents result;
  result.variances = variances;
  if (nesting.configurations == 1) {
    result.fit = fit_of(nesting, variances);
    result.df = satterthwaite(nesting, levels, variances);
  }
  for (std::size_t level : separable) {
    result.components.push_back({name_of(level, counts_of(nesting)), level, variances[level]});
  }
  return result;
}

std::vector<SdInterval> sd_intervals(const Nesting& nesting, const VarianceComponents& found) {
  constexpr double kChiSquare = 3.841458820694124;  // of one degree of freedom, 95 %
  const double unit = whole_sd(nesting);
  Likelihood likelihood(nesting);
  Profile profile{likelihood, separable_levels(nesting), unit, found.variances};
  const double limit = profile.least() + kChiSquare;
  // Each end by itself, on several threads: every one is a search of many fits.
  std::vector<double> ends(2 * found.components.size());
  std::atomic<std::size_t> next = 0;
  const auto find_ends = [&](const Profile& own) {
    for (std::size_t i = next++; i < ends.size(); i = next++) {
      const std::size_t level = found.components[i / 2].level;
      ends[i] = own.crossing(level, own.best_sd(level), i % 2 == 0 ? 0 : kLargestSd, limit);
    }
  };
  std::vector<std::future<void>> others;
  const auto help = [&] {
    Likelihood own(nesting);
    find_ends(Profile(profile, own));
  };
  try {
    while (others.size() + 1 < threads_for(nesting, ends.size()))
      others.push_back(std::async(std::launch::async, help));
  } catch (const std::system_error&) {  // no more threads are allowed: those that there are do all
  }
  find_ends(profile);
  for (auto& other : others) other.get();
  std::vector<SdInterval> intervals;
  for (std::size_t i = 0; i < ends.size(); i += 2) intervals.push_back({ends[i], ends[i + 1]});
  return intervals;
}

}  // namespace pippin
