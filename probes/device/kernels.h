// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/device.h"

namespace pippin::probes {

/// The CPU's loops over some rows or elements, compiled once for each level of instructions;
/// single-threaded, so that a caller may share the rows out.
template <typename T>
struct Kernels {
  void (*add_bias)(std::int64_t rows, std::int64_t width, const T* bias, T* y);
  void (*bias_gelu)(std::int64_t rows, std::int64_t width, const T* bias, T* before, T* y);
  void (*gelu_backward)(std::int64_t count, const T* x, T* dy);
  void (*swiglu)(std::int64_t rows, std::int64_t width, const T* before, T* y);
  void (*swiglu_backward)(std::int64_t rows, std::int64_t width, const T* x, const T* dy, T* dx);
  void (*add_residual)(std::int64_t rows, std::int64_t width, const T* x, const T* bias, T* y);
  /// Columns begin … end − 1 of rows that are `width` apart.
  void (*add_rows)(std::int64_t rows, std::int64_t width, std::int64_t begin, std::int64_t end,
                   const T* x, T* sums);
  void (*norm)(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
               NormState<T> state, T* y);
  void (*norm_to_input)(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                        bool centred, NormState<T> state, const T* dy, T* dx);
  /// Columns begin … end − 1.
  void (*norm_to_weight)(std::int64_t rows, std::int64_t width, std::int64_t begin,
                         std::int64_t end, const T* x, NormState<T> state, const T* dy, T* dgain,
                         T* dbias);
  /// Row i of `rows` scores becomes probabilities over the columns 0 … first + i, zeros up to
  /// `columns`; rows are `step` apart.
  void (*softmax)(std::int64_t rows, std::int64_t first, std::int64_t columns, std::int64_t step,
                  T* scores);
  /// dp becomes the gradient of the scores, times `scale`. Rows of p are `p_step` apart, of dp
  /// `columns`.
  void (*softmax_backward)(std::int64_t rows, std::int64_t first, std::int64_t columns,
                           std::int64_t p_step, T scale, const T* p, T* dp);
  void (*largest)(std::int64_t rows, const VocabPart& part, const T* logits, T* largest);
  void (*exponentials)(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                       const T* largest, T* logits, T* sums, T* targets_logit);
  void (*loss_gradient)(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                        const T* sums, T scale, T* logits);
  double (*squares)(std::int64_t count, const T* x);
  void (*adam)(const AdamStep<T>& step, T decay, T factor, std::int64_t count, const T* gradients,
               T* values, T* moments1, T* moments2);
};

/// The fastest that this processor can run.
template <typename T>
const Kernels<T>& kernels();

/// "avx512", "avx2" or "baseline": which it is.
const char* kernels_level();

}  // namespace pippin::probes
