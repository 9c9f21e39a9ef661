// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/jobs/batch.h"
#include "core/records/cluster.h"

namespace pippin {

/// The `#SBATCH` lines of one job: its name, its nodes, one task a rank, and every option of the
/// cluster file's `slurm:` by its long name. An option without a value ("exclusive: true") stands
/// bare; "exclusive: false" leaves it out.
/// Errors: Error (bad input) for a value that an #SBATCH line cannot hold (a line break).
std::vector<std::string> sbatch_directives(const Cluster& cluster, const JobWishes& job);

}  // namespace pippin
