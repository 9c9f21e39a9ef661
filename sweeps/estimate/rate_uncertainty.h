// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "sweeps/estimate/measured_step.h"

namespace pippin {

/// Of what a fit sees of the rates (to_free), in the order of rate_parameters().
using RateCovariance = std::array<std::array<double, std::tuple_size_v<RateParameters>>,
                                  std::tuple_size_v<RateParameters>>;

/// How unsure the rates of a cluster are together. Several that could each be why runs are slow are
/// unsure alone, and still foretell such runs well.
struct RateUncertainty {
  RateCovariance covariance{};
  /// The variance that it gives the logarithm of a predicted time: of the middle one of the layouts
  /// that rates were learned from.
  double of_learned = 0;
};

/// Nothing is known but how far clusters differ from the usual.
RateCovariance covariance_of_clusters();

RateUncertainty uncertainty_among(const std::vector<MeasuredStep>& learned, const Rates& rates,
                                  const RateCovariance& covariance);

/// In which 19 of 20 such layouts lie, of the logarithm of measured by predicted: `of_learned`
/// where it is like those that were learned from, and the wider the more its time hangs on what
/// they do not tell.
double half_width_at(const MeasuredStep& point, const Rates& rates, double of_learned,
                     const std::optional<RateUncertainty>& uncertainty);

}  // namespace pippin
