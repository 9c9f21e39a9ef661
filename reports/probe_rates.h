// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/records/summary.h"
#include "reports/rates.h"

namespace pippin {

/// Whether a row is of a probe that measures a network or products and trains nothing.
bool measures_machine(const Point& point);

/// Whether rows of `collective` are among them that make unlike calls: which of these is faster
/// says nothing of what to choose.
bool mixes_calls(const std::vector<Summary>& rows);

/// Adds to such a row what follows from its mean time: of `collective` the bus bandwidth with the
/// interval of the time, of `gemm` the TFLOPS of a rank, counted as `products`, and their share of
/// the peak. Source: sweeps/estimate/measured.h.
void rate_machine(Summary& row, const Rating& rating);

}  // namespace pippin
