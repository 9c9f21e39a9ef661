#pragma once

#include <cstdint>

namespace pippin::probes {

struct AttentionShape {
  std::int64_t batch, seq, heads, head_width;
  std::int64_t width() const { return heads * head_width; }
};

/// Causal multi-head attention: softmax(q·kᵀ/√d, earlier tokens only)·v, per sequence and head.
/// Shape: qkv rows × heads × (q, k, v) × head_width, Megatron's order, so that tensor-parallel
/// ranks own whole columns; probabilities batch × heads × seq × seq; context rows × width.
template <typename T>
void attention_forward(const AttentionShape& shape, const T* qkv, T* probabilities, T* context);

/// dqkv from dcontext. `scratch` holds seq × seq.
template <typename T>
void attention_backward(const AttentionShape& shape, const T* qkv, const T* probabilities,
                        const T* dcontext, T* dqkv, T* scratch);

}  // namespace pippin::probes
