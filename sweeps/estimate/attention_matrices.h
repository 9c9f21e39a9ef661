// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// A matrix of a layer's attention, as one of TP's ranks has it.
struct AttentionMatrix {
  const char* name = "";
  std::int64_t rows = 0, columns = 0;  ///< what comes of a token, and what it is made of
  bool is_split = true;                ///< else each TP rank has the whole
  const char* formula = "";            ///< in the letters of docs/estimate.md
};

class AttentionMatrices {
 public:
  const AttentionMatrix* begin() const { return all_.data(); }
  const AttentionMatrix* end() const { return all_.data() + count_; }
  void add(const AttentionMatrix& one) { all_[count_++] = one; }
  std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const AttentionMatrix& one : *this) sum += one.rows * one.columns;
    return sum;
  }

 private:
  std::array<AttentionMatrix, 5> all_{};
  std::size_t count_ = 0;
};

/// Queries, keys and values in one and the output; of latent attention the ways down to the latents
/// and up again. Source: Megatron-LM, attention.py, multi_latent_attention.py.
inline AttentionMatrices attention_matrices(const Shape& m, std::int64_t tp) {
  AttentionMatrices all;
  const std::int64_t h = m.hidden, queries = m.heads * m.head_width / tp;
  if (!m.is_latent()) {
    all.add({"qkv", queries + 2 * m.kv_heads * m.head_width / tp, h, true, "(1 + 2 g/a) h^2 / t"});
  } else {
    if (m.query_latent > 0) {
      all.add({"query_down", m.query_latent, h, false, "q h"});
      all.add({"query_up", queries, m.query_latent, true, "a d q / t"});
    } else {
      all.add({"query", queries, h, true, "a d h / t"});
    }
    all.add({"key_down", m.key_latent + m.shared_key, h, false, "(c + r) h"});
    all.add({"key_up", m.heads * (m.head_width - m.shared_key + m.values()) / tp, m.key_latent,
             true, "a (d - r + v) c / t"});
  }
  all.add({"out", h, m.heads * m.values() / tp, true, m.is_latent() ? "a v h / t" : "h^2 / t"});
  return all;
}

}  // namespace pippin
