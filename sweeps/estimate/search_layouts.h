// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What is looked through.
struct SearchSpace {
  Setup
      base;  ///< the model and all that is not searched: framework, type, attention, GPUs per node
  std::int64_t gpus = 0, gbs = 0;
  double usable_bytes = 0;  ///< of a GPU
  Machine machine;
  Rates rates;
  double half_width = 0;  ///< of the logarithm of measured by predicted, 19 of 20
};

struct FoundLayout {
  Setup setup;
  double seconds = 0;
  double needed_bytes = 0;
};

struct SearchResult {
  std::vector<FoundLayout> best;  ///< that fit, the fastest first
  std::int64_t judged = 0, fitting = 0;
  double least_bytes = 0;  ///< that any of them needs
};

/// All TP within a node and PP, chunks, MBS, recomputation, sequence parallelism and ZeRO-0 and -1
/// that divide the model, the GPUs and the batch.
SearchResult search_layouts(const SearchSpace& space, std::size_t most);

}  // namespace pippin
