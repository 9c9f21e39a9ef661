#pragma once

#include "probes/device/device.h"
#include "probes/device/kernels.h"
#include "probes/device/threads.h"

namespace pippin::probes {

/// The processor: products by BLAS, the rest by kernels.h, both shared out over threads here, so
/// that one pool does it all. T is float, or double for the tests.
template <typename T>
class CpuDevice final : public Device<T> {
 public:
  /// `memory` must outlive it. Sets the BLAS library to one thread.
  CpuDevice(Memory& memory, std::int64_t threads);

  Memory& memory() override { return memory_; }
  void to_device(std::int64_t bytes, const void* host, void* device) override;
  void to_host(std::int64_t bytes, const void* device, void* host) override;
  void clear(std::int64_t count, T* x) override;

  void linear(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
              const T* bias, T* y) override;
  void linear_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x, const T* w,
                   const T* bias, T* before, T* y) override;
  void linear_swiglu(std::int64_t rows, std::int64_t in, std::int64_t width, const T* x, const T* w,
                     T* before, T* y) override;
  void linear_to_input(std::int64_t rows, std::int64_t in, std::int64_t out, const T* dy,
                       const T* w, T* dx) override;
  void linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                        const T* dy, T* dw) override;
  void add_rows(std::int64_t rows, std::int64_t width, const T* x, T* sums) override;

  void gelu_backward(std::int64_t count, const T* x, T* dy) override;
  void swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy,
                       T* dx) override;
  void add_residual(std::int64_t rows, std::int64_t width, const T* x, const T* bias,
                    T* y) override;
  void norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
            NormState<T> state, T* y) override;
  void norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                     NormState<T> state, const T* dy, T* dx, T* dgain, T* dbias) override;

  void rotate(const AttentionShape& shape, int turns, T* qkv) override;
  void attention(const AttentionShape& shape, const T* qkv, T* probabilities, T* context) override;
  std::int64_t attention_scratch(const AttentionShape& shape) const override;
  void attention_backward(const AttentionShape& shape, const T* qkv, const T* probabilities,
                          const T* dcontext, T* dqkv, T* scratch) override;

  void embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
             const std::int32_t* tokens, const T* table, T* x) override;
  void embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                      const std::int32_t* tokens, const T* dx, T* dtable) override;
  void add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq, std::int64_t width,
                     const T* positions, T* x) override;
  void positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                          std::int64_t width, const T* dx, T* dpositions) override;

  void largest(std::int64_t rows, const VocabPart& part, const T* logits, T* largest) override;
  void exponentials(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                    const T* largest, T* logits, T* sums, T* targets_logit) override;
  void cross_entropy(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                     const T* sums, const T* targets_logit, T scale, T* logits,
                     double* loss) override;

  void clear_squares(StepState* state) override { state->squares = 0; }
  void add_squares(std::int64_t count, const T* x, double* squares) override;
  void begin_step(StepState* state) override;
  void adam(const OptimizerSettings& settings, const StepState* state, std::int64_t count,
            bool decays, const T* gradients, T* values, T* moments1, T* moments2) override;

 private:
  void learn_turns(const AttentionShape& shape);

  Memory& memory_;
  Threads threads_;
  const Kernels<T>& kernels_;
  Buffer<T> turns_;  ///< rotary positions: seq × (cosines, sines) of a head's pairs
};

}  // namespace pippin::probes
