// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "harness/scrape/format.h"

namespace pippin {

/// The launches of our probes `collective` and `gemm` that measured one thing step by step.
/// Shape: a step's time is that of one operation, or of making all products once. The point has
/// ranks as gpus, what else is measured as counts and axes. A line that is cut off is left out.
/// Source: probes/LOG_FORMAT.md, "Steps".
std::vector<std::string_view> steps_texts();
std::unique_ptr<FormatReader> steps_reader(bool document);

}  // namespace pippin
