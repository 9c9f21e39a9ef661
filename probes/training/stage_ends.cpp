// SPDX-License-Identifier: Apache-2.0
#include "probes/training/stage.h"

namespace pippin::probes {

// The ends of the pipeline: embedding, and the head with its loss.

template <typename T>
void Stage<T>::embed(std::int64_t slot) {
  const std::int64_t h = shape_.width;
  T *x = input(slot), *partial = partial_of(x);
  device_.embed(shape_.rows, h, vocab_, tokens_.data() + slot * shape_.rows, edge_weights_.tokens,
                partial);
  sum_rows(partial, x);
  if (edge_weights_.positions)
    device_.add_positions(shape_.own_rows, groups_.tp.rank() * shape_.own_rows % shape_.rows, seq_,
                          h, edge_weights_.positions, x);
}

template <typename T>
void Stage<T>::embed_backward(std::int64_t slot) {
  const std::int64_t h = shape_.width;
  if (edge_gradients_.positions)
    device_.positions_backward(shape_.own_rows, groups_.tp.rank() * shape_.own_rows % shape_.rows,
                               seq_, h, flow(), edge_gradients_.positions);
  device_.embed_backward(shape_.rows, h, vocab_, tokens_.data() + slot * shape_.rows,
                         all_rows(flow()), edge_gradients_.tokens);
}

template <typename T>
void Stage<T>::head(std::int64_t slot, W scale) {
  const std::int64_t n = shape_.rows, h = shape_.width;
  const std::int32_t* targets = targets_.data() + slot * n;
  device_.norm(shape_.own_rows, h, output(), edge_weights_.norm_gain, edge_weights_.norm_bias,
               {norm_mean_.data(), norm_inverse_sd_.data()}, norm_.data());
  device_.linear(n, h, shape_.vocab, all_rows(norm_.data()), edge_weights_.output, nullptr,
                 logits_.data());
  device_.largest(n, vocab_, logits_.data(), largest_.data(), sums_.data());
  groups_.loss.all_reduce(n, largest_.data(), Reduction::kMax);
  device_.exponentials(n, vocab_, targets, largest_.data(), logits_.data(), sums_.data(),
                       targets_logit_.data());
  groups_.loss.all_reduce(n, targets_logit_.data());
  groups_.loss.all_reduce(n, sums_.data());
  device_.cross_entropy(n, vocab_, targets, largest_.data(), sums_.data(), targets_logit_.data(),
                        scale, state_, logits_.data(), loss_.data());
}

template <typename T>
void Stage<T>::head_backward() {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  T* partial = partial_of(narrow_.data());
  device_.linear_to_input(n, h, shape_.vocab, logits_.data(), edge_weights_.output, partial);
  device_.linear_to_weight(n, h, shape_.vocab, all_rows(norm_.data()), logits_.data(),
                           edge_gradients_.output, nullptr);
  sum_rows(partial, narrow_.data());
  device_.clear(flow_size() * std::int64_t{sizeof(T)}, flow());
  device_.norm_backward(own, h, output(), edge_weights_.norm_gain,
                        {norm_mean_.data(), norm_inverse_sd_.data()}, narrow_.data(), flow(),
                        edge_gradients_.norm_gain, edge_gradients_.norm_bias);
}

template class Stage<Half>;
template class Stage<BFloat16>;
template class Stage<float>;
template class Stage<double>;

}  // namespace pippin::probes
