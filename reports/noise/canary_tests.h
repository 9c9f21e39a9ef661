// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/noise/allocations.h"
#include "reports/noise/blame_test.h"

namespace pippin {

/// What canaries, collected tables and the runs' own logs say of nodes and links beside their like:
/// the bandwidths of pairs, whose product is slow, who computes longest.
void add_canary_tests(BlameTests& tests, const std::vector<NoisyAllocation>& allocations,
                      const std::vector<NoisyAllocation>& collected);

}  // namespace pippin
