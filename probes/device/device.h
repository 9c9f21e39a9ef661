// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/common/half.h"
#include "probes/device/arithmetic.h"
#include "probes/device/attention_shape.h"
#include "probes/device/drawing.h"
#include "probes/device/memory.h"
#include "probes/device/step_state.h"

namespace pippin::probes {

/// What a norm keeps for its backward pass: one number per row; the RMS norm has no mean.
template <typename T>
struct NormState {
  Wide<T>* mean;
  Wide<T>* inverse_sd;
};

/// The rows of a vocabulary that one rank holds: tokens first … first + rows − 1, of which those
/// from `known` rows on are padding.
struct VocabPart {
  std::int64_t first, rows, known;
};

/// The largest shapes that a device will meet.
struct DeviceNeeds {
  std::int64_t rows, width;  ///< of a norm, of a sum of rows or of a bias' gradient
  AttentionShape attention;
  bool rotates;
};

/// What a rank computes on. T is what weights and activations are kept in; sums and gradients of
/// weights are Wide<T>. Every pointer is to the device's memory unless it says host; matrices are
/// row-major, one token a row. The calls may return before they are done, but happen in their
/// order. What a gradient is "added to" accumulates over micro-batches; everything else is
/// overwritten.
template <typename T>
class Device {
 public:
  using W = Wide<T>;

  virtual ~Device() = default;
  virtual Memory& memory() = 0;
  /// Takes what memory it needs for itself. To be called before anything below, once.
  virtual void prepare(const DeviceNeeds& needs) = 0;

  virtual void to_device(std::int64_t bytes, const void* host, void* device) = 0;
  /// Returns when `host` holds what all calls before have made.
  virtual void to_host(std::int64_t bytes, const void* device, void* host) = 0;
  virtual void clear(std::int64_t bytes, void* device) = 0;
  /// x[i] = drawn_at(i).
  virtual void draw(const Drawing& drawing, std::int64_t count, T* x) = 0;
  virtual void widen(std::int64_t count, const T* x, W* y) = 0;

  /// y = x·wᵀ + bias, which may be null. Shape: x rows × in, w out × in.
  virtual void linear(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                      const T* bias, T* y) = 0;
  /// linear(), then y = gelu(before).
  virtual void linear_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                           const T* w, const T* bias, T* before, T* y) = 0;
  /// linear() without a bias, then y = silu(gate)·up. Shape: before rows × (gate, up) × width.
  virtual void linear_swiglu(std::int64_t rows, std::int64_t in, std::int64_t width, const T* x,
                             const T* w, T* before, T* y) = 0;
  /// dx = dy·w.
  virtual void linear_to_input(std::int64_t rows, std::int64_t in, std::int64_t out, const T* dy,
                               const T* w, T* dx) = 0;
  /// linear_to_input(), then on through the GELU that made the linear's input of `before`.
  virtual void linear_to_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* dy,
                              const T* w, const T* before, T* dbefore) = 0;
  /// Adds dyᵀ·x to dw, and the sum of dy's rows to dbias, which may be null.
  virtual void linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                                const T* dy, W* dw, W* dbias) = 0;
  /// Adds the sum of the rows to `sums`.
  virtual void add_rows(std::int64_t rows, std::int64_t width, const T* x, W* sums) = 0;

  /// dx from dy. Shape: x and dx rows × (gate, up) × width.
  virtual void swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy,
                               T* dx) = 0;
  /// y += x + bias, which may be null.
  virtual void add_residual(std::int64_t rows, std::int64_t width, const T* x, const T* bias,
                            T* y) = 0;

  /// Layer norm; without a bias the RMS norm.
  virtual void norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
                    NormState<T> state, T* y) = 0;
  /// Adds to dx, dgain, dbias (null for the RMS norm).
  virtual void norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                             NormState<T> state, const T* dy, T* dx, W* dgain, W* dbias) = 0;

  /// Turns every query and key by its position (`turns` 1) or back (-1). Of the sequence and the
  /// head width that prepare() was told.
  virtual void rotate(const AttentionShape& shape, int turns, T* qkv) = 0;
  /// Elements that attention() leaves for attention_backward(): the probabilities, or as little as
  /// they can be made from again.
  virtual std::int64_t attention_kept(const AttentionShape& shape) const = 0;
  virtual void attention(const AttentionShape& shape, const T* qkv, W* kept, T* context) = 0;
  virtual void attention_backward(const AttentionShape& shape, const T* qkv, const W* kept,
                                  const T* context, const T* dcontext, T* dqkv) = 0;

  /// x = the token's row; zeros for a token that is another rank's.
  virtual void embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
                     const std::int32_t* tokens, const T* table, T* x) = 0;
  /// Adds to the gradient of the table.
  virtual void embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                              const std::int32_t* tokens, const T* dx, W* dtable) = 0;
  /// Adds the positions' rows; x begins with row `first` of the micro-batch.
  virtual void add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq,
                             std::int64_t width, const T* positions, T* x) = 0;
  virtual void positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                  std::int64_t width, const T* dx, W* dpositions) = 0;

  // Cross-entropy over a vocabulary in parts, one reduction over the ranks after each of the first
  // two: the largest logit of each row (maximum), then the exponentials' sum and the target's logit
  // (sums), then the loss and its gradient. Between them the logits are the device's.
  /// −∞ where no row is known here. `notes`: where exponentials() finds what else this look at the
  /// logits has shown.
  virtual void largest(std::int64_t rows, const VocabPart& part, T* logits, W* largest,
                       W* notes) = 0;
  /// `sums`: in, largest()'s notes; out, Σ exp(logit − largest). `targets_logit` is less the
  /// largest, too, and 0 where the target is another rank's.
  virtual void exponentials(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                            const W* largest, T* logits, W* sums, W* targets_logit) = 0;
  /// Adds the rows' −log softmax(target) to `loss`; the logits become their gradient, times `scale`
  /// and the state's loss scale.
  virtual void cross_entropy(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                             const W* largest, const W* sums, const W* targets_logit, W scale,
                             const StepState* state, T* logits, double* loss) = 0;

  /// begin_iteration() and begin_step() of step_state.h, where the squares are those of all ranks.
  virtual void begin_iteration(StepState* state) = 0;
  virtual void add_squares(std::int64_t count, const W* x, double* squares) = 0;
  virtual void begin_step(const LossScaling& scaling, StepState* state) = 0;
  /// AdamW as `state` says, which begin_step() saw, with the same settings for all of a step;
  /// nothing where the gradient is not finite. `values` are the masters rounded, or where W is T
  /// the masters themselves.
  virtual void adam(const OptimizerSettings& settings, const StepState* state, std::int64_t count,
                    bool decays, const W* gradients, W* masters, W* moments1, W* moments2,
                    T* values) = 0;
};

}  // namespace pippin::probes
