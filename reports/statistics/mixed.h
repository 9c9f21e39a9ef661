// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reports/statistics/nested.h"

namespace pippin {

/// How well given variances explain runs of several configurations, whose means are free.
struct MixedFit {
  double reml = 0;  ///< -2 log restricted likelihood
  double ml = 0;    ///< -2 log likelihood, the means chosen best
};

/// The same pass as fit_of() with a mean for each configuration instead of one: weighted cross
/// products go up, and a level of variance s2 takes s2 / (1 + s2 W) of their outer product away.
/// What does not depend on the variances is worked out once, as a search asks thousands of times.
class MixedModel {
 public:
  /// Two ways that give the same: by a matrix of configurations, and by one of allocations and days
  /// that ran the same of them, which is the smaller one where there are many configurations.
  enum class Way { kByConfigurations, kByUnits };

  /// Requires configurations numbered from 0 without gaps.
  explicit MixedModel(const Nesting& nesting);
  MixedModel(const Nesting& nesting, Way way);
  ~MixedModel();

  /// Requires a run and an iteration variance above 0. Not for several threads at once.
  MixedFit fit(const Variances& variances);

  class Pass;

 private:
  std::unique_ptr<Pass> pass_;
};

}  // namespace pippin
