// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/common/setup.h"

namespace pippin::probes {

/// Where a rank stands. Rank order: TP fastest, then DP, then PP, as Megatron-LM.
struct Place {
  std::int64_t tp = 0, dp = 0, pp = 0;
};

Place place_of(const Setup& setup, std::int64_t rank);
std::int64_t rank_at(const Setup& setup, const Place& place);

/// Errors: Error (bad layout) where the model does not divide: heads, key and value heads or the
/// MLP by TP, the sequence by TP under sequence parallelism, layers by PP; or where the ranks that
/// were launched are not TP × PP × DP.
void check_layout(const Setup& setup, std::int64_t launched);

/// Norms and residuals are split over TP, too.
bool splits_sequence(const Setup& setup);

}  // namespace pippin::probes
