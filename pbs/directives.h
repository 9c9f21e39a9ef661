#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/cluster.h"

namespace pippin {

/// What one job asks for, beside what its cluster's file says.
struct PbsJob {
  std::string name;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::optional<std::int64_t> time_s = {};  ///< nothing: the cluster's `walltime`
};

/// The `#PBS` lines of one job: its name, bash, its nodes, and of the cluster file's `pbs:` each
/// option by its letter, any other word as a resource of `-l`. `chunk` is what a node's part of
/// `select` asks for; without it as many ncpus as ranks, and as many ngpus where there are GPUs.
/// Nodes differ ("place=scatter") unless `place` says otherwise. An option without a value
/// ("V: true") stands bare; "V: false" leaves it out.
/// Errors: Error (bad input) for a value that a #PBS line cannot hold (a line break).
std::vector<std::string> pbs_directives(const Cluster& cluster, const PbsJob& job);

}  // namespace pippin
