#pragma once

#include <string>
#include <vector>

#include "reports/noise/allocations.h"
#include "reports/noise/noise.h"

namespace pippin {

/// Whom the noise is blamed on.
struct Blame {
  std::vector<Suspect> suspects;  ///< the surest first
  std::string none_because;       ///< where there are none: why, and what would have been seen
};

/// Nodes, links and groups of nodes that make their allocations slower than others.
/// Shape: what is looked at, each as far as it was measured: who was there when it was slow (also
/// given the network's canary, and of the canaries themselves), the bandwidths of pairs, and whose
/// product was slowest. All tests together are adjusted after Benjamini and Hochberg at 5 %.
/// A difference of pairs or products must be above 5 %: machines are never quite equal.
Blame blame_for(const std::vector<NoisyAllocation>& allocations);

}  // namespace pippin
