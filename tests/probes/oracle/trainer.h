// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "probes/common/language.h"
#include "probes/common/setup.h"
#include "probes/device/memory.h"
#include "tests/probes/oracle/block.h"
#include "tests/probes/oracle/optimizer.h"
#include "tests/probes/oracle/parameters.h"

namespace pippin::probes::oracle {

struct StepResult {
  double loss = 0;       ///< mean over every token of the global batch, before the step
  double grad_norm = 0;  ///< before clipping
  bool skipped = false;  ///< the gradient was not finite: nothing was changed
};

/// The reference training step on one rank: plain before it is fast, and proven by differences. T
/// is float, or double for the tests of gradients. All memory is taken when it is made: the peak is
/// then known.
template <typename T>
class Trainer {
 public:
  /// Requires tp = pp = dp = 1. Errors: Error (out of memory).
  Trainer(Memory& memory, const Setup& setup, const OptimizerSettings& optimizer);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Iteration number `iteration`, from 1: loss and gradients of its global batch, then one step.
  StepResult step(std::int64_t iteration);

  /// The mean loss of an iteration's global batch, and nothing else.
  double loss(std::int64_t iteration);
  /// The same and gradients() of it.
  double loss_and_gradients(std::int64_t iteration);

  const std::vector<Parameter>& table() const { return table_; }
  T* values() { return values_.data(); }
  const T* gradients() const { return gradients_.data(); }

 private:
  void read(std::int64_t iteration, std::int64_t micro_batch);
  double forward(bool keep_gradient);
  void backward();
  BlockActivations<T>& activations_of(std::int64_t layer);
  T* input_of(std::int64_t layer) { return inputs_.data() + layer * shape_.rows * shape_.width; }
  EdgeTensors<const T> edges() const { return edge_tensors<const T>(table_, values_.data()); }
  BlockTensors<const T> weights_of(std::int64_t layer) const {
    return block_tensors<const T>(table_, layer, values_.data());
  }

  Setup setup_;
  BlockShape shape_;
  std::vector<Parameter> table_;
  Buffer<T> values_, gradients_;
  Optimizer<T> optimizer_;
  Language language_;
  Buffer<std::int32_t> tokens_, targets_;
  Buffer<T> inputs_;                              ///< of every layer, then of the last norm
  std::vector<BlockActivations<T>> activations_;  ///< of every layer, or of one that recomputes
  BlockScratch<T> scratch_;
  Buffer<T> norm_, norm_mean_, norm_inverse_sd_;  ///< the last norm
  Buffer<T> logits_, flow_;  ///< logits, then their gradient; the gradient on its way back
};

}  // namespace pippin::probes::oracle
