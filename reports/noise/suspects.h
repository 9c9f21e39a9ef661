// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/noise/allocations.h"
#include "reports/noise/noise.h"

namespace pippin {

/// Whom the noise is blamed on.
struct Blame {
  std::vector<Suspect> suspects;       ///< the surest first
  std::vector<MachineEffect> effects;  ///< on step times, and of links
  std::string none_because;            ///< where there are none: why, and what would have been seen
};

/// Nodes, links and groups of nodes that make their allocations slower than others.
/// Shape: what is looked at, each as far as it was measured: who was there when it was slow (also
/// given the network's canary, and of the canaries themselves), the bandwidths of pairs, whose
/// product is slow, and who computes longest. Tests of one suspect count as one (Simes); nodes, and
/// links, are adjusted after Holm, so that healthy ones are named in 5 % of all cases at most.
/// Healthy machines are never quite equal: only what is surely above 2 % of the step time, or 5 %
/// of what else was measured, counts. `collected`: tables of the network without runs.
Blame blame_for(const std::vector<NoisyAllocation>& allocations,
                const std::vector<NoisyAllocation>& collected = {});

}  // namespace pippin
