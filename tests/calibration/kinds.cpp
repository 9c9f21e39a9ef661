// SPDX-License-Identifier: Apache-2.0
#include "tests/calibration/kinds.h"

namespace pippin::calibration {

double result_of(const Kind& kind, int sweeps, Random& random) {
  double sum = 0;
  int counted = 0;
  for (int i = 0; i < sweeps; ++i) {
    const Outcome outcome = kind.simulate(random);
    if (!outcome.counts) continue;
    sum += kind.how_much ? outcome.amount : static_cast<double>(outcome.hit);
    ++counted;
  }
  return sum / counted;
}

}  // namespace pippin::calibration
