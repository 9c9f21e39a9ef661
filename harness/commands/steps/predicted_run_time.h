// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"

namespace pippin {

/// Where a sweep says `run_time: predicted`: sets it to what the slowest point may take, in whole
/// minutes. Errors: Error (bad input) naming a point that cannot be predicted, and why; as
/// script_run().
void predict_run_time(Sweep& sweep);

}  // namespace pippin
