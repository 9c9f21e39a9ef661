// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/step_time.h"

namespace pippin {

/// A layout whose time was measured.
struct MeasuredStep {
  Setup setup;
  Machine machine;
  bool any_micro_batch = false;  ///< its size is not known: the best one is assumed
  double seconds = 0;
};

/// Seconds of an iteration.
double predicted_seconds(const MeasuredStep& point, const Rates& rates);

}  // namespace pippin
