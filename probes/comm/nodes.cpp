// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/nodes.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "probes/comm/gather.h"
#include "probes/common/environment.h"

namespace pippin::probes {

namespace {

std::string host_name() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return host;
}

}  // namespace

std::string node_name() {
  if (std::string name = environment("SLURMD_NODENAME"); !name.empty()) return name;
  const std::string name = host_name();
  return name.substr(0, name.find('.'));
}

std::string machine_name() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char network[64] = "";  // "net:[4026531840]"
  (void)!::readlink("/proc/self/ns/net", network, sizeof network - 1);
  return boot + " " + host_name() + " " + network + " " + node_name();
}

int Nodes::local_rank(int rank) const {
  return static_cast<int>(std::count(of_rank.begin(), of_rank.begin() + rank, of_rank[rank]));
}

int Nodes::ranks_of(int node) const {
  return static_cast<int>(std::count(of_rank.begin(), of_rank.end(), node));
}

std::string Nodes::list_of_ranks(int node) const {
  const int ranks = static_cast<int>(of_rank.size());
  std::string list;
  for (int rank = 0; rank < ranks; ++rank) {
    if (of_rank[rank] != node) continue;
    const int first = rank;
    while (rank + 1 < ranks && of_rank[rank + 1] == node) ++rank;
    if (!list.empty()) list += ",";
    list += std::to_string(first);
    if (rank > first) list += "-" + std::to_string(rank);
  }
  return list;
}

Nodes nodes_of(const std::vector<std::string>& name_of_rank) {
  Nodes nodes;
  for (std::size_t rank = 0; rank < name_of_rank.size(); ++rank) {
    const auto known = std::find(nodes.names.begin(), nodes.names.end(), name_of_rank[rank]);
    nodes.of_rank.push_back(static_cast<int>(known - nodes.names.begin()));
    if (known != nodes.names.end()) continue;
    nodes.names.push_back(name_of_rank[rank]);
    nodes.first_rank.push_back(static_cast<int>(rank));
  }
  return nodes;
}

Nodes find_nodes(Communicator& comm) { return nodes_of(gathered(comm, node_name())); }

}  // namespace pippin::probes
