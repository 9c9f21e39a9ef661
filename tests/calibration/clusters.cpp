// SPDX-License-Identifier: Apache-2.0
#include "tests/calibration/clusters.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace pippin::calibration {

namespace {

std::string node_name(std::size_t node) { return fmt::format("n{:02}", node + 1); }

std::size_t slow_gpu(const Cluster& cluster) { return std::min<std::size_t>(6, cluster.nodes - 4); }
std::size_t slow_network(const Cluster& cluster) {
  return std::min<std::size_t>(11, cluster.nodes - 2);
}

std::vector<std::size_t> nodes_of_job(const Cluster& cluster, Random& random) {
  std::vector<std::size_t> nodes(cluster.nodes);
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  if (cluster.placement == Placement::kRandom) random.shuffle(nodes);
  if (cluster.placement == Placement::kWindowed)
    std::rotate(nodes.begin(),
                nodes.begin() + static_cast<std::ptrdiff_t>(random.below(cluster.nodes)),
                nodes.end());
  nodes.resize(cluster.per_job);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// The paces of all nodes: 1 is a healthy one's, above is slower.
struct Paces {
  std::vector<double> gpu, network;
};

Paces paces_of(const Cluster& cluster, Random& random) {
  constexpr double kGpuSd = 0.006, kNetworkSd = 0.02;
  Paces paces;
  for (std::size_t i = 0; i < cluster.nodes; ++i) {
    paces.gpu.push_back(std::exp(kGpuSd * normal(random)));
    paces.network.push_back(std::exp(kNetworkSd * normal(random)));
  }
  if (cluster.slow_gpu > 1) paces.gpu[slow_gpu(cluster)] = cluster.slow_gpu;
  if (cluster.slow_network > 1) paces.network[slow_network(cluster)] = cluster.slow_network;
  return paces;
}

double slowest(const std::vector<double>& paces, const std::vector<std::size_t>& nodes) {
  double pace = 0;
  for (const std::size_t node : nodes) pace = std::max(pace, paces[node]);
  return pace;
}

CanaryEvidence canary_of(const Cluster& cluster, const Paces& paces,
                         const std::vector<std::size_t>& nodes, double congestion, std::int64_t id,
                         Random& random) {
  constexpr double kGemmSd = 0.003, kAllReduceSd = 0.03, kPairSd = 0.03;
  CanaryEvidence reading;
  reading.reading = id;
  reading.all_reduce_bytes = 1 << 26;
  reading.all_reduce_us =
      20'000 * slowest(paces.network, nodes) * congestion * std::exp(kAllReduceSd * normal(random));
  std::vector<double> speeds;
  for (const std::size_t node : nodes)
    speeds.push_back(std::exp(kGemmSd * normal(random)) / paces.gpu[node]);
  for (std::size_t i = 0; cluster.by_node && i < nodes.size(); ++i)
    reading.by_node.push_back({node_name(nodes[i]), "", speeds[i], speeds[i]});
  const auto least = std::min_element(speeds.begin(), speeds.end());
  reading.gemm.min_tflops = *least;
  reading.gemm.slowest_host = node_name(nodes[static_cast<std::size_t>(least - speeds.begin())]);
  std::sort(speeds.begin(), speeds.end());
  reading.gemm.median_tflops = (speeds[(speeds.size() - 1) / 2] + speeds[speeds.size() / 2]) / 2;
  for (std::size_t a = 0; cluster.pairs && a < nodes.size(); ++a) {
    for (std::size_t b = a + 1; b < nodes.size(); ++b) {
      const double pace = std::max(paces.network[nodes[a]], paces.network[nodes[b]]);
      reading.pairs.push_back({node_name(nodes[a]),
                               node_name(nodes[b]),
                               10 * std::exp(kPairSd * normal(random)) / pace / congestion,
                               {},
                               {}});
    }
  }
  return reading;
}

}  // namespace

std::string name_of_slow_gpu(const Cluster& cluster) { return node_name(slow_gpu(cluster)); }
std::string name_of_slow_network(const Cluster& cluster) {
  return node_name(slow_network(cluster));
}

std::vector<NoisyAllocation> allocations_on(const Cluster& cluster, Random& random) {
  constexpr double kComputeMs = 700, kNetworkMs = 300, kComputeSd = 0.004;
  constexpr double kTailShare = 0.1, kTail = 1.5;
  const Paces paces = paces_of(cluster, random);
  std::vector<NoisyAllocation> allocations;
  for (std::size_t i = 0; i < cluster.allocations; ++i) {
    const auto nodes = nodes_of_job(cluster, random);
    double congestion = std::exp(cluster.congestion_sd * normal(random));
    if (cluster.heavy_tail && uniform(random) < kTailShare) congestion *= kTail;
    const double compute =
        kComputeMs * slowest(paces.gpu, nodes) * std::exp(kComputeSd * normal(random));
    const double network = kNetworkMs * slowest(paces.network, nodes) * congestion;
    NoisyAllocation& allocation = allocations.emplace_back();
    allocation.name = fmt::format("a{}", i);
    for (const std::size_t node : nodes) allocation.nodes.push_back(node_name(node));
    allocation.effect = std::log(compute + network);
    if (!cluster.canaries) continue;
    const auto reading =
        canary_of(cluster, paces, nodes, congestion, static_cast<std::int64_t>(i) + 1, random);
    allocation.all_reduce = std::log(reading.all_reduce_us);
    allocation.gemm = -std::log(reading.gemm.min_tflops);
    allocation.readings.push_back(reading);
  }
  return allocations;
}

}  // namespace pippin::calibration
