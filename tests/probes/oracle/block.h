// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/common/setup.h"
#include "probes/device/memory.h"
#include "tests/probes/oracle/attention.h"
#include "tests/probes/oracle/layers.h"
#include "tests/probes/oracle/parameters.h"

namespace pippin::probes::oracle {

/// The sizes of one micro-batch on its way through the layers.
struct BlockShape {
  std::int64_t rows;  ///< tokens of a micro-batch
  std::int64_t width, ffn;
  AttentionShape attention;
  bool llama;  ///< RMS norm, rotary positions, SwiGLU; else layer norm and GELU
  std::int64_t up_width() const { return llama ? 2 * ffn : ffn; }
};

BlockShape block_shape(const Setup& setup);

/// What a layer keeps of its forward pass for its backward pass.
template <typename T>
struct BlockActivations {
  BlockActivations(Memory& memory, const BlockShape& shape);
  NormState<T> norm1_state() { return {norm1_mean.data(), norm1_inverse_sd.data()}; }
  NormState<T> norm2_state() { return {norm2_mean.data(), norm2_inverse_sd.data()}; }

  Buffer<T> norm1, norm1_mean, norm1_inverse_sd, qkv, probabilities, context, middle;
  Buffer<T> norm2, norm2_mean, norm2_inverse_sd, up, activated;
};

/// Scratch that the layers' backward passes share.
template <typename T>
struct BlockScratch {
  BlockScratch(Memory& memory, const BlockShape& shape);
  Buffer<T> narrow, qkv, wide, up, scores;
};

/// One pre-norm transformer layer: m = x + attention(norm(x)), y = m + MLP(norm(m)).
template <typename T>
void block_forward(const BlockShape& shape, const BlockTensors<const T>& w, const T* x,
                   BlockActivations<T>& kept, T* y);

/// `dy` becomes dx; adds to `g`. Requires what block_forward(x) kept.
template <typename T>
void block_backward(const BlockShape& shape, const BlockTensors<const T>& w,
                    const BlockTensors<T>& g, const T* x, BlockActivations<T>& kept,
                    BlockScratch<T>& scratch, T* dy);

}  // namespace pippin::probes::oracle
