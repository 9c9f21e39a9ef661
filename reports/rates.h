// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/summary.h"
#include "sweeps/estimate/flops.h"

namespace pippin {

/// How work is counted, and what it is held against.
struct Rating {
  FlopsFormula formula = FlopsFormula::kParams;
  PeakTflops peak_tflops = {};   ///< of the accelerator, where the rows do not know theirs
  std::string number_type = {};  ///< "bf16", of the peak, where the points do not say theirs
};

/// Adds to a row what follows from its mean time.
/// Unit: TFLOPS per GPU; `params` counts recomputation where the runs say "full". MFU and HFU come
/// from the same formula: without recomputed work, and with it.
/// Source: for TFLOPS see sweeps/estimate/flops.h.
void rate(Summary& row, const Rating& rating);

}  // namespace pippin
