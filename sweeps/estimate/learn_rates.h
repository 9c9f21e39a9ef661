// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sweeps/estimate/calibrate.h"
#include "sweeps/estimate/direct_rates.h"

namespace pippin {

/// What a rate comes from.
enum class RateSource {
  kUsual,  ///< nothing tells it
  kProbe,  ///< links or products that were measured by themselves
  kRuns,   ///< training
  kBoth,
};

/// One of rate_parameters() for a cluster.
struct LearnedRate {
  std::string_view name;
  double value = 0, usual = 0;
  std::optional<double> sd;  ///< of its logarithm, or of itself where `is_linear`
  bool is_linear = false;
  RateSource source = RateSource::kUsual;
  std::int64_t readings = 0;  ///< of probes, and runs' points, that tell it
  std::int64_t groups = 0;    ///< of a probe's readings, between which `sd` is
  /// Where what was measured would drive it out of physics: there. It is not used.
  std::optional<double> at_bound;
};

/// The rates of a cluster: those that are learned, and the usual ones in place of the others.
struct LearnedRates {
  std::vector<LearnedRate> all;
  Rates rates;
  std::size_t points = 0;
  double spread = 0;      ///< of the logarithm of measured by predicted, robust
  double half_width = 0;  ///< of it, in which 19 of 20 others like these points lie
  std::optional<RateUncertainty> uncertainty;  ///< where training was measured
};

/// Rates measured by themselves are what training is expected to have, and training may correct
/// them. A rate that neither tells stays usual, one that would leave its bounds, too; the others
/// are fitted beside those. `usual_half_width`: without training that was measured.
LearnedRates learn_rates(const std::vector<DirectRate>& direct,
                         const std::vector<MeasuredStep>& points, double usual_half_width,
                         const Rates& usual = {});

}  // namespace pippin
