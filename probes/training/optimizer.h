#pragma once

#include <cstdint>
#include <vector>

#include "probes/training/memory.h"
#include "probes/training/parameters.h"

namespace pippin::probes {

struct OptimizerSettings {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< Megatron-LM's defaults
  double weight_decay = 0.01;                                 ///< of matrices only
  double clip_grad = 1.0;  ///< largest norm of the gradient; 0: no clipping
};

/// The 2-norm over all gradients.
template <typename T>
double gradient_norm(std::int64_t count, const T* gradients);

/// The factor that brings a gradient of that norm within the clip.
/// Source: Megatron-LM, megatron/optimizer/clip_grads.py.
double clip_factor(double norm, double clip_grad);

/// AdamW and its moments.
template <typename T>
class Optimizer {
 public:
  Optimizer(Memory& memory, const std::vector<Parameter>& table, const OptimizerSettings& settings);

  const OptimizerSettings& settings() const { return settings_; }

  /// One step with `gradients` times `factor`.
  void step(const T* gradients, T factor, T* values);

 private:
  const std::vector<Parameter>& table_;
  OptimizerSettings settings_;
  Buffer<T> moment1_, moment2_;
  std::int64_t steps_ = 0;
};

}  // namespace pippin::probes
