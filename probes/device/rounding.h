// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "probes/device/cpu.h"

namespace pippin::probes {

/// The processor for numbers of 16 bits: every call is done in float and its results are rounded,
/// as a GPU does it, so that what a GPU computes can be told beforehand. It costs several copies a
/// call. T is BFloat16 or Half.
template <typename T>
class RoundingDevice final : public Device<T> {
 public:
  /// `memory` must outlive it.
  RoundingDevice(Memory& memory, std::int64_t threads) : cpu_(memory, threads) {}

  Memory& memory() override { return cpu_.memory(); }
  void prepare(const DeviceNeeds& needs) override { cpu_.prepare(needs); }

  void to_device(std::int64_t bytes, const void* host, void* device) override {
    cpu_.to_device(bytes, host, device);
  }
  void to_host(std::int64_t bytes, const void* device, void* host) override {
    cpu_.to_host(bytes, device, host);
  }
  void clear(std::int64_t bytes, void* device) override { cpu_.clear(bytes, device); }
  void draw(const Drawing& drawing, std::int64_t count, T* x) override;
  void widen(std::int64_t count, const T* x, float* y) override;

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
                        const T* dy, float* dw, float* dbias) override;
  void add_rows(std::int64_t rows, std::int64_t width, const T* x, float* sums) override;

  void swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy,
                       T* dx) override;
  void add_residual(std::int64_t rows, std::int64_t width, const T* x, const T* bias,
                    T* y) override;

  void norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain, const T* bias,
            NormState<T> state, T* y) override;
  void norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                     NormState<T> state, const T* dy, T* dx, float* dgain, float* dbias) override;

  void rotate(const AttentionShape& shape, int turns, T* qkv) override;
  std::int64_t attention_kept(const AttentionShape& shape) const override {
    return cpu_.attention_kept(shape);
  }
  void attention(const AttentionShape& shape, const T* qkv, float* kept, T* context) override;
  void attention_backward(const AttentionShape& shape, const T* qkv, const float* kept,
                          const T* context, const T* dcontext, T* dqkv) override;

  void embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
             const std::int32_t* tokens, const T* table, T* x) override;
  void embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                      const std::int32_t* tokens, const T* dx, float* dtable) override;
  void add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq, std::int64_t width,
                     const T* positions, T* x) override;
  void positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                          std::int64_t width, const T* dx, float* dpositions) override;

  void largest(std::int64_t rows, const VocabPart& part, T* logits, float* largest,
               float* notes) override;
  void exponentials(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                    const float* largest, T* logits, float* sums, float* targets_logit) override;
  void cross_entropy(std::int64_t rows, const VocabPart& part, const std::int32_t* targets,
                     const float* largest, const float* sums, const float* targets_logit,
                     float scale, const StepState* state, T* logits, double* loss) override;

  void begin_iteration(StepState* state) override { cpu_.begin_iteration(state); }
  void add_squares(std::int64_t count, const float* x, double* squares) override {
    cpu_.add_squares(count, x, squares);
  }
  void begin_step(const LossScaling& scaling, StepState* state) override {
    cpu_.begin_step(scaling, state);
  }
  void adam(const OptimizerSettings& settings, const StepState* state, std::int64_t count,
            bool decays, const float* gradients, float* masters, float* moments1, float* moments2,
            T* values) override;

 private:
  /// A float array for one operand of a call; it grows to the largest that it was asked for.
  float* operand(std::size_t index, std::int64_t count);
  /// The operand widened; null of null.
  float* widened(std::size_t index, std::int64_t count, const T* x);
  static void round(std::int64_t count, const float* x, T* y);

  CpuDevice<float> cpu_;
  std::array<Buffer<float>, 6> operands_;
};

/// What this machine's processor is for numbers T.
template <typename T>
using Processor = std::conditional_t<std::is_same_v<T, Wide<T>>, CpuDevice<T>, RoundingDevice<T>>;

}  // namespace pippin::probes
