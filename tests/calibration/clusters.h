// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "reports/noise/allocations.h"

namespace pippin::calibration {

/// How a scheduler hands out nodes.
enum class Placement {
  kRandom,
  kWindowed,  ///< neighbours, as packed allocations are
  kFixed,     ///< always the same
};

/// What is true of a simulated cluster on which one job of a few nodes runs again and again. A step
/// computes 700 ms at the pace of the slowest node, and sends 300 ms at the pace of the slowest
/// network among them.
struct Cluster {
  std::size_t nodes = 16, per_job = 4, allocations = 60;
  Placement placement = Placement::kRandom;
  double slow_gpu = 1, slow_network = 1;  ///< of node 7, and of node 12 (of few nodes: 1 and 2)
  double congestion_sd = 0.10;            ///< of ln(communication), shared by an allocation
  bool heavy_tail = false;                ///< now and then a job that takes half as long again
  bool canaries = true, pairs = true;
  bool by_node = true;  ///< canaries tell the product of each node, else only whose is the slowest
};

/// Allocations on such a cluster. Source of the noise: data that names its truth, seed 105 of
/// tests/data/statistics (slow_node.csv).
std::vector<NoisyAllocation> allocations_on(const Cluster& cluster, Random& random);

std::string name_of_slow_gpu(const Cluster& cluster);
std::string name_of_slow_network(const Cluster& cluster);

}  // namespace pippin::calibration
