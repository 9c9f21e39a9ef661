// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace pippin {

/// Whether a run kept one pace.
struct StepPace {
  double change = 0;    ///< from before its largest step to behind it: of logarithms
  double noise_sd = 0;  ///< of single values about the two levels
  double t = 0;         ///< the change by its standard error, which knows that neighbours are alike
  std::size_t values = 0;

  /// The change is no chance, and large enough to matter: 5 %, and 2.5 sd of single values.
  /// Source of the bounds: simulated runs of 20 to 200 steady lines, independent or with a
  /// correlation of 0.5 or 0.8 between neighbours; ./dev bench calibration counts how often they
  /// hold.
  bool changed() const;
};

/// The largest step between two levels among `values` from index `from` on, each level of three
/// values at least. Shape: the correlation of neighbours is that of the residuals, corrected for
/// what the two levels took from it (Kendall, Biometrika 41, 1954). Of fewer than six values none.
StepPace pace_of(const std::vector<double>& values, std::size_t from);

}  // namespace pippin
