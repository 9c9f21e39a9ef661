// SPDX-License-Identifier: Apache-2.0
#include "probes/training/stage.h"

namespace pippin::probes {

// The layers: their forward and backward pass, and the sums over tensor-parallel ranks.

template <typename T>
const T* Stage<T>::all_rows(const T* x) {
  if (!shape_.split) return x;
  groups_.tp.template all_gather<T>(shape_.own_rows * shape_.width, x, gathered_.data());
  return gathered_.data();
}

template <typename T>
void Stage<T>::sum_rows(T* partial, T* y) {
  const std::int64_t count = shape_.own_rows * shape_.width;
  if (shape_.split)
    groups_.tp.template reduce_scatter<T>(count, partial, y);
  else
    groups_.tp.template all_reduce<T>(count, y);
}

template <typename T>
void Stage<T>::layer_forward(const LayerTensors<const T>& w, const T* x, Kept<T>& kept, T* y) {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  const AttentionShape& a = shape_.attention;
  device_.norm(own, h, x, w.norm1_gain, w.norm1_bias, kept.norm1_state(), kept.norm1.data());
  device_.linear(n, h, a.qkv_width(), all_rows(kept.norm1.data()), w.qkv_weight, w.qkv_bias,
                 kept.qkv.data());
  if (shape_.llama) device_.rotate(a, 1, kept.qkv.data());
  device_.attention(a, kept.qkv.data(), attention_of(kept), kept.context.data());
  T *middle = kept.middle.data(), *partial = partial_of(middle);
  device_.linear(n, a.width(), h, kept.context.data(), w.out_weight, nullptr, partial);
  sum_rows(partial, middle);
  device_.add_residual(own, h, x, w.out_bias, middle);

  device_.norm(own, h, middle, w.norm2_gain, w.norm2_bias, kept.norm2_state(), kept.norm2.data());
  const T* all = all_rows(kept.norm2.data());
  if (shape_.llama)
    device_.linear_swiglu(n, h, shape_.ffn, all, w.up_weight, kept.up.data(),
                          kept.activated.data());
  else
    device_.linear_gelu(n, h, shape_.ffn, all, w.up_weight, w.up_bias, kept.up.data(),
                        kept.activated.data());
  partial = partial_of(y);
  device_.linear(n, shape_.ffn, h, kept.activated.data(), w.down_weight, nullptr, partial);
  sum_rows(partial, y);
  device_.add_residual(own, h, middle, w.down_bias, y);
}

/// Each branch ends in the residual stream: its gradient is added to what flows past it.
template <typename T>
void Stage<T>::layer_backward(const LayerTensors<const T>& w, const LayerTensors<W>& g, const T* x,
                              Kept<T>& kept) {
  mlp_backward(w, g, kept);
  attention_backward(w, g, x, kept);
}

template <typename T>
void Stage<T>::mlp_backward(const LayerTensors<const T>& w, const LayerTensors<W>& g,
                            Kept<T>& kept) {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width, f = shape_.ffn;
  if (g.down_bias) device_.add_rows(own, h, flow(), g.down_bias);
  const T* dy = all_rows(flow());
  device_.linear_to_weight(n, f, h, kept.activated.data(), dy, g.down_weight, nullptr);
  T* dup = shape_.llama ? up_.data() : wide_.data();
  if (shape_.llama) {
    device_.linear_to_input(n, f, h, dy, w.down_weight, wide_.data());
    device_.swiglu_backward(n, f, kept.up.data(), wide_.data(), dup);
  } else {
    device_.linear_to_gelu(n, f, h, dy, w.down_weight, kept.up.data(), dup);
  }
  T* partial = partial_of(narrow_.data());
  device_.linear_to_input(n, h, shape_.up, dup, w.up_weight, partial);
  device_.linear_to_weight(n, h, shape_.up, all_rows(kept.norm2.data()), dup, g.up_weight,
                           g.up_bias);
  sum_rows(partial, narrow_.data());
  device_.norm_backward(own, h, kept.middle.data(), w.norm2_gain, kept.norm2_state(),
                        narrow_.data(), flow(), g.norm2_gain, g.norm2_bias);
}

template <typename T>
void Stage<T>::attention_backward(const LayerTensors<const T>& w, const LayerTensors<W>& g,
                                  const T* x, Kept<T>& kept) {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  const AttentionShape& a = shape_.attention;
  if (g.out_bias) device_.add_rows(own, h, flow(), g.out_bias);
  const T* dy = all_rows(flow());
  device_.linear_to_input(n, a.width(), h, dy, w.out_weight, context_.data());
  device_.linear_to_weight(n, a.width(), h, kept.context.data(), dy, g.out_weight, nullptr);
  if (shape_.recompute_attention) {
    const During again(groups_.profile, Activity::kRecompute);
    device_.attention(a, kept.qkv.data(), attention_.data(), kept.context.data());
  }
  device_.attention_backward(a, kept.qkv.data(), attention_of(kept), kept.context.data(),
                             context_.data(), qkv_.data());
  if (shape_.llama) device_.rotate(a, -1, qkv_.data());
  T* partial = partial_of(narrow_.data());
  device_.linear_to_input(n, h, a.qkv_width(), qkv_.data(), w.qkv_weight, partial);
  device_.linear_to_weight(n, h, a.qkv_width(), all_rows(kept.norm1.data()), qkv_.data(),
                           g.qkv_weight, g.qkv_bias);
  sum_rows(partial, narrow_.data());
  device_.norm_backward(own, h, x, w.norm1_gain, kept.norm1_state(), narrow_.data(), flow(),
                        g.norm1_gain, g.norm1_bias);
}

template class Stage<Half>;
template class Stage<BFloat16>;
template class Stage<float>;
template class Stage<double>;

}  // namespace pippin::probes
