// SPDX-License-Identifier: Apache-2.0
// The loops of kernels.h. Compiled once for each level of instructions, with PROBES_LEVEL as the
// name: nothing here may call inline functions of a library, whose copies the linker would share
// between levels.
#include <cstdint>

#include "probes/device/kernels.h"

#define PROBES_GLUE_(a, b) a##b
#define PROBES_GLUE(a, b) PROBES_GLUE_(a, b)
#define PROBES_TABLE PROBES_GLUE(kernels_, PROBES_LEVEL)

namespace pippin::probes {

namespace {

double exponential(double x) { return __builtin_exp(x); }

/// eˣ to about one unit in the last place, in operations that vectorise: 2ⁿ times a polynomial in
/// the rest, |rest| ≤ ln(2)/2. Instead of 0 and infinity it ends at the smallest and the largest
/// normal number; what is no number stays none. Source of the coefficients: Cephes, expf.
float exponential(float x) {
  constexpr float kLog2E = 1.44269504088896341f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kLow = -87.33654f, kHigh = 88.72283f;
  const float above = x < kLow ? kLow : x;
  const float within = above > kHigh ? kHigh : above;
  const float exponent = within == within ? within * kLog2E : 0;  // no integer is not a number
  const auto power = static_cast<std::int32_t>(exponent + (exponent < 0 ? -0.5f : 0.5f));
  const auto whole = static_cast<float>(power);
  const float rest = within - whole * kLn2High - whole * kLn2Low;
  float y = 1.9875691500e-4f;
  y = y * rest + 1.3981999507e-3f;
  y = y * rest + 8.3334519073e-3f;
  y = y * rest + 4.1665795894e-2f;
  y = y * rest + 1.6666665459e-1f;
  y = y * rest + 5.0000001201e-1f;
  y = y * rest * rest + rest + 1.0f;
  // The power may be 128: two factors of half of it each stay within range.
  const std::int32_t half = power >> 1, other = power - half;
  const auto first = __builtin_bit_cast(float, (half + 127) << 23);
  const auto second = __builtin_bit_cast(float, (other + 127) << 23);
  return y * first * second;
}

/// 1 / (1 + e⁻ˣ)
template <typename T>
T sigmoid(T x) {
  return T(1) / (T(1) + exponential(-x));
}

// gelu() and gelu_slope() of arithmetic.h with tanh(u) = 2·sigmoid(2u) − 1.
template <typename T>
T fast_gelu(T x) {
  return x * sigmoid(T(2 * kGeluScale) * (x + T(kGeluCube) * x * x * x));
}

template <typename T>
T fast_gelu_slope(T x) {
  const T s = sigmoid(T(2 * kGeluScale) * (x + T(kGeluCube) * x * x * x));
  return s + x * s * (T(1) - s) * T(2 * kGeluScale) * (T(1) + T(3 * kGeluCube) * x * x);
}

template <typename T>
void add_bias(std::int64_t rows, std::int64_t width, const T* bias, T* y) {
  for (std::int64_t r = 0; r < rows; ++r, y += width)
    for (std::int64_t i = 0; i < width; ++i) y[i] += bias[i];
}

template <typename T>
void bias_gelu(std::int64_t rows, std::int64_t width, const T* bias, T* __restrict before,
               T* __restrict y) {
  for (std::int64_t r = 0; r < rows; ++r, before += width, y += width)
    for (std::int64_t i = 0; i < width; ++i) {
      before[i] += bias[i];
      y[i] = fast_gelu(before[i]);
    }
}

template <typename T>
void gelu_backward(std::int64_t count, const T* __restrict x, T* __restrict dy) {
  for (std::int64_t i = 0; i < count; ++i) dy[i] *= fast_gelu_slope(x[i]);
}

template <typename T>
void swiglu(std::int64_t rows, std::int64_t width, const T* __restrict before, T* __restrict y) {
  for (std::int64_t r = 0; r < rows; ++r, before += 2 * width, y += width)
    for (std::int64_t i = 0; i < width; ++i)
      y[i] = before[i] * sigmoid(before[i]) * before[width + i];
}

template <typename T>
void swiglu_backward(std::int64_t rows, std::int64_t width, const T* __restrict x,
                     const T* __restrict dy, T* __restrict dx) {
  for (std::int64_t r = 0; r < rows; ++r, x += 2 * width, dx += 2 * width, dy += width)
    for (std::int64_t i = 0; i < width; ++i) {
      const T s = sigmoid(x[i]);
      dx[i] = dy[i] * x[width + i] * s * (T(1) + x[i] * (T(1) - s));
      dx[width + i] = dy[i] * x[i] * s;
    }
}

template <typename T>
void add_residual(std::int64_t rows, std::int64_t width, const T* __restrict x,
                  const T* __restrict bias, T* __restrict y) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, y += width) {
    if (bias)
      for (std::int64_t i = 0; i < width; ++i) y[i] += x[i] + bias[i];
    else
      for (std::int64_t i = 0; i < width; ++i) y[i] += x[i];
  }
}

template <typename T>
void add_rows(std::int64_t rows, std::int64_t width, std::int64_t begin, std::int64_t end,
              const T* __restrict x, T* __restrict sums) {
  for (std::int64_t r = 0; r < rows; ++r, x += width)
    for (std::int64_t i = begin; i < end; ++i) sums[i] += x[i];
}

template <typename T>
void norm(std::int64_t rows, std::int64_t width, const T* __restrict x, const T* __restrict gain,
          const T* __restrict bias, NormState<T> state, T* __restrict y) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, y += width) {
    T mean = 0, squares = 0;
    if (bias) {
#pragma omp simd reduction(+ : mean)
      for (std::int64_t i = 0; i < width; ++i) mean += x[i];
      mean /= static_cast<T>(width);
    }
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const T inverse_sd =
        T(1) / square_root(squares / static_cast<T>(width) + static_cast<T>(kNormEpsilon));
    if (bias)
      for (std::int64_t i = 0; i < width; ++i)
        y[i] = (x[i] - mean) * inverse_sd * gain[i] + bias[i];
    else
      for (std::int64_t i = 0; i < width; ++i) y[i] = x[i] * inverse_sd * gain[i];
    state.mean[r] = mean;
    state.inverse_sd[r] = inverse_sd;
  }
}

/// With n = (x − mean)/sd and g = dy·gain: dx = (g − mean(g) − n·mean(g·n))/sd, where mean(g)
/// belongs to a norm that is centred.
template <typename T>
void norm_to_input(std::int64_t rows, std::int64_t width, const T* __restrict x,
                   const T* __restrict gain, bool centred, NormState<T> state,
                   const T* __restrict dy, T* __restrict dx) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const T mean = state.mean[r], inverse_sd = state.inverse_sd[r];
    T sum_g = 0, sum_gn = 0;
#pragma omp simd reduction(+ : sum_g, sum_gn)
    for (std::int64_t i = 0; i < width; ++i) {
      const T g = dy[i] * gain[i];
      sum_g += g;
      sum_gn += g * (x[i] - mean);
    }
    const T mean_g = centred ? sum_g / static_cast<T>(width) : T(0);
    const T slope = sum_gn * inverse_sd * inverse_sd / static_cast<T>(width);
    for (std::int64_t i = 0; i < width; ++i)
      dx[i] += (dy[i] * gain[i] - mean_g - (x[i] - mean) * slope) * inverse_sd;
  }
}

template <typename T>
void norm_to_weight(std::int64_t rows, std::int64_t width, std::int64_t begin, std::int64_t end,
                    const T* __restrict x, NormState<T> state, const T* __restrict dy,
                    T* __restrict dgain, T* __restrict dbias) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, dy += width) {
    const T mean = state.mean[r], inverse_sd = state.inverse_sd[r];
    for (std::int64_t i = begin; i < end; ++i) dgain[i] += dy[i] * (x[i] - mean) * inverse_sd;
    if (dbias)
      for (std::int64_t i = begin; i < end; ++i) dbias[i] += dy[i];
  }
}

template <typename T>
T largest_of(std::int64_t count, const T* x) {
  T largest = -static_cast<T>(__builtin_inf());
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

/// x becomes exp(x − largest); returns the sum.
template <typename T>
T exponentials_of(std::int64_t count, T largest, T* x) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    x[i] = exponential(x[i] - largest);
    sum += x[i];
  }
  return sum;
}

template <typename T>
void softmax(std::int64_t rows, std::int64_t first, std::int64_t columns, std::int64_t step,
             T* scores) {
  for (std::int64_t r = 0; r < rows; ++r, scores += step) {
    const std::int64_t seen = first + r + 1;
    const T sum = exponentials_of(seen, largest_of(seen, scores), scores);
    for (std::int64_t i = 0; i < seen; ++i) scores[i] *= T(1) / sum;
    for (std::int64_t i = seen; i < columns; ++i) scores[i] = 0;
  }
}

template <typename T>
void softmax_backward(std::int64_t rows, std::int64_t first, std::int64_t columns,
                      std::int64_t p_step, T scale, const T* __restrict p, T* __restrict dp) {
  for (std::int64_t r = 0; r < rows; ++r, p += p_step, dp += columns) {
    const std::int64_t seen = first + r + 1;
    T dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t i = 0; i < seen; ++i) dot += p[i] * dp[i];
    for (std::int64_t i = 0; i < seen; ++i) dp[i] = scale * p[i] * (dp[i] - dot);
    for (std::int64_t i = seen; i < columns; ++i) dp[i] = 0;
  }
}

template <typename T>
void largest(std::int64_t rows, const VocabPart& part, const T* logits, T* largest) {
  for (std::int64_t r = 0; r < rows; ++r)
    largest[r] = largest_of(part.known, logits + r * part.rows);
}

template <typename T>
void exponentials(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                  const T* largest, T* logits, T* sums, T* targets_logit) {
  for (std::int64_t r = 0; r < rows; ++r, logits += part.rows) {
    const std::int64_t target = targets[r] - part.first;
    const bool ours = target >= 0 && target < part.known;
    targets_logit[r] = ours ? logits[target] - largest[r] : T(0);
    sums[r] = exponentials_of(part.known, largest[r], logits);
  }
}

template <typename T>
void loss_gradient(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                   const T* sums, T scale, T* logits) {
  for (std::int64_t r = 0; r < rows; ++r, logits += part.rows) {
    const T factor = scale / sums[r];
    for (std::int64_t i = 0; i < part.known; ++i) logits[i] *= factor;
    for (std::int64_t i = part.known; i < part.rows; ++i) logits[i] = 0;
    const std::int64_t target = targets[r] - part.first;
    if (target >= 0 && target < part.known) logits[target] -= scale;
  }
}

template <typename T>
double squares(std::int64_t count, const T* x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

template <typename T>
void adam(const AdamStep<T>& step, T decay, T factor, std::int64_t count,
          const T* __restrict gradients, T* __restrict values, T* __restrict moments1,
          T* __restrict moments2) {
  const AdamStep<T> s = step;
  for (std::int64_t i = 0; i < count; ++i)
    adam_update(s, decay, gradients[i] * factor, values[i], moments1[i], moments2[i]);
}

template <typename T>
constexpr Kernels<T> table() {
  return {add_bias<T>,
          bias_gelu<T>,
          gelu_backward<T>,
          swiglu<T>,
          swiglu_backward<T>,
          add_residual<T>,
          add_rows<T>,
          norm<T>,
          norm_to_input<T>,
          norm_to_weight<T>,
          softmax<T>,
          softmax_backward<T>,
          largest<T>,
          exponentials<T>,
          loss_gradient<T>,
          squares<T>,
          adam<T>};
}

}  // namespace

extern const Kernels<float> PROBES_GLUE(PROBES_TABLE, _float);
extern const Kernels<double> PROBES_GLUE(PROBES_TABLE, _double);
const Kernels<float> PROBES_GLUE(PROBES_TABLE, _float) = table<float>();
const Kernels<double> PROBES_GLUE(PROBES_TABLE, _double) = table<double>();

}  // namespace pippin::probes
