// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/common/optimizer.h"
#include "probes/device/arithmetic.h"

namespace pippin::probes {

/// What a step of the optimizer needs to know of all gradients; on the device, so that nothing
/// waits for the host.
struct StepState {
  double squares = 0;         ///< the sum of the squares of the gradients, which are scaled
  double steps = 0;           ///< steps that were made: those with a finite gradient
  double loss_scale = 1;      ///< of the gradients at hand
  double next_scale = 1;      ///< of the next step's
  std::int64_t finite = 0;    ///< finite gradients in a row since the scale changed
  std::int64_t patience = 0;  ///< gradients that may still overflow before the scale falls

  PROBES_HOST_DEVICE bool is_finite() const { return squares - squares == 0; }
  /// The gradient's norm, without its scale.
  PROBES_HOST_DEVICE double norm() const { return square_root(squares) / loss_scale; }
};

inline StepState first_state(const LossScaling& scaling) {
  StepState state;
  state.loss_scale = state.next_scale = scaling.initial;
  state.patience = scaling.hysteresis;
  return state;
}

/// Forgets the squares; the scale is the one that the last step chose.
PROBES_HOST_DEVICE void begin_iteration(StepState& state) {
  state.squares = 0;
  state.loss_scale = state.next_scale;
}

/// Counts the step if the gradient is finite, and chooses the next one's scale.
/// Source: Megatron-LM, megatron/core/optimizer/grad_scaler.py, DynamicGradScaler.
PROBES_HOST_DEVICE void begin_step(const LossScaling& scaling, StepState& state) {
  if (state.is_finite()) {
    state.steps += 1;
    state.finite += 1;
    if (scaling.window == 0 || state.finite < scaling.window) return;
    state.finite = 0;
    state.patience = scaling.hysteresis;
    state.next_scale = 2 * state.loss_scale;
  } else {
    state.finite = 0;
    state.patience -= 1;
    if (scaling.window == 0 || state.patience > 0) return;
    const double half = state.loss_scale / 2;
    state.next_scale = half > scaling.smallest ? half : scaling.smallest;
  }
}

/// The factor from a gradient as it stands, scaled, to that which the optimizer takes.
PROBES_HOST_DEVICE double gradient_factor(const StepState& state, double clip_grad) {
  return clip_factor(state.norm(), clip_grad) / state.loss_scale;
}

}  // namespace pippin::probes
