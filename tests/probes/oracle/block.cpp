// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/block.h"

namespace pippin::probes::oracle {

BlockShape block_shape(const Setup& s) {
  const AttentionShape attention{s.mbs, s.seq, s.heads, s.groups(), s.head_width()};
  return {s.mbs * s.seq, s.hidden, s.ffn_width(), attention, s.llama()};
}

template <typename T>
BlockActivations<T>::BlockActivations(Memory& memory, const BlockShape& s)
    : norm1(memory, {s.rows, s.width}),
      norm1_mean(memory, {s.rows}),
      norm1_inverse_sd(memory, {s.rows}),
      qkv(memory, {s.rows, s.attention.qkv_width()}),
      probabilities(memory, {s.rows, s.attention.heads, s.attention.seq}),
      context(memory, {s.rows, s.width}),
      middle(memory, {s.rows, s.width}),
      norm2(memory, {s.rows, s.width}),
      norm2_mean(memory, {s.rows}),
      norm2_inverse_sd(memory, {s.rows}),
      up(memory, {s.rows, s.up_width()}),
      activated(memory, {s.rows, s.ffn}) {}

template <typename T>
BlockScratch<T>::BlockScratch(Memory& memory, const BlockShape& s)
    : narrow(memory, {s.rows, s.width}),
      qkv(memory, {s.rows, s.attention.qkv_width()}),
      wide(memory, {s.rows, s.ffn}),
      up(memory, {s.rows, s.up_width()}),
      scores(memory, {s.attention.seq, s.attention.seq}) {}

template <typename T>
void block_forward(const BlockShape& s, const BlockTensors<const T>& w, const T* x,
                   BlockActivations<T>& kept, T* y) {
  const std::int64_t n = s.rows, h = s.width, f = s.ffn, q = s.attention.qkv_width();
  norm_forward(n, h, x, w.norm1_gain, w.norm1_bias, kept.norm1_state(), kept.norm1.data());
  linear_forward(n, h, q, kept.norm1.data(), w.qkv_weight, w.qkv_bias, kept.qkv.data());
  if (s.llama) rotate(s.attention, 1, kept.qkv.data());
  attention_forward(s.attention, kept.qkv.data(), kept.probabilities.data(), kept.context.data());
  T* m = kept.middle.data();
  linear_forward(n, h, h, kept.context.data(), w.out_weight, w.out_bias, m);
  add(n * h, x, m);

  norm_forward(n, h, m, w.norm2_gain, w.norm2_bias, kept.norm2_state(), kept.norm2.data());
  linear_forward(n, h, s.up_width(), kept.norm2.data(), w.up_weight, w.up_bias, kept.up.data());
  if (s.llama)
    swiglu_forward(n, f, kept.up.data(), kept.activated.data());
  else
    gelu_forward(n * f, kept.up.data(), kept.activated.data());
  linear_forward(n, f, h, kept.activated.data(), w.down_weight, w.down_bias, y);
  add(n * h, m, y);
}

template <typename T>
void block_backward(const BlockShape& s, const BlockTensors<const T>& w, const BlockTensors<T>& g,
                    const T* x, BlockActivations<T>& kept, BlockScratch<T>& scratch, T* dy) {
  const std::int64_t n = s.rows, h = s.width, f = s.ffn, q = s.attention.qkv_width();
  T *narrow = scratch.narrow.data(), *wide = scratch.wide.data(), *dqkv = scratch.qkv.data();
  T* dup = s.llama ? scratch.up.data() : wide;
  // Each branch ends in the residual stream: its gradient is added to what flows past it.
  linear_backward(n, f, h, kept.activated.data(), w.down_weight, dy, wide, g.down_weight,
                  g.down_bias);
  if (s.llama)
    swiglu_backward(n, f, kept.up.data(), wide, dup);
  else
    gelu_backward(n * f, kept.up.data(), wide);
  linear_backward(n, h, s.up_width(), kept.norm2.data(), w.up_weight, dup, narrow, g.up_weight,
                  g.up_bias);
  norm_backward(n, h, kept.middle.data(), w.norm2_gain, kept.norm2_state(), narrow, dy,
                g.norm2_gain, g.norm2_bias);

  linear_backward(n, h, h, kept.context.data(), w.out_weight, dy, narrow, g.out_weight, g.out_bias);
  attention_backward(s.attention, kept.qkv.data(), kept.probabilities.data(), narrow, dqkv,
                     scratch.scores.data());
  if (s.llama) rotate(s.attention, -1, dqkv);
  linear_backward(n, h, q, kept.norm1.data(), w.qkv_weight, dqkv, narrow, g.qkv_weight, g.qkv_bias);
  norm_backward(n, h, x, w.norm1_gain, kept.norm1_state(), narrow, dy, g.norm1_gain, g.norm1_bias);
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define PROBES_BLOCK(T)                                                                  \
  template struct BlockActivations<T>;                                                   \
  template struct BlockScratch<T>;                                                       \
  template void block_forward(const BlockShape&, const BlockTensors<const T>&, const T*, \
                              BlockActivations<T>&, T*);                                 \
  template void block_backward(const BlockShape&, const BlockTensors<const T>&,          \
                               const BlockTensors<T>&, const T*, BlockActivations<T>&,   \
                               BlockScratch<T>&, T*);
PROBES_BLOCK(float)
PROBES_BLOCK(double)
#undef PROBES_BLOCK
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pippin::probes::oracle
