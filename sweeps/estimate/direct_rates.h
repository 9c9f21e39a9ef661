// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/records/evidence.h"
#include "core/records/point.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/two_rates.h"

namespace pippin {

/// What probes and canaries measured of links and products, as parts of a time: of a link its call
/// and the bytes that the busiest one carries, of a product its tiles and their edges.
struct MachineReadings {
  std::vector<TwoParts> node;      ///< collectives within one
  std::vector<TwoParts> cluster;   ///< collectives between nodes, all GPUs of each taking part
  std::vector<TwoParts> messages;  ///< between a GPU of one node and one of another
  std::vector<TwoParts> products;  ///< in 16 bits
  std::vector<TwoParts> work;      ///< of products in any type, 1e12 floating point operations

  bool empty() const {
    return node.empty() && cluster.empty() && messages.empty() && products.empty() && work.empty();
  }
};

/// Adds a reading; one that says not enough, or is wrong, is none. Of those between nodes only such
/// of `gpus_per_node` ranks a node, where that is known.
void add_reading(const CollectiveReading& reading, const Count& gpus_per_node,
                 MachineReadings& readings);
/// Adds a message of so many bytes in so long.
void add_message(double bytes, double seconds, std::int64_t group, MachineReadings& readings);
/// Adds a product's work, whatever its machine can do.
void add_work(const CanaryGemm& shape, double seconds, std::int64_t group,
              MachineReadings& readings);
/// Adds a product of m × k by k × n. Left out where memory bounds it.
void add_product(const Machine& machine, const CanaryGemm& shape, double seconds,
                 std::int64_t group, MachineReadings& readings);

/// What the readings come to. Links: seconds of a call, and of a byte. Products: of the peak's
/// seconds, and of those that a unit of Rates::short_side adds. Work: of 1e12 operations in large
/// products.
struct MachineFit {
  TwoRates node, cluster, messages, products, work;
};
MachineFit fit_machine(const MachineReadings& readings);

/// A rate that was measured by itself.
struct DirectRate {
  std::string_view name;  ///< of rate_parameters()
  double value = 0;
  std::optional<double> sd;  ///< of its logarithm; nothing where one group alone told it
  std::int64_t readings = 0, groups = 0;
  bool is_at_bound = false;  ///< it is no physics: something else was measured
};

/// Rates as shares of what data sheets say; without `machine` only the latency. `gpus_per_node`: 0
/// where unknown.
std::vector<DirectRate> direct_rates(const MachineFit& fit, const std::optional<Machine>& machine,
                                     std::int64_t gpus_per_node);

}  // namespace pippin
