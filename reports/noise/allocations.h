#pragma once

#include <cstddef>
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
  const RunEvidence* evidence = nullptr;  ///< nothing is known
};

/// One allocation, freed of what it ran.
struct NoisyAllocation {
  std::string name, day;
  double effect = 0;           ///< ln of how much longer its runs took than their configurations do
  std::optional<double> hour;  ///< of the day, UTC, when its first run began
  std::size_t design = 0;      ///< allocations of one number ran the same configurations
  std::vector<std::string> nodes;        ///< empty: unknown, or not the same for all of its runs
  std::optional<double> all_reduce;      ///< mean ln(microseconds) of its canaries
  std::optional<double> gemm;            ///< mean -ln(TFLOPS) of the slowest rank
  std::vector<CanaryEvidence> readings;  ///< each once
};

/// The runs that went well and have a mean; `evidence` must outlive them.
std::vector<NoisyRun> noisy_runs(const std::vector<PointSamples>& points,
                                 const std::vector<RunEvidence>& evidence);

/// Configurations and allocations are fitted in turn, until neither moves.
std::vector<NoisyAllocation> allocations_of(const std::vector<NoisyRun>& runs);

}  // namespace pippin
