// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "sweeps/estimate/measured_step.h"
#include "sweeps/estimate/rate_uncertainty.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What is thought of a rate before points are looked at.
struct RatePrior {
  double value = 0;
  double spread = 0;  ///< as RateParameter has it
  bool held = false;  ///< points do not move it
};
/// In the order of rate_parameters().
using RatePriors = std::array<RatePrior, std::tuple_size_v<RateParameters>>;
/// Those rates, and how far clusters differ from them.
RatePriors priors_around(const Rates& usual);

/// The rates of a cluster by what was measured on it.
struct Calibration {
  Rates rates;
  double spread = 0;                   ///< of the logarithm of measured by predicted, robust
  double half_width = 0;               ///< of it: within so much lie 19 of 20 points
  std::vector<std::string> at_bounds;  ///< parameters that the data would drive out of physics
  std::size_t points = 0;
  /// How sure each rate is, as RatePrior's spread: about that where the points tell nothing of it.
  std::array<double, std::tuple_size_v<RateParameters>> sds{};
};

/// The rates that explain the points best: the errors' logarithms by Huber, and a pull towards the
/// priors by their spreads. Levenberg and Marquardt's method within the bounds.
Calibration calibrate(const std::vector<MeasuredStep>& points, const RatePriors& priors);
/// With the usual rates of the machine of the first point.
Calibration calibrate(const std::vector<MeasuredStep>& points);

/// How unsure the rates are together that calibrate() found of these points.
RateUncertainty uncertainty_of(const Calibration& fit, const std::vector<MeasuredStep>& points,
                               const RatePriors& priors);

/// Half the width of what 19 of 20 other points of that cluster lie within, found by leaving out
/// each of these points in turn; of a single point what is usual without any. Takes as many
/// calibrations as there are points. Requires a point.
double half_width_of_others(const std::vector<MeasuredStep>& points, const RatePriors& priors,
                            double usual);

}  // namespace pippin
