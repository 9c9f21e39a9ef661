// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"
#include "sweeps/draft.h"

namespace pippin {

/// Checks what a command types by Megatron's names, as `--global-batch-size 64`, against what the
/// sweep's points say: a log that says so is none of its point. Requires the points.
/// Errors: Error (bad input) `FILE:LINE: …` with all that differ at one point, and how to say them.
void check_typed_counts(const Draft& draft, const Sweep& sweep);

}  // namespace pippin
