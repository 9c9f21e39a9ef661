// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/layers.h"

#include <algorithm>
#include <cmath>

#include "probes/device/arithmetic.h"
#include "probes/device/matmul.h"

namespace pippin::probes::oracle {

namespace {

template <typename T>
T mean_of(std::int64_t width, const T* x) {
  T sum = 0;
  for (std::int64_t i = 0; i < width; ++i) sum += x[i];
  return sum / static_cast<T>(width);
}

template <typename T>
T variance_of(std::int64_t width, const T* x, T mean) {
  T sum = 0;
  for (std::int64_t i = 0; i < width; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum / static_cast<T>(width);
}

template <typename T>
void add_column_sums(std::int64_t rows, std::int64_t width, const T* x, T* sums) {
  for (std::int64_t r = 0; r < rows; ++r) add(width, x + r * width, sums);
}

}  // namespace

template <typename T>
void norm_forward(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
                  NormState<T> state, T* y) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, y += width) {
    const T mean = bias ? mean_of(width, x) : T(0);
    const T inverse_sd = T(1) / std::sqrt(variance_of(width, x, mean) + T(kNormEpsilon));
    for (std::int64_t i = 0; i < width; ++i)
      y[i] = (x[i] - mean) * inverse_sd * gain[i] + (bias ? bias[i] : T(0));
    state.mean[r] = mean;
    state.inverse_sd[r] = inverse_sd;
  }
}

template <typename T>
void norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                   NormState<T> state, const T* dy, T* dx, T* dgain, T* dbias) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const T mean = state.mean[r], inverse_sd = state.inverse_sd[r];
    // With n = (x − mean)/sd and g = dy·gain: dx = (g − mean(g) − n·mean(g·n))/sd.
    T sum_g = 0, sum_gn = 0;
    for (std::int64_t i = 0; i < width; ++i) {
      const T n = (x[i] - mean) * inverse_sd;
      dgain[i] += dy[i] * n;
      if (dbias) dbias[i] += dy[i];
      sum_g += dy[i] * gain[i];
      sum_gn += dy[i] * gain[i] * n;
    }
    const T mean_g = dbias ? sum_g / static_cast<T>(width) : T(0),
            mean_gn = sum_gn / static_cast<T>(width);
    for (std::int64_t i = 0; i < width; ++i) {
      const T n = (x[i] - mean) * inverse_sd;
      dx[i] += (dy[i] * gain[i] - mean_g - n * mean_gn) * inverse_sd;
    }
  }
}

template <typename T>
void linear_forward(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                    const T* bias, T* y) {
  for (std::int64_t r = 0; bias && r < rows; ++r) std::copy(bias, bias + out, y + r * out);
  matmul<T>(rows, out, in, 1, {x, in}, {w, in, As::kTransposed}, bias ? 1 : 0, y, out);
}

template <typename T>
void linear_backward(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                     const T* dy, T* dx, T* dw, T* dbias) {
  matmul<T>(rows, in, out, 1, {dy, out}, {w, in}, 0, dx, in);
  matmul<T>(out, in, rows, 1, {dy, out, As::kTransposed}, {x, in}, 1, dw, in);
  if (dbias) add_column_sums(rows, out, dy, dbias);
}

template <typename T>
void gelu_forward(std::int64_t count, const T* x, T* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = gelu(x[i]);
}

template <typename T>
void gelu_backward(std::int64_t count, const T* x, T* dy) {
  for (std::int64_t i = 0; i < count; ++i) dy[i] *= gelu_slope(x[i]);
}

template <typename T>
void swiglu_forward(std::int64_t rows, std::int64_t width, const T* x, T* y) {
  for (std::int64_t r = 0; r < rows; ++r, x += 2 * width, y += width)
    for (std::int64_t i = 0; i < width; ++i) y[i] = silu(x[i]) * x[width + i];
}

template <typename T>
void swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy, T* dx) {
  for (std::int64_t r = 0; r < rows; ++r, x += 2 * width, dx += 2 * width, dy += width)
    for (std::int64_t i = 0; i < width; ++i) {
      dx[i] = dy[i] * x[width + i] * silu_slope(x[i]);
      dx[width + i] = dy[i] * silu(x[i]);
    }
}

template <typename T>
void add(std::int64_t count, const T* x, T* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += x[i];
}

template <typename T>
void embed_forward(std::int64_t batch, std::int64_t seq, std::int64_t width,
                   const std::int32_t* tokens, const T* token_rows, const T* position_rows, T* x) {
  for (std::int64_t r = 0; r < batch * seq; ++r) {
    const T* token = token_rows + tokens[r] * width;
    std::copy(token, token + width, x + r * width);
    if (position_rows) add(width, position_rows + (r % seq) * width, x + r * width);
  }
}

template <typename T>
void embed_backward(std::int64_t batch, std::int64_t seq, std::int64_t width,
                    const std::int32_t* tokens, const T* dx, T* dtoken_rows, T* dposition_rows) {
  for (std::int64_t r = 0; r < batch * seq; ++r) {
    add(width, dx + r * width, dtoken_rows + tokens[r] * width);
    if (dposition_rows) add(width, dx + r * width, dposition_rows + (r % seq) * width);
  }
}

template <typename T>
double cross_entropy(std::int64_t rows, std::int64_t width, std::int64_t known,
                     const std::int32_t* targets, T gradient_scale, T* logits) {
  double loss = 0;
  for (std::int64_t r = 0; r < rows; ++r, logits += width) {
    // The largest logit goes first, so that no exponential overflows.
    const T largest = *std::max_element(logits, logits + known);
    const T target = logits[targets[r]] - largest;
    T sum = 0;
    for (std::int64_t i = 0; i < known; ++i) {
      logits[i] = std::exp(logits[i] - largest);
      sum += logits[i];
    }
    loss += static_cast<double>(std::log(sum) - target);
    const T scale = gradient_scale / sum;
    for (std::int64_t i = 0; i < known; ++i) logits[i] *= scale;
    std::fill(logits + known, logits + width, T(0));
    logits[targets[r]] -= gradient_scale;
  }
  return loss;
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define PROBES_LAYERS(T)                                                                          \
  template void norm_forward(std::int64_t, std::int64_t, const T*, const T*, const T*,            \
                             NormState<T>, T*);                                                   \
  template void norm_backward(std::int64_t, std::int64_t, const T*, const T*, NormState<T>,       \
                              const T*, T*, T*, T*);                                              \
  template void linear_forward(std::int64_t, std::int64_t, std::int64_t, const T*, const T*,      \
                               const T*, T*);                                                     \
  template void linear_backward(std::int64_t, std::int64_t, std::int64_t, const T*, const T*,     \
                                const T*, T*, T*, T*);                                            \
  template void gelu_forward(std::int64_t, const T*, T*);                                         \
  template void gelu_backward(std::int64_t, const T*, T*);                                        \
  template void swiglu_forward(std::int64_t, std::int64_t, const T*, T*);                         \
  template void swiglu_backward(std::int64_t, std::int64_t, const T*, const T*, T*);              \
  template void add(std::int64_t, const T*, T*);                                                  \
  template void embed_forward(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*,      \
                              const T*, const T*, T*);                                            \
  template void embed_backward(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*,     \
                               const T*, T*, T*);                                                 \
  template double cross_entropy(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, T, \
                                T*);
PROBES_LAYERS(float)
PROBES_LAYERS(double)
#undef PROBES_LAYERS
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pippin::probes::oracle
