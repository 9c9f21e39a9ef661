// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/device/device.h"
#include "probes/device/kernels.h"
#include "probes/device/threads.h"

namespace pippin::probes {

/// The processor: products by BLAS, the rest by kernels.h, both shared out over threads here, so
/// that one pool does it all. T is float, or double for the tests; for numbers of 16 bits see
/// rounding.h.
template <typename T>
class CpuDevice final : public Device<T> {
 public:
  using W = Wide<T>;
  /// `memory` must outlive it. Sets the BLAS library to one thread.
  CpuDevice(Memory& memory, std::int64_t threads);

  Memory& memory() override { return memory_; }
  void prepare(const DeviceNeeds& needs) override;

  void to_device(std::int64_t bytes, const void* host, void* device) override;
  void to_host(std::int64_t bytes, const void* device, void* host) override;
  void clear(std::int64_t bytes, void* device) override;
  void draw(const Drawing& drawing, std::int64_t count, T* x) override;
  void widen(std::int64_t count, const T* x, W* y) override;

  void linear(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
              const T* bias, T* y) override;
  void linear_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                   const T* bias, T* before, T* y) override;
  void linear_swiglu(std::int64_t rows, std::int64_t in, std::int64_t width, const T* x, const T* w,
                     T* before, T* y) override;
  void linear_to_input(std::int64_t rows, std::int64_t in, std::int64_t out, const T* dy,
                       const T* w, T* dx) override;
  void linear_to_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* dy, const T* w,
                      const T* before, T* dbefore) override;
  void linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                        const T* dy, W* dw, W* dbias) override;
  void add_rows(std::int64_t rows, std::int64_t width, const T* x, W* sums) override;

  void swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy,
                       T* dx) override;
  void add_residual(std::int64_t rows, std::int64_t width, const T* x, const T* bias,
                    T* y) override;

  void norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
            NormState<T> state, T* y) override;
  void norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                     NormState<T> state, const T* dy, T* dx, W* dgain, W* dbias) override;

  void rotate(const AttentionShape& shape, int turns, T* qkv) override;
  std::int64_t attention_kept(const AttentionShape& shape) const override;
  void attention(const AttentionShape& shape, const T* qkv, W* kept, T* context) override;
  void attention_backward(const AttentionShape& shape, const T* qkv, const W* kept,
                          const T* context, const T* dcontext, T* dqkv) override;

  void embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
             const std::int32_t* tokens, const T* table, T* x) override;
  void embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                      const std::int32_t* tokens, const T* dx, W* dtable) override;
  void add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq, std::int64_t width,
                     const T* positions, T* x) override;
  void positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                          std::int64_t width, const T* dx, W* dpositions) override;

  void largest(std::int64_t rows, const VocabPart& part, T* logits, W* largest, W* notes) override;
  void exponentials(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                    const W* largest, T* logits, W* sums, W* targets_logit) override;
  void cross_entropy(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                     const W* largest, const W* sums, const W* targets_logit, W scale,
                     const StepState* state, T* logits, double* loss) override;

  void begin_iteration(StepState* state) override { probes::begin_iteration(*state); }
  void add_squares(std::int64_t count, const W* x, double* squares) override;
  void begin_step(const LossScaling& scaling, StepState* state) override {
    probes::begin_step(scaling, *state);
  }
  void adam(const OptimizerSettings& settings, const StepState* state, std::int64_t count,
            bool decays, const W* gradients, W* masters, W* moments1, W* moments2,
            T* values) override;

 private:
  void learn_turns(const AttentionShape& shape);

  Memory& memory_;
  Threads threads_;
  const Kernels<T>& kernels_;
  Buffer<T> turns_;    ///< rotary positions: seq × (cosines, sines) of a head's pairs
  Buffer<T> scratch_;  ///< of attention_backward(): a share for each thread
};

}  // namespace pippin::probes
