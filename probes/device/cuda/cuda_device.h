// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "probes/device/cuda/products.h"
#include "probes/device/device.h"
#include "probes/device/fused_arithmetic.h"

namespace pippin::probes {

/// A GPU: its products by a library, the rest by own kernels, one after the other in one stream.
/// Only to_host() waits for it; nothing is allocated after prepare(). Sums are the same in every
/// run, but for those of embed_backward(). T is BFloat16, Half or float.
template <typename T>
class CudaDevice final : public Device<T> {
 public:
  using W = Wide<T>;

  /// All must outlive it.
  CudaDevice(cudaStream_t stream, cuda::Products<T>& products, Memory& memory);

  Memory& memory() override { return memory_; }
  /// While the memory only measures this takes its blocks, and nothing else may be called but
  /// to_device() and clear(), which do nothing then.
  void prepare(const DeviceNeeds& needs) override;
  /// Gives back what prepare() took: what measured the memory must be gone before it is reserved.
  void give_back();

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

  void begin_iteration(StepState* state) override;
  void add_squares(std::int64_t count, const W* x, double* squares) override;
  void begin_step(const LossScaling& scaling, StepState* state) override;
  /// `settings` are the same for all calls after one begin_step().
  void adam(const OptimizerSettings& settings, const StepState* state, std::int64_t count,
            bool decays, const W* gradients, W* masters, W* moments1, W* moments2,
            T* values) override;

 private:
  void count_multiprocessors();
  void learn_turns(const AttentionShape& shape);

  cudaStream_t stream_;
  cuda::Products<T>& products_;
  Memory& memory_;
  int multiprocessors_ = 0;
  Buffer<W> scratch_;         ///< sums of parts of rows
  Buffer<double> squares_;    ///< sums of parts of squares
  Buffer<AdamFactors> adam_;  ///< one
  bool knows_adam_ = false;   ///< adam_ is that of this step
  Buffer<W> turns_;           ///< rotary positions: rotary.h
};

}  // namespace pippin::probes
