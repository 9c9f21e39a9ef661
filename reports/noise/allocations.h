// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/records/evidence.h"
#include "core/records/summary.h"
#include "reports/statistics/nested.h"

namespace pippin {

/// One run that went well, with what is known about where and when it was.
struct NoisyRun {
  RunMoments moments;  ///< of ln(seconds)
  std::optional<std::int64_t> started_at;
  bool has_stages = false;                ///< of a pipeline, which compute for different times
  const RunEvidence* evidence = nullptr;  ///< nothing is known
};

/// One allocation, freed of what it ran.
struct NoisyAllocation {
  std::string name, day;
  double effect = 0;           ///< ln of how much longer its runs took than their configurations do
  std::optional<double> hour;  ///< of the day, UTC, when its first run began
  std::size_t design = 0;      ///< allocations of one number ran the same configurations
  std::vector<std::string> nodes;  ///< empty: unknown, or not the same for all of its runs
  // Of its canaries: a mean of logarithms, above those of equal ranks, nodes and sizes.
  std::optional<double> all_reduce;      ///< of the largest message's time
  std::optional<double> gemm;            ///< of the slowest rank's time
  std::vector<CanaryEvidence> readings;  ///< each once
  /// By node: ln of how much longer than the mean rank its ranks computed, over the lines in which
  /// one of them was the slowest of all, and none in the others. Of runs without stages alone.
  std::map<std::string, double> computing;
};

/// The runs that went well and have a mean; `evidence` must outlive them.
std::vector<NoisyRun> noisy_runs(const std::vector<PointSamples>& points,
                                 const std::vector<RunEvidence>& evidence);

/// Allocations that ran something, and what is known of the network besides.
struct NoisyAllocations {
  std::vector<NoisyAllocation> of_runs;
  std::vector<NoisyAllocation> collected;  ///< of tables of these nodes; without effect and hour
};

/// Configurations and allocations are fitted in turn, until neither moves. Of the collected tables
/// those count that name a node of the runs; all, where no run's nodes are known.
NoisyAllocations allocations_of(const std::vector<NoisyRun>& runs,
                                const std::vector<CanaryEvidence>& collected);

}  // namespace pippin
