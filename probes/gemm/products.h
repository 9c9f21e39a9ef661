// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/common/setup.h"
#include "probes/device/attention_shape.h"

namespace pippin::probes {

/// Which product of a linear layer; or those of attention, which are two forward and four backward.
enum class Pass { kForward, kInputGradient, kWeightGradient, kAttention, kAttentionBackward };

/// One product as a rank of the model makes it.
struct Product {
  std::string layer;  ///< "qkv", "attention", "attention_out", "mlp_up", "mlp_down", "logits"
  Pass pass = Pass::kForward;
  std::int64_t rows = 0, in = 0, out = 0;  ///< of a linear layer
  AttentionShape shape = {};               ///< of attention

  bool linear() const { return pass != Pass::kAttention && pass != Pass::kAttentionBackward; }
  const char* pass_name() const;
  // The product is m × k by k × n, `batch` times.
  std::int64_t m() const, n() const, k() const, batch() const;
  /// 2·m·n·k of each; of attention what its causal mask leaves, seq·(seq + 1)/2 scores a head.
  double flops() const;
};

/// The three products of one linear layer.
std::vector<Product> linear_products(const std::string& layer, std::int64_t rows, std::int64_t in,
                                     std::int64_t out);

/// Those of a transformer layer and of the logits, for one micro-batch, on one tensor-parallel
/// rank. Source: Megatron-LM: qkv, MLP up and logits are split by columns, the other two by rows.
/// Errors: Error (bad layout) where TP does not divide heads, key and value heads or MLP.
std::vector<Product> products_of(const Setup& setup);

}  // namespace pippin::probes
