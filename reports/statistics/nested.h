// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pippin {

/// What the statistics need of one run: its place and the moments of its iterations.
struct RunMoments {
  std::string day, allocation;
  std::size_t n = 0;              ///< iterations, at least 1
  double mean = 0;                ///< in any one unit
  double squares = 0;             ///< sum of squared deviations from `mean`, in that unit squared
  std::size_t configuration = 0;  ///< what was run, for those that compare or pool several
  std::optional<std::int64_t> started_at = {};  ///< seconds since 1970, UTC
  double resolution = 0;  ///< in which its iterations were written down; 0: exactly, or unknown
};

/// The levels of a measurement, lowest first.
enum Level : std::size_t { kIteration, kRun, kAllocation, kDay };
inline constexpr std::size_t kLevels = 4;
using Variances = std::array<double, kLevels>;  ///< by Level; 0: that level adds nothing

/// Runs within allocations within days, as indices into the level above.
struct Nesting {
  std::vector<RunMoments> runs;
  std::vector<std::size_t> allocation_of_run, day_of_allocation;
  std::size_t days = 0;
  std::size_t configurations = 1;

  std::size_t allocations() const { return day_of_allocation.size(); }
  std::size_t iterations() const;
};

/// Groups runs; an allocation belongs to the earliest day that one of its runs names.
Nesting nest(std::vector<RunMoments> runs);

/// True where every day has equally many allocations, every allocation equally many runs, and every
/// run equally many iterations.
bool balanced(const Nesting& nesting);

/// Per run, allocation or day: the plain mean of the means one level below.
std::vector<double> run_means(const Nesting& nesting);
std::vector<double> allocation_means(const Nesting& nesting);
std::vector<double> day_means(const Nesting& nesting);

/// How well given variances explain the data, and the mean that they imply.
struct NestedFit {
  double reml = 0;  ///< -2 log restricted likelihood
  double mean = 0;  ///< generalised least squares
  double se = 0;    ///< of `mean`, were the variances known
};

/// One pass from runs up to the mean, without matrices.
/// Shape: a run has variance v = run + iteration / n. A group of children with variances v and
/// means m has W = sum 1/v and the mean sum(m/v) / W; it adds sum ln v + ln W to the
/// log-determinant and sum (m - mean)^2 / v to the quadratic form, and passes its own level's
/// variance + 1/W up. Requires a run and an iteration variance above 0. Source: the determinant
/// lemma and Woodbury's identity for diag(v) + s2 * ones; Searle, Casella and McCulloch, "Variance
/// Components", 1992, chapters 4 and 6.
NestedFit fit_of(const Nesting& nesting, const Variances& variances);

}  // namespace pippin
