// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/cluster.h"
#include "sweeps/yaml.h"

namespace pippin {

/// Reads `slurm:` or `pbs:` of a cluster file, whichever its scheduler has, into
/// `cluster.scheduler_options`. Errors: Error (bad input) with the place of what is no option, or
/// is the other scheduler's.
void read_scheduler_options(const YamlNode& root, Cluster& cluster);

}  // namespace pippin
