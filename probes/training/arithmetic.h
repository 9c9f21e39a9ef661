#pragma once

#include <cmath>

namespace pippin::probes {

// The scalar arithmetic of the reference, apart from its loops, so that other backends can use the
// very same.

inline constexpr double kNormEpsilon = 1e-5;  ///< Megatron-LM's layernorm_epsilon

/// GELU in the tanh form. Source: Hendrycks and Gimpel 2016, as GPT-2 has it; the scale is √(2/π).
inline constexpr double kGeluScale = 0.7978845608028654, kGeluCube = 0.044715;

template <typename T>
T gelu(T x) {
  return T(0.5) * x * (T(1) + std::tanh(T(kGeluScale) * (x + T(kGeluCube) * x * x * x)));
}

/// The derivative of gelu().
template <typename T>
T gelu_slope(T x) {
  const T tanh = std::tanh(T(kGeluScale) * (x + T(kGeluCube) * x * x * x));
  const T inner_slope = T(kGeluScale) * (T(1) + T(3 * kGeluCube) * x * x);
  return T(0.5) * (T(1) + tanh + x * (T(1) - tanh * tanh) * inner_slope);
}

/// AdamW's constants for one step. Source: Kingma and Ba 2014; Loshchilov and Hutter 2017.
template <typename T>
struct AdamStep {
  T lr, beta1, beta2, epsilon;
  T correction1, correction2;  ///< 1 − betaⁿ at the n-th step
};

/// One parameter's update; moves the moments too.
template <typename T>
void adam_update(const AdamStep<T>& s, T decay, T gradient, T& value, T& moment1, T& moment2) {
  moment1 = s.beta1 * moment1 + (T(1) - s.beta1) * gradient;
  moment2 = s.beta2 * moment2 + (T(1) - s.beta2) * gradient * gradient;
  const T direction = (moment1 / s.correction1) / (std::sqrt(moment2 / s.correction2) + s.epsilon);
  value -= s.lr * (direction + decay * value);
}

}  // namespace pippin::probes
