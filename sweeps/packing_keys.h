// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"
#include "sweeps/yaml.h"

namespace pippin {

/// Reads `pack`, `run_time` and `stalled`. Requires the sweep's cluster.
/// Errors: Error (bad input) `FILE:LINE: …`, also where one run takes longer than the cluster's
/// time limit.
void read_packing(const YamlNode& root, Sweep& sweep);

/// Finds the point that `reference` names or describes. Requires the sweep's points.
/// Errors: Error (bad input) `FILE:LINE: …` for none, several, and a dropped one.
void read_reference(const YamlNode& root, Sweep& sweep);

}  // namespace pippin
