// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sweeps/draft.h"

namespace pippin {

/// One thing to work out for each point.
struct Step {
  enum class Kind {
    kDerive,  ///< Draft::derive[formula]
    kLayout,  ///< dp, gpus, nodes, gpus_per_node
    kBatch,   ///< gbs
    kModel,   ///< ffn, padded_vocab, params
  };
  Kind kind = Kind::kDerive;
  std::size_t formula = 0;
};

/// All steps, each after those whose results it needs.
/// Errors: Error (bad input) where a derived value needs itself.
std::vector<Step> evaluation_order(const Draft& draft);

}  // namespace pippin
