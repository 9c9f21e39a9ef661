// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/measured_step.h"

namespace pippin {

double predicted_seconds(const MeasuredStep& point, const Rates& rates) {
  if (!point.any_micro_batch) return step_time(point.setup, point.machine, rates).all();
  double best = 0;
  Setup setup = point.setup;
  const std::int64_t sequences = setup.mbs * setup.gas;
  for (const std::int64_t size : {1, 2, 4, 8, 16}) {
    if (sequences % size != 0) continue;
    setup.mbs = size;
    setup.gas = sequences / size;
    const double seconds = step_time(setup, point.machine, rates).all();
    if (best == 0 || seconds < best) best = seconds;
  }
  return best;
}

}  // namespace pippin
