#pragma once

#include <string>
#include <vector>

#include "sweeps/estimate/step_time.h"

namespace pippin {

/// A layout whose time was measured.
struct MeasuredStep {
  Setup setup;
  Machine machine;
  bool any_micro_batch = false;  ///< its size is not known: the best one is assumed
  double seconds = 0;
};

/// The rates of a cluster by what was measured on it.
struct Calibration {
  Rates rates;
  double spread = 0;                   ///< of the logarithm of measured by predicted, robust
  double half_width = 0;               ///< of it: within so much lie 19 of 20 points
  std::vector<std::string> at_bounds;  ///< parameters that the data would drive out of physics
  std::size_t points = 0;
};

/// The rates that explain the points best: the errors' logarithms by Huber, and a pull towards the
/// usual rates by as much as clusters differ. Levenberg and Marquardt's method within the bounds.
Calibration calibrate(const std::vector<MeasuredStep>& points);

/// Seconds of an iteration.
double predicted_seconds(const MeasuredStep& point, const Rates& rates);

}  // namespace pippin
