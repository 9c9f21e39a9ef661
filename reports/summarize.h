#pragma once

#include <vector>

#include "harness/records/summary.h"

namespace pippin {

/// Which lines of a log count in a mean.
enum class Samples {
  kClean,  ///< those without a flag, after the warm-up; every line where a point has none
  kAll,    ///< every line
};

/// One row per point, in the given order.
/// Shape: a line counts once, also where it is the mean of an interval. Every run with such lines
/// counts, however it ended. Where the batch size changes within a point (ramp-up), only lines of
/// the final one count. A fixed warm-up leaves out the lines of a run's first iterations, one that
/// is found those before its steady part; either way one cut per run. The state is ok where one run
/// is, else the worst that is present, out of memory first.
/// Unit: TFLOPS per GPU by formula `params`, with recomputation where the runs say "full".
/// Source: for TFLOPS the BigScience GPT-2 tables, see sweeps/estimate/flops.h.
std::vector<Summary> summarize(const std::vector<PointSamples>& points, Samples samples);

}  // namespace pippin
