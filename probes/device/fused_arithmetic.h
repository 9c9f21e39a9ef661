// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/common/optimizer.h"
#include "probes/device/arithmetic.h"
#include "probes/device/step_state.h"

namespace pippin::probes {

// More of arithmetic.h for kernels that look at each number once.

/// silu() and silu_slope() from one exponential.
struct Silu {
  float value, slope;
};
PROBES_HOST_DEVICE Silu silu_with_slope(float x) {
  const float sigmoid = 1.0F / (1.0F + std::exp(-x));
  return {x * sigmoid, sigmoid * (1.0F + x * (1.0F - sigmoid))};
}

/// eˣ for what is summed with numbers about 1: the error is about 2^-24·|x| of the result.
PROBES_HOST_DEVICE float quick_exponential(float x) {
#ifdef __CUDA_ARCH__
  float power;  // __expf() has more instructions, for results below 2^-126
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * 1.44269504088896F));
  return power;
#else
  return __builtin_expf(x);
#endif
}

/// The largest of numbers and the sum of their exponentials over that of the largest, from one look
/// at each. What is no number makes the sum none. Source: Milakov and Gimelshein 2018.
struct RunningSoftmax {
  float largest, sum;
};

/// Of no numbers. Its largest is float's lowest: infinity less infinity would be no number.
PROBES_HOST_DEVICE RunningSoftmax softmax_of_none() { return {-3.402823466e38F, 0}; }

/// Goes on to another largest, so that sums can be added.
PROBES_HOST_DEVICE void rebase(RunningSoftmax& running, float largest) {
  running.sum *= quick_exponential(running.largest - largest);
  running.largest = largest;
}

PROBES_HOST_DEVICE RunningSoftmax together(RunningSoftmax a, RunningSoftmax b) {
  const float largest = a.largest < b.largest ? b.largest : a.largest;
  rebase(a, largest);
  rebase(b, largest);
  a.sum += b.sum;
  return a;
}

/// log Σ exp of the numbers; -infinity of none.
PROBES_HOST_DEVICE float log_sum(const RunningSoftmax& running) {
  return running.largest + std::log(running.sum);
}

/// What AdamW needs to know for one step, made once from what is known of all gradients.
struct AdamFactors {
  AdamStep<float> step;
  float decay;     ///< of what decays
  float gradient;  ///< from a gradient as it stands to that which is taken
  bool is_made;    ///< false: the gradient overflowed, nothing moves
};

PROBES_HOST_DEVICE AdamFactors adam_factors(const OptimizerSettings& s, const StepState& state) {
  AdamFactors factors{};
  factors.is_made = state.is_finite();
  factors.step = adam_step<float>(s, state.steps);
  factors.decay = static_cast<float>(s.weight_decay);
  factors.gradient = static_cast<float>(gradient_factor(state, s.clip_grad));
  return factors;
}

}  // namespace pippin::probes
