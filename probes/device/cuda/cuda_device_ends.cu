// SPDX-License-Identifier: Apache-2.0
// The ends of the pipeline and of the step: embedding, loss, optimizer.
#include <algorithm>

#include "probes/device/cuda/cross_entropy.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/embedding.h"
#include "probes/device/cuda/optimizer.h"

namespace pippin::probes {

using namespace cuda;

namespace {

__global__ void begin_iteration_of(StepState* state) { begin_iteration(*state); }
__global__ void begin_step_of(LossScaling scaling, StepState* state) {
  begin_step(scaling, *state);
}
__global__ void find_adam_factors(OptimizerSettings settings, const StepState* state,
                                  AdamFactors* factors) {
  *factors = adam_factors(settings, *state);
}

}  // namespace

template <typename T>
void CudaDevice<T>::embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
                          const std::int32_t* tokens, const T* table, T* x) {
  sweep_rows<kLanes<T>>(stream_, "embed", rows, width, Embed<T>{width, part, tokens, table, x},
                        table, x);
}

template <typename T>
void CudaDevice<T>::embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                                   const std::int32_t* tokens, const T* dx, W* dtable) {
  // One by one: so a warp's atomic additions lie together.
  sweep_rows<1>(stream_, "embed_backward", rows, width,
                EmbedBackward<T>{width, part, tokens, dx, dtable}, dx);
}

template <typename T>
void CudaDevice<T>::add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                  std::int64_t width, const T* positions, T* x) {
  sweep_rows<kLanes<T>>(stream_, "add_positions", rows, width,
                        AddPositions<T>{first, seq, width, positions, x}, positions, x);
}

template <typename T>
void CudaDevice<T>::positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                       std::int64_t width, const T* dx, W* dpositions) {
  sweep_rows<kLanes<T>>(stream_, "positions_backward", seq, width,
                        PositionsBackward<T>{rows, first, seq, width, dx, dpositions}, dx,
                        dpositions);
}

template <typename T>
void CudaDevice<T>::largest(std::int64_t rows, const VocabPart& part, T* logits, W* largest,
                            W* notes) {
  launch(stream_, {rows, kRowThreads, 0, "largest"},
         has_packs(part, logits) ? find_largest<T, kLanes<T>> : find_largest<T, 1>, part, logits,
         largest, notes);
}

template <typename T>
void CudaDevice<T>::exponentials(std::int64_t rows, const VocabPart& part,
                                 const std::int32_t* targets, const W* largest, T* logits, W* sums,
                                 W* targets_logit) {
  constexpr int kThreads = 128;
  launch(stream_, {(rows + kThreads - 1) / kThreads, kThreads, 0, "exponentials"},
         sum_exponentials<T>, rows, part, targets, largest, logits, sums, targets_logit);
}

template <typename T>
void CudaDevice<T>::cross_entropy(std::int64_t rows, const VocabPart& part,
                                  const std::int32_t* targets, const W* largest, const W* sums,
                                  const W* targets_logit, W scale, const StepState* state,
                                  T* logits, double* loss) {
  launch(stream_, {rows, kRowThreads, 0, "cross_entropy"},
         has_packs(part, logits) ? softmax_gradient<T, kLanes<T>> : softmax_gradient<T, 1>, part,
         targets, largest, sums, scale, state, logits);
  launch(stream_, {1, kLossThreads, 0, "losses"}, add_losses<float>, rows, sums, targets_logit,
         loss);
}

template <typename T>
void CudaDevice<T>::begin_iteration(StepState* state) {
  launch(stream_, {1, 1, 0, "begin_iteration"}, begin_iteration_of, state);
}

template <typename T>
void CudaDevice<T>::add_squares(std::int64_t count, const W* x, double* squares) {
  start_add_squares(stream_, count, x, squares, squares_.data());
}

template <typename T>
void CudaDevice<T>::begin_step(const LossScaling& scaling, StepState* state) {
  launch(stream_, {1, 1, 0, "begin_step"}, begin_step_of, scaling, state);
  knows_adam_ = false;
}

template <typename T>
void CudaDevice<T>::adam(const OptimizerSettings& settings, const StepState* state,
                         std::int64_t count, bool decays, const W* gradients, W* masters,
                         W* moments1, W* moments2, T* values) {
  if (!knows_adam_)
    launch(stream_, {1, 1, 0, "adam's factors"}, find_adam_factors, settings, state, adam_.data());
  knows_adam_ = true;
  // Four at a time: a float's 16 bytes. Of the values that is 8.
  sweep_elements<kLanes<float>>(
      stream_, "adam", count,
      Adam<T>{adam_.data(), decays, gradients, masters, moments1, moments2, values}, gradients,
      masters, moments1, moments2, values);
}

template class CudaDevice<BFloat16>;
template class CudaDevice<Half>;
template class CudaDevice<float>;

}  // namespace pippin::probes
