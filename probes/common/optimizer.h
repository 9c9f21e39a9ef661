// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pippin::probes {

struct OptimizerSettings {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< Megatron-LM's defaults
  double weight_decay = 0.01;                                 ///< of matrices only
  double clip_grad = 1.0;  ///< largest norm of the gradient; 0: no clipping
};

/// What losses are multiplied by so that fp16 can hold their gradients: halved after gradients that
/// overflow, doubled after `window` that do not. Megatron-LM's defaults for fp16.
struct LossScaling {
  double initial = 1, smallest = 1;
  std::int64_t window = 0;  ///< 0: the scale stays what it is
  std::int64_t hysteresis = 2;
};

}  // namespace pippin::probes
