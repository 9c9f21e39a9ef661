// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/comm/communicator.h"

namespace pippin::probes {

/// This rank's node: Slurm's name of it ($SLURMD_NODENAME) where there is one, else the host's name
/// up to its first dot.
std::string node_name();

/// What two processes have in common that can share memory and local connections: the boot of the
/// machine, its name, its network and node_name(), by which one machine can pass for several.
std::string machine_name();

/// Which rank is where.
struct Nodes {
  std::vector<std::string> names;  ///< in the order of their first ranks
  std::vector<int> of_rank;        ///< each rank's node: an index into `names`
  std::vector<int> first_rank;     ///< of each node

  int count() const { return static_cast<int>(names.size()); }
  const std::string& name_of(int rank) const { return names[of_rank[rank]]; }
  /// The rank's number among those of its node.
  int local_rank(int rank) const;
  int ranks_of(int node) const;
  /// Which these are: "0-3,8".
  std::string list_of_ranks(int node) const;
};

/// From the ranks' own words. Every rank must call it.
Nodes find_nodes(Communicator& comm);

/// From the node names of all ranks.
Nodes nodes_of(const std::vector<std::string>& name_of_rank);

}  // namespace pippin::probes
