#pragma once

#include <cstdint>

#include "probes/common/optimizer.h"
#include "probes/device/arithmetic.h"
#include "probes/device/attention_shape.h"
#include "probes/device/memory.h"

namespace pippin::probes {

/// What a norm keeps for its backward pass: one number per row; the RMS norm has no mean.
template <typename T>
struct NormState {
  T* mean;
  T* inverse_sd;
};

/// The rows of a vocabulary that one rank holds: tokens first … first + rows − 1, of which those
/// from `known` rows on are padding.
struct VocabPart {
  std::int64_t first, rows, known;
};

/// What a step of the optimizer needs to know of all gradients; on the device, so that nothing
/// waits for the host.
struct StepState {
  double squares = 0;  ///< the sum of the gradients' squares
  double steps = 0;    ///< steps that were made: those with a finite gradient
};

/// What a rank computes on. Every pointer is to the device's memory unless it says host; matrices
/// are row-major, one token a row. The calls may return before they are done, but happen in their
/// order. What a gradient is "added to" accumulates over micro-batches; everything else is
/// overwritten.
template <typename T>
class Device {
 public:
  virtual ~Device() = default;
  virtual Memory& memory() = 0;

  virtual void to_device(std::int64_t bytes, const void* host, void* device) = 0;
  /// Returns when `host` holds what all calls before have made.
  virtual void to_host(std::int64_t bytes, const void* device, void* host) = 0;
  virtual void clear(std::int64_t count, T* x) = 0;

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
  /// Adds dyᵀ·x to dw.
  virtual void linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                                const T* dy, T* dw) = 0;
  /// Adds the sum of the rows to `sums`.
  virtual void add_rows(std::int64_t rows, std::int64_t width, const T* x, T* sums) = 0;

  /// dy becomes dx.
  virtual void gelu_backward(std::int64_t count, const T* x, T* dy) = 0;
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
                             NormState<T> state, const T* dy, T* dx, T* dgain, T* dbias) = 0;

  /// Turns every query and key by its position (`turns` 1) or back (-1).
  virtual void rotate(const AttentionShape& shape, int turns, T* qkv) = 0;
  virtual void attention(const AttentionShape& shape, const T* qkv, T* probabilities,
                         T* context) = 0;
  /// Elements of scratch that attention_backward() needs.
  virtual std::int64_t attention_scratch(const AttentionShape& shape) const = 0;
  virtual void attention_backward(const AttentionShape& shape, const T* qkv, const T* probabilities,
                                  const T* dcontext, T* dqkv, T* scratch) = 0;

  /// x = the token's row; zeros for a token that is another rank's.
  virtual void embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
                     const std::int32_t* tokens, const T* table, T* x) = 0;
  /// Adds to the gradient of the table.
  virtual void embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                              const std::int32_t* tokens, const T* dx, T* dtable) = 0;
  /// Adds the positions' rows; x begins with row `first` of the micro-batch.
  virtual void add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq,
                             std::int64_t width, const T* positions, T* x) = 0;
  virtual void positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                  std::int64_t width, const T* dx, T* dpositions) = 0;

  // Cross-entropy over a vocabulary in parts, one reduction over the ranks after each of the first
  // two: the largest logit of each row (maximum), then exponentials, their sum and the target's
  // logit (sums), then the loss and its gradient.
  virtual void largest(std::int64_t rows, const VocabPart& part, const T* logits, T* largest) = 0;
  /// The logits become exp(logit − largest). `targets_logit` is less the largest, too, and 0 where
  /// the target is another rank's.
  virtual void exponentials(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                            const T* largest, T* logits, T* sums, T* targets_logit) = 0;
  /// Adds the rows' −log softmax(target) to `loss`; the exponentials become scale·its gradient.
  virtual void cross_entropy(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                             const T* sums, const T* targets_logit, T scale, T* logits,
                             double* loss) = 0;

  /// Forgets the squares, not the steps.
  virtual void clear_squares(StepState* state) = 0;
  virtual void add_squares(std::int64_t count, const T* x, double* squares) = 0;
  /// Counts the step if the gradient is finite.
  virtual void begin_step(StepState* state) = 0;
  /// AdamW with the gradient clipped by `state`, which begin_step() saw; nothing where the gradient
  /// is not finite.
  virtual void adam(const OptimizerSettings& settings, const StepState* state, std::int64_t count,
                    bool decays, const T* gradients, T* values, T* moments1, T* moments2) = 0;
};

}  // namespace pippin::probes
