// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "probes/common/language.h"
#include "probes/training/stage.h"
#include "probes/training/update.h"

namespace pippin::probes {

struct StepResult {
  /// This rank's share of the mean loss over the tokens of the global batch, before the step: over
  /// all ranks they add up to it.
  double loss_share = 0;
  StepOutcome outcome;
};

/// One rank of the training step: the micro-batches through the stages by 1F1B, then the update.
/// Source of the schedule: Narayanan et al., SC21, section 2.2. All memory is taken when it is
/// made.
template <typename T>
class Trainer {
 public:
  /// `device` and `groups` must outlive it. Requires check_layout(). Errors: Error (out of memory).
  Trainer(Device<T>& device, const Setup& setup, const OptimizerSettings& optimizer,
          const LossScaling& scaling, Groups& groups);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Before the first step: draws the weights.
  void begin();
  /// Iteration number `iteration`, from 1.
  StepResult step(std::int64_t iteration);

  const ShardTable& table() const { return table_; }
  // For the tests: this rank's flat arrays, in the device's memory. gather_gradients() first makes
  // the summed gradients whole where ZeRO-1 scattered them; every rank must call it.
  const T* values() const { return values_.data(); }
  const Wide<T>* gradients() const { return gradients_.data(); }
  void gather_gradients() { update_.gather_gradients(); }

 private:
  void forward(std::int64_t iteration, std::int64_t micro_batch);
  void backward(std::int64_t micro_batch);
  std::int64_t slot_of(std::int64_t micro_batch) const { return micro_batch % stage_.slots(); }

  // What the stages tell each other; nothing at the ends of the pipeline. Each returns when both
  // messages are there.
  void receive_forward(std::int64_t micro_batch);
  void send_forward();
  void receive_backward();
  void send_backward();
  void send_forward_receive_backward();
  void send_backward_receive_forward(std::int64_t micro_batch);
  Channel::Started start_send(bool forward);
  Channel::Started start_receive_forward(std::int64_t micro_batch);
  Channel::Started start_receive_backward();

  Setup setup_;
  Device<T>& device_;
  Groups& groups_;
  ShardTable table_;
  Buffer<T> values_;
  Buffer<Wide<T>> gradients_;
  Buffer<StepState> state_;
  Stage<T> stage_;
  Update<T> update_;
  Language language_;
  std::vector<std::int32_t> tokens_, targets_;  ///< host
};

}  // namespace pippin::probes
