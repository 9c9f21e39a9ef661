// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pippin::probes::oracle {

// The arithmetic of one layer each, forward and backward. Matrices are row-major, one token a row.
// What a gradient is "added to" accumulates over micro-batches; everything else is overwritten.

/// What a layer norm keeps for its backward pass: one number per row.
template <typename T>
struct NormState {
  T* mean;
  T* inverse_sd;
};

/// y = (x − mean)/sd·gain + bias, row by row, sd² = variance + kNormEpsilon. Without a bias it is
/// the RMS norm: the mean counts as 0.
template <typename T>
void norm_forward(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
                  NormState<T> state, T* y);

/// Adds to dx, dgain, dbias (null for the RMS norm).
template <typename T>
void norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                   NormState<T> state, const T* dy, T* dx, T* dgain, T* dbias);

/// y = x·wᵀ + bias, which may be null. Shape: x rows × in, w out × in.
template <typename T>
void linear_forward(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                    const T* bias, T* y);

/// dx = dy·w; adds to dw, dbias.
template <typename T>
void linear_backward(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                     const T* dy, T* dx, T* dw, T* dbias);

/// y = gelu(x).
template <typename T>
void gelu_forward(std::int64_t count, const T* x, T* y);

/// dy becomes dx.
template <typename T>
void gelu_backward(std::int64_t count, const T* x, T* dy);

/// y = silu(gate)·up. Shape: x rows × (gate, up) × width.
template <typename T>
void swiglu_forward(std::int64_t rows, std::int64_t width, const T* x, T* y);

/// dx from dy.
template <typename T>
void swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy, T* dx);

/// y += x.
template <typename T>
void add(std::int64_t count, const T* x, T* y);

/// x = token row + position row (positions may be null). Shape: tokens batch × seq.
template <typename T>
void embed_forward(std::int64_t batch, std::int64_t seq, std::int64_t width,
                   const std::int32_t* tokens, const T* token_rows, const T* position_rows, T* x);

/// Adds to both gradients.
template <typename T>
void embed_backward(std::int64_t batch, std::int64_t seq, std::int64_t width,
                    const std::int32_t* tokens, const T* dx, T* dtoken_rows, T* dposition_rows);

/// The sum over rows of −log softmax(logits)[target] over the `known` first columns; the others are
/// padding. The logits become gradient_scale·d(sum).
template <typename T>
double cross_entropy(std::int64_t rows, std::int64_t width, std::int64_t known,
                     const std::int32_t* targets, T gradient_scale, T* logits);

}  // namespace pippin::probes::oracle
