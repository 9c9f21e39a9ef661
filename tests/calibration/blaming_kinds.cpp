// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/noise/suspects.h"
#include "tests/calibration/clusters.h"
#include "tests/calibration/kinds.h"

namespace pippin::calibration {

namespace {

constexpr double kSlowGpu = 1.10, kSlowNetwork = 1.35;

bool names(const Blame& blame, const std::string& node, const std::string& kind) {
  return std::any_of(blame.suspects.begin(), blame.suspects.end(), [&](const auto& suspect) {
    return suspect.nodes == std::vector<std::string>{node} && suspect.kind == kind;
  });
}

bool names_another(const Blame& blame, const std::string& node) {
  return std::any_of(blame.suspects.begin(), blame.suspects.end(), [&](const auto& suspect) {
    return std::find(suspect.nodes.begin(), suspect.nodes.end(), node) == suspect.nodes.end();
  });
}

Cluster sixteen(Placement placement, bool heavy_tail) {
  Cluster cluster;
  cluster.placement = placement;
  cluster.heavy_tail = heavy_tail;
  return cluster;
}

Cluster four_always() {
  Cluster cluster;
  cluster.nodes = cluster.per_job = 4;
  cluster.allocations = 5;
  cluster.placement = Placement::kFixed;
  return cluster;
}

/// All nodes in one job, which read its canary once.
Cluster once() {
  Cluster cluster;
  cluster.per_job = cluster.nodes;
  cluster.allocations = 1;
  cluster.placement = Placement::kFixed;
  return cluster;
}

template <Placement placement, bool heavy_tail, bool by_node = true>
Outcome gpu_named(Random& random) {
  Cluster cluster = sixteen(placement, heavy_tail);
  cluster.by_node = by_node;
  cluster.slow_gpu = kSlowGpu;
  return {names(blame_for(allocations_on(cluster, random)), name_of_slow_gpu(cluster), "compute")};
}

template <Placement placement, bool heavy_tail>
Outcome network_named(Random& random) {
  Cluster cluster = sixteen(placement, heavy_tail);
  cluster.slow_network = kSlowNetwork;
  return {
      names(blame_for(allocations_on(cluster, random)), name_of_slow_network(cluster), "network")};
}

template <Placement placement, bool heavy_tail>
Outcome false_name(Random& random) {
  Cluster cluster = sixteen(placement, heavy_tail);
  cluster.slow_gpu = kSlowGpu;
  return {names_another(blame_for(allocations_on(cluster, random)), name_of_slow_gpu(cluster))};
}

template <Placement placement, bool heavy_tail, bool canaries>
Outcome healthy(Random& random) {
  Cluster cluster = sixteen(placement, heavy_tail);
  cluster.canaries = canaries;
  return {blame_for(allocations_on(cluster, random)).suspects.empty()};
}

Outcome gpu_of_four(Random& random) {
  Cluster cluster = four_always();
  cluster.slow_gpu = kSlowGpu;
  return {names(blame_for(allocations_on(cluster, random)), name_of_slow_gpu(cluster), "compute")};
}

Outcome network_of_four(Random& random) {
  Cluster cluster = four_always();
  cluster.slow_network = kSlowNetwork;
  return {
      names(blame_for(allocations_on(cluster, random)), name_of_slow_network(cluster), "network")};
}

Outcome healthy_four(Random& random) {
  return {blame_for(allocations_on(four_always(), random)).suspects.empty()};
}

Outcome gpu_at_once(Random& random) {
  Cluster cluster = once();
  cluster.slow_gpu = kSlowGpu;
  return {names(blame_for(allocations_on(cluster, random)), name_of_slow_gpu(cluster), "compute")};
}

Outcome network_at_once(Random& random) {
  Cluster cluster = once();
  cluster.slow_network = kSlowNetwork;
  return {
      names(blame_for(allocations_on(cluster, random)), name_of_slow_network(cluster), "network")};
}

Outcome healthy_once(Random& random) {
  return {blame_for(allocations_on(once(), random)).suspects.empty()};
}

constexpr auto kRandom = Placement::kRandom, kWindowed = Placement::kWindowed;

}  // namespace

const std::vector<Kind>& blaming_kinds() {
  static const std::vector<Kind> kKinds{
      {"16 nodes, 60 jobs of 4, a GPU 10 % slower", "named, compute", 0.95, 1,
       gpu_named<kRandom, false>},
      {"the same, neighbours in each job", "named, compute", 0.95, 1, gpu_named<kWindowed, false>},
      {"the same, heavy tails", "named, compute", 0.95, 1, gpu_named<kRandom, true>},
      {"the same, canaries know only whose GEMM is the slowest", "named, compute", 0.95, 1,
       gpu_named<kRandom, false, false>},
      {"the same", "another is named", 0, 0.05, false_name<kRandom, false>},
      {"the same, neighbours in each job", "another is named", 0, 0.05,
       false_name<kWindowed, false>},
      {"the same, heavy tails", "another is named", 0, 0.05, false_name<kRandom, true>},
      {"a network card 35 % slower", "named, network", 0.95, 1, network_named<kRandom, false>},
      {"the same, neighbours in each job", "named, network", 0.95, 1,
       network_named<kWindowed, false>},
      {"the same, heavy tails", "named, network", 0.95, 1, network_named<kRandom, true>},
      {"all healthy", "nobody is named", 0.95, 1, healthy<kRandom, false, true>},
      {"all healthy, neighbours in each job", "nobody is named", 0.95, 1,
       healthy<kWindowed, false, true>},
      {"all healthy, heavy tails", "nobody is named", 0.95, 1, healthy<kRandom, true, true>},
      {"all healthy, no canaries", "nobody is named", 0.95, 1, healthy<kRandom, false, false>},
      {"the same 4 nodes in 5 jobs, a GPU 10 % slower", "named, compute", 0.95, 1, gpu_of_four},
      {"the same, a network card 35 % slower", "named, network", 0.95, 1, network_of_four},
      {"the same, all healthy", "nobody is named", 0.95, 1, healthy_four},
      {"one reading of 16 nodes, a GPU 10 % slower", "named, compute", 0.95, 1, gpu_at_once},
      {"the same, a network card 35 % slower", "named, network", 0.95, 1, network_at_once},
      {"the same, all healthy", "nobody is named", 0.95, 1, healthy_once},
  };
  return kKinds;
}

}  // namespace pippin::calibration
