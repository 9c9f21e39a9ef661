// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sweeps/estimate/rate_uncertainty.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What is looked through.
struct SearchSpace {
  Setup
      base;  ///< the model and all that is not searched: framework, type, attention, GPUs per node
  std::int64_t vocab_divisor = 128;  ///< times TP, of which its rows are a multiple; 0: as they are
  bool counts_embedding = false, counts_loss = false;  ///< as a layer of their stage
  bool for_probe = false;  ///< without CP and chunks, which the training probe lacks
  std::int64_t gpus = 0, gbs = 0;
  double usable_bytes = 0;  ///< of a GPU
  Machine machine;
  Rates rates;
  double half_width = 0;  ///< of layouts like those that the rates are of; rate_uncertainty.h
  std::optional<RateUncertainty> uncertainty = {};
};

struct FoundLayout {
  Setup setup;
  double seconds = 0;
  double needed_bytes = 0;
  double half_width = 0;  ///< of the logarithm of measured by predicted, 19 of 20
};

struct SearchResult {
  std::vector<FoundLayout> best;  ///< that fit, the fastest first
  std::int64_t judged = 0, fitting = 0;
  std::int64_t faster = 0;  ///< of those that fit, than the layout that they were compared with
  double least_bytes = 0;   ///< that any of them needs
};

/// All TP within a node, PP, CP, chunks, MBS, recomputation, sequence parallelism, ZeRO-0 and -1,
/// and of a mixture EP and expert TP, that divide the model, the GPUs and the batch.
SearchResult search_layouts(const SearchSpace& space, std::size_t most, double compared_s = 0);

}  // namespace pippin
