// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/trainer.h"

#include <algorithm>
#include <cmath>

#include "probes/device/arithmetic.h"
#include "probes/device/matmul.h"

namespace pippin::probes::oracle {

namespace {

template <typename T>
std::vector<BlockActivations<T>> make_activations(Memory& memory, const Setup& setup,
                                                  const BlockShape& shape) {
  const std::int64_t count = setup.recompute == "full" ? 1 : setup.layers;
  std::vector<BlockActivations<T>> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all.emplace_back(memory, shape);
  return all;
}

}  // namespace

template <typename T>
Trainer<T>::Trainer(Memory& memory, const Setup& setup, const OptimizerSettings& optimizer)
    : setup_(setup),
      shape_(block_shape(setup)),
      table_(parameter_table(setup)),
      values_(memory, {parameter_count(table_)}),
      gradients_(memory, {parameter_count(table_)}),
      optimizer_(memory, table_, optimizer),
      language_(setup),
      tokens_(memory, {shape_.rows}),
      targets_(memory, {shape_.rows}),
      inputs_(memory, {setup.layers + 1, shape_.rows, shape_.width}),
      activations_(make_activations<T>(memory, setup, shape_)),
      scratch_(memory, shape_),
      norm_(memory, {shape_.rows, shape_.width}),
      norm_mean_(memory, {shape_.rows}),
      norm_inverse_sd_(memory, {shape_.rows}),
      logits_(memory, {shape_.rows, padded_vocab(setup)}),
      flow_(memory, {shape_.rows, shape_.width}) {
  draw_parameters(table_, setup_, values_.data());
}

template <typename T>
BlockActivations<T>& Trainer<T>::activations_of(std::int64_t layer) {
  return activations_[activations_.size() == 1 ? 0 : static_cast<std::size_t>(layer)];
}

template <typename T>
void Trainer<T>::read(std::int64_t iteration, std::int64_t micro_batch) {
  for (std::int64_t i = 0; i < setup_.mbs; ++i)
    language_.read(iteration, micro_batch * setup_.mbs + i, tokens_.data() + i * setup_.seq,
                   targets_.data() + i * setup_.seq);
}

/// The summed loss of the micro-batch that was read, divided by the tokens of the global batch.
template <typename T>
double Trainer<T>::forward(bool keep_gradient) {
  const EdgeTensors<const T> w = edges();
  const std::int64_t n = shape_.rows, h = shape_.width, vocab = padded_vocab(setup_);
  embed_forward(setup_.mbs, setup_.seq, h, tokens_.data(), w.tokens, w.positions, input_of(0));
  for (std::int64_t layer = 0; layer < setup_.layers; ++layer)
    block_forward(shape_, weights_of(layer), input_of(layer), activations_of(layer),
                  input_of(layer + 1));
  norm_forward(n, h, input_of(setup_.layers), w.norm_gain, w.norm_bias,
               {norm_mean_.data(), norm_inverse_sd_.data()}, norm_.data());
  matmul<T>(n, vocab, h, 1, {norm_.data(), h}, {w.output, h, As::kTransposed}, 0, logits_.data(),
            vocab);
  const double share = 1.0 / static_cast<double>(setup_.gbs() * setup_.seq);
  const T gradient_scale = keep_gradient ? static_cast<T>(share) : T(0);
  return share *
         cross_entropy(n, vocab, setup_.vocab, targets_.data(), gradient_scale, logits_.data());
}

/// Adds the micro-batch's gradients. Requires forward(true) right before.
template <typename T>
void Trainer<T>::backward() {
  const EdgeTensors<const T> w = edges();
  const EdgeTensors<T> g = edge_tensors<T>(table_, gradients_.data());
  const std::int64_t n = shape_.rows, h = shape_.width, vocab = padded_vocab(setup_);
  T* flow = flow_.data();
  T* dnorm = scratch_.narrow.data();
  matmul<T>(n, h, vocab, 1, {logits_.data(), vocab}, {w.output, h}, 0, dnorm, h);
  matmul<T>(vocab, h, n, 1, {logits_.data(), vocab, As::kTransposed}, {norm_.data(), h}, 1,
            g.output, h);
  std::fill(flow, flow + flow_.size(), T(0));
  norm_backward(n, h, input_of(setup_.layers), w.norm_gain,
                {norm_mean_.data(), norm_inverse_sd_.data()}, dnorm, flow, g.norm_gain,
                g.norm_bias);
  for (std::int64_t layer = setup_.layers - 1; layer >= 0; --layer) {
    // The recomputed output is the next layer's input: it is written again, with equal numbers.
    if (setup_.recompute == "full")
      block_forward(shape_, weights_of(layer), input_of(layer), activations_of(layer),
                    input_of(layer + 1));
    block_backward(shape_, weights_of(layer), block_tensors<T>(table_, layer, gradients_.data()),
                   input_of(layer), activations_of(layer), scratch_, flow);
  }
  embed_backward(setup_.mbs, setup_.seq, h, tokens_.data(), flow, g.tokens, g.positions);
}

template <typename T>
double Trainer<T>::loss(std::int64_t iteration) {
  double sum = 0;
  for (std::int64_t m = 0; m < setup_.gas; ++m) {
    read(iteration, m);
    sum += forward(false);
  }
  return sum;
}

template <typename T>
double Trainer<T>::loss_and_gradients(std::int64_t iteration) {
  std::fill(gradients_.data(), gradients_.data() + gradients_.size(), T(0));
  double sum = 0;
  for (std::int64_t m = 0; m < setup_.gas; ++m) {
    read(iteration, m);
    sum += forward(true);
    backward();
  }
  return sum;
}

template <typename T>
StepResult Trainer<T>::step(std::int64_t iteration) {
  StepResult result;
  result.loss = loss_and_gradients(iteration);
  result.grad_norm = gradient_norm(gradients_.size(), gradients_.data());
  result.skipped = !std::isfinite(result.grad_norm);
  const double factor = clip_factor(result.grad_norm, optimizer_.settings().clip_grad);
  if (!result.skipped) optimizer_.step(gradients_.data(), static_cast<T>(factor), values_.data());
  return result;
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace pippin::probes::oracle
