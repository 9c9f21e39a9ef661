#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/cluster.h"

namespace pippin {

/// What one job asks for, beside what its cluster's file says.
struct SlurmJob {
  std::string name;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::optional<std::int64_t> time_s = {};  ///< nothing: the cluster's `time`
};

/// The `#SBATCH` lines of one job: its name, its nodes, one task a rank, and every option of the
/// cluster file's `slurm:` by its long name. An option without a value ("exclusive: true") stands
/// bare; "exclusive: false" leaves it out.
/// Errors: Error (bad input) for a value that an #SBATCH line cannot hold (a line break).
std::vector<std::string> sbatch_directives(const Cluster& cluster, const SlurmJob& job);

}  // namespace pippin
