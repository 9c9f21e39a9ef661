// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "probes/common/host_device.h"
#include "probes/common/optimizer.h"

namespace pippin::probes {

// The scalar arithmetic of the training step, apart from its loops: the reference, the CPU and a
// GPU compile the very same.

inline constexpr double kNormEpsilon = 1e-5;  ///< Megatron-LM's layernorm_epsilon
inline constexpr double kRotaryBase = 10000;  ///< Su et al. 2021; Megatron-LM's rotary_base

#ifdef __CUDACC__
PROBES_HOST_DEVICE float square_root(float x) { return ::sqrtf(x); }
PROBES_HOST_DEVICE double square_root(double x) { return ::sqrt(x); }
#else
PROBES_HOST_DEVICE float square_root(float x) { return __builtin_sqrtf(x); }
PROBES_HOST_DEVICE double square_root(double x) { return __builtin_sqrt(x); }
#endif

/// GELU in the tanh form. Source: Hendrycks and Gimpel 2016, as GPT-2 has it; the scale is √(2/π).
inline constexpr double kGeluScale = 0.7978845608028654, kGeluCube = 0.044715;

template <typename T>
PROBES_HOST_DEVICE T gelu(T x) {
  return T(0.5) * x * (T(1) + std::tanh(T(kGeluScale) * (x + T(kGeluCube) * x * x * x)));
}

/// The derivative of gelu().
template <typename T>
PROBES_HOST_DEVICE T gelu_slope(T x) {
  const T tanh = std::tanh(T(kGeluScale) * (x + T(kGeluCube) * x * x * x));
  const T inner_slope = T(kGeluScale) * (T(1) + T(3 * kGeluCube) * x * x);
  return T(0.5) * (T(1) + tanh + x * (T(1) - tanh * tanh) * inner_slope);
}

/// Source: Shazeer 2020: SwiGLU is silu(gate)·up.
template <typename T>
PROBES_HOST_DEVICE T silu(T x) {
  return x / (T(1) + std::exp(-x));
}

template <typename T>
PROBES_HOST_DEVICE T silu_slope(T x) {
  const T sigmoid = T(1) / (T(1) + std::exp(-x));
  return sigmoid * (T(1) + x * (T(1) - sigmoid));
}

/// The angle by which pair `pair` of a head of `head_width` turns from one position to the next.
/// Pair i is (xᵢ, xᵢ₊d/₂), as Llama has it.
PROBES_HOST_DEVICE double rotary_frequency(long pair, long head_width) {
  return std::pow(kRotaryBase, -2.0 * static_cast<double>(pair) / static_cast<double>(head_width));
}

/// The factor that brings a gradient of that norm within the clip; 0 is no clip.
/// Source: Megatron-LM, megatron/optimizer/clip_grads.py.
PROBES_HOST_DEVICE double clip_factor(double norm, double clip_grad) {
  const double factor = clip_grad / (norm + 1e-6);
  return clip_grad > 0 && factor < 1 ? factor : 1.0;
}

/// AdamW's constants for one step. Source: Kingma and Ba 2014; Loshchilov and Hutter 2017.
template <typename T>
struct AdamStep {
  T lr, beta1, beta2, epsilon;
  T correction1, correction2;  ///< 1 − betaⁿ at the n-th step
};

/// The constants of step number `step`, from 1.
template <typename T>
PROBES_HOST_DEVICE AdamStep<T> adam_step(const OptimizerSettings& settings, double step) {
  return {T(settings.lr),
          T(settings.beta1),
          T(settings.beta2),
          T(settings.epsilon),
          T(1 - std::pow(settings.beta1, step)),
          T(1 - std::pow(settings.beta2, step))};
}

/// One parameter's update; moves the moments too.
template <typename T>
PROBES_HOST_DEVICE void adam_update(const AdamStep<T>& s, T decay, T gradient, T& value, T& moment1,
                                    T& moment2) {
  moment1 = s.beta1 * moment1 + (T(1) - s.beta1) * gradient;
  moment2 = s.beta2 * moment2 + (T(1) - s.beta2) * gradient * gradient;
  const T direction =
      (moment1 / s.correction1) / (square_root(moment2 / s.correction2) + s.epsilon);
  value -= s.lr * (direction + decay * value);
}

}  // namespace pippin::probes
