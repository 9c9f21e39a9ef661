#pragma once

namespace pippin::probes {

struct OptimizerSettings {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< Megatron-LM's defaults
  double weight_decay = 0.01;                                 ///< of matrices only
  double clip_grad = 1.0;  ///< largest norm of the gradient; 0: no clipping
};

}  // namespace pippin::probes
