#pragma once

#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// The launches of our probes `collective` and `gemm` that measured one thing step by step; empty
/// where the log has none.
/// Shape: a step's time is that of one operation, or of making all products once. The point has
/// ranks as gpus, what else is measured as counts and axes. A line that is cut off is left out.
/// Source: probes/LOG_FORMAT.md, "Steps".
std::vector<LogRun> read_steps(std::string_view log);

}  // namespace pippin
