// SPDX-License-Identifier: Apache-2.0
#include "probes/device/rounding.h"

namespace pippin::probes {

template <typename T>
float* RoundingDevice<T>::operand(std::size_t index, std::int64_t count) {
  Buffer<float>& buffer = operands_[index];
  if (buffer.size() < count) {
    buffer = Buffer<float>();  // before the larger one
    buffer = Buffer<float>(memory(), {count});
  }
  return buffer.data();
}

template <typename T>
float* RoundingDevice<T>::widened(std::size_t index, std::int64_t count, const T* x) {
  if (!x) return nullptr;
  float* y = operand(index, count);
  widen(count, x, y);
  return y;
}

template <typename T>
void RoundingDevice<T>::round(std::int64_t count, const float* x, T* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = T(x[i]);
}

template <typename T>
void RoundingDevice<T>::draw(const Drawing& drawing, std::int64_t count, T* x) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = T(static_cast<float>(drawn_at(drawing, i)));
}

template <typename T>
void RoundingDevice<T>::widen(std::int64_t count, const T* x, float* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i];
}

template <typename T>
void RoundingDevice<T>::linear(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                               const T* w, const T* bias, T* y) {
  float* wide = operand(3, rows * out);
  cpu_.linear(rows, in, out, widened(0, rows * in, x), widened(1, out * in, w),
              widened(2, out, bias), wide);
  round(rows * out, wide, y);
}

/// The GELU is of what is not rounded yet, as where it is fused into the product.
template <typename T>
void RoundingDevice<T>::linear_gelu(std::int64_t rows, std::int64_t in, std::int64_t out,
                                    const T* x, const T* w, const T* bias, T* before, T* y) {
  float *wide_before = operand(3, rows * out), *wide = operand(4, rows * out);
  cpu_.linear_gelu(rows, in, out, widened(0, rows * in, x), widened(1, out * in, w),
                   widened(2, out, bias), wide_before, wide);
  round(rows * out, wide_before, before);
  round(rows * out, wide, y);
}

/// The product is rounded before the gate: on a GPU two kernels do this.
template <typename T>
void RoundingDevice<T>::linear_swiglu(std::int64_t rows, std::int64_t in, std::int64_t width,
                                      const T* x, const T* w, T* before, T* y) {
  linear(rows, in, 2 * width, x, w, nullptr, before);
  const float* gate_up = widened(0, rows * 2 * width, before);
  float* wide = operand(1, rows * width);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < width; ++i)
      wide[r * width + i] = silu(gate_up[r * 2 * width + i]) * gate_up[r * 2 * width + width + i];
  round(rows * width, wide, y);
}

template <typename T>
void RoundingDevice<T>::linear_to_input(std::int64_t rows, std::int64_t in, std::int64_t out,
                                        const T* dy, const T* w, T* dx) {
  float* wide = operand(2, rows * in);
  cpu_.linear_to_input(rows, in, out, widened(0, rows * out, dy), widened(1, out * in, w), wide);
  round(rows * in, wide, dx);
}

template <typename T>
void RoundingDevice<T>::linear_to_gelu(std::int64_t rows, std::int64_t in, std::int64_t out,
                                       const T* dy, const T* w, const T* before, T* dbefore) {
  float* wide = operand(3, rows * in);
  cpu_.linear_to_gelu(rows, in, out, widened(0, rows * out, dy), widened(1, out * in, w),
                      widened(2, rows * in, before), wide);
  round(rows * in, wide, dbefore);
}

template <typename T>
void RoundingDevice<T>::linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out,
                                         const T* x, const T* dy, float* dw, float* dbias) {
  cpu_.linear_to_weight(rows, in, out, widened(0, rows * in, x), widened(1, rows * out, dy), dw,
                        dbias);
}

template <typename T>
void RoundingDevice<T>::add_rows(std::int64_t rows, std::int64_t width, const T* x, float* sums) {
  cpu_.add_rows(rows, width, widened(0, rows * width, x), sums);
}

template <typename T>
void RoundingDevice<T>::swiglu_backward(std::int64_t rows, std::int64_t width, const T* x,
                                        const T* dy, T* dx) {
  float* wide = operand(2, rows * 2 * width);
  cpu_.swiglu_backward(rows, width, widened(0, rows * 2 * width, x), widened(1, rows * width, dy),
                       wide);
  round(rows * 2 * width, wide, dx);
}

template <typename T>
void RoundingDevice<T>::add_residual(std::int64_t rows, std::int64_t width, const T* x,
                                     const T* bias, T* y) {
  float* wide = widened(2, rows * width, y);
  cpu_.add_residual(rows, width, widened(0, rows * width, x), widened(1, width, bias), wide);
  round(rows * width, wide, y);
}

template <typename T>
void RoundingDevice<T>::norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                             const T* bias, NormState<T> state, T* y) {
  float* wide = operand(3, rows * width);
  cpu_.norm(rows, width, widened(0, rows * width, x), widened(1, width, gain),
            widened(2, width, bias), {state.mean, state.inverse_sd}, wide);
  round(rows * width, wide, y);
}

template <typename T>
void RoundingDevice<T>::norm_backward(std::int64_t rows, std::int64_t width, const T* x,
                                      const T* gain, NormState<T> state, const T* dy, T* dx,
                                      float* dgain, float* dbias) {
  float* wide = widened(3, rows * width, dx);
  cpu_.norm_backward(rows, width, widened(0, rows * width, x), widened(1, width, gain),
                     {state.mean, state.inverse_sd}, widened(2, rows * width, dy), wide, dgain,
                     dbias);
  round(rows * width, wide, dx);
}

template <typename T>
void RoundingDevice<T>::rotate(const AttentionShape& shape, int turns, T* qkv) {
  const std::int64_t count = shape.rows() * shape.qkv_width();
  float* wide = widened(0, count, qkv);
  cpu_.rotate(shape, turns, wide);
  round(count, wide, qkv);
}

template <typename T>
void RoundingDevice<T>::attention(const AttentionShape& shape, const T* qkv, float* kept,
                                  T* context) {
  const std::int64_t count = shape.rows() * shape.width();
  float* wide = operand(1, count);
  cpu_.attention(shape, widened(0, shape.rows() * shape.qkv_width(), qkv), kept, wide);
  round(count, wide, context);
}

template <typename T>
void RoundingDevice<T>::attention_backward(const AttentionShape& shape, const T* qkv,
                                           const float* kept, const T* context, const T* dcontext,
                                           T* dqkv) {
  const std::int64_t count = shape.rows() * shape.qkv_width();
  const std::int64_t narrow = shape.rows() * shape.width();
  float* wide = operand(3, count);
  cpu_.attention_backward(shape, widened(0, count, qkv), kept, widened(1, narrow, context),
                          widened(2, narrow, dcontext), wide);
  round(count, wide, dqkv);
}

template <typename T>
void RoundingDevice<T>::embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
                              const std::int32_t* tokens, const T* table, T* x) {
  float* wide = operand(1, rows * width);
  cpu_.embed(rows, width, part, tokens, widened(0, part.rows * width, table), wide);
  round(rows * width, wide, x);
}

template <typename T>
void RoundingDevice<T>::embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                                       const std::int32_t* tokens, const T* dx, float* dtable) {
  cpu_.embed_backward(rows, width, part, tokens, widened(0, rows * width, dx), dtable);
}

template <typename T>
void RoundingDevice<T>::add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                      std::int64_t width, const T* positions, T* x) {
  float* wide = widened(1, rows * width, x);
  cpu_.add_positions(rows, first, seq, width, widened(0, seq * width, positions), wide);
  round(rows * width, wide, x);
}

template <typename T>
void RoundingDevice<T>::positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                           std::int64_t width, const T* dx, float* dpositions) {
  cpu_.positions_backward(rows, first, seq, width, widened(0, rows * width, dx), dpositions);
}

template <typename T>
void RoundingDevice<T>::largest(std::int64_t rows, const VocabPart& part, T* logits, float* largest,
                                float* notes) {
  cpu_.largest(rows, part, widened(0, rows * part.rows, logits), largest, notes);
}

/// The logits stay: rounded exponentials would lose what cross_entropy() needs.
template <typename T>
void RoundingDevice<T>::exponentials(std::int64_t rows, const VocabPart& part,
                                     const std::int32_t* targets, const float* largest, T* logits,
                                     float* sums, float* targets_logit) {
  cpu_.exponentials(rows, part, targets, largest, widened(0, rows * part.rows, logits), sums,
                    targets_logit);
}

template <typename T>
void RoundingDevice<T>::cross_entropy(std::int64_t rows, const VocabPart& part,
                                      const std::int32_t* targets, const float* largest,
                                      const float* sums, const float* targets_logit, float scale,
                                      const StepState* state, T* logits, double* loss) {
  float* wide = widened(0, rows * part.rows, logits);
  cpu_.exponentials(rows, part, targets, largest, wide, operand(1, rows), operand(2, rows));
  cpu_.cross_entropy(rows, part, targets, largest, sums, targets_logit, scale, state, wide, loss);
  round(rows * part.rows, wide, logits);
}

template <typename T>
void RoundingDevice<T>::adam(const OptimizerSettings& settings, const StepState* state,
                             std::int64_t count, bool decays, const float* gradients,
                             float* masters, float* moments1, float* moments2, T* values) {
  cpu_.adam(settings, state, count, decays, gradients, masters, moments1, moments2, nullptr);
  if (state->is_finite()) round(count, masters, values);
}

template class RoundingDevice<Half>;
template class RoundingDevice<BFloat16>;

}  // namespace pippin::probes
