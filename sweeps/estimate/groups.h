// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// The dimensions that ranks talk along.
enum class Dimension {
  kTensor,
  kContext,
  kData,
  kPipeline,
  kReplicas,      ///< DP and CP together: ranks that hold the same weights
  kExperts,       ///< EP: ranks that share a layer's experts
  kExpertTensor,  ///< ranks that split each expert
  kAllExperts,    ///< both: ranks that together hold all experts of a layer
  kExpertData,    ///< ranks that hold the same experts
};

using Ranks = std::vector<std::int64_t>;

/// Ranks that talk with each other in that dimension, a group after the other. Ranks count TP
/// fastest, then CP, DP, PP, or PP before DP; those of experts expert TP, then EP, over the same
/// ranks. Source: Megatron-LM, parallel_state.py, order "tp-cp-ep-dp-pp" or "tp-cp-ep-pp-dp".
std::vector<Ranks> groups_of(const Setup& setup, Dimension dimension);

/// On how many nodes the ranks of one group are, at most.
std::int64_t nodes_of_group(const Setup& setup, Dimension dimension);

/// "n1_g6": of a rank its node, and its GPU there.
std::string place_of(const Setup& setup, std::int64_t rank);

}  // namespace pippin
