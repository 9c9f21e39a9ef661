// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// Queries, keys and values in one, and the output; of latent attention the ways down to latents
/// and up again to heads, or the queries alone.
enum class AttentionPart { kWhole, kQueryDown, kQueryUp, kQuery, kKeyDown, kKeyUp, kOut };

/// One as a rank of TP has it: what comes of a token, by what it is made of.
struct AttentionMatrix {
  AttentionPart part;
  std::int64_t rows, columns;
  bool is_split;  ///< else each TP rank has the whole
  std::int64_t elements() const { return rows * columns; }
};

/// Calls `take` with each of a layer. Source: Megatron-LM, attention.py,
/// multi_latent_attention.py.
template <typename Take>
void each_attention_matrix(const Shape& m, std::int64_t tp, Take&& take) {
  const std::int64_t h = m.hidden, queries = m.heads * m.head_width / tp;
  if (!m.is_latent()) {
    const std::int64_t keys = m.kv_heads * m.head_width / tp;
    take(AttentionMatrix{AttentionPart::kWhole, queries + 2 * keys, h, true});
  } else {
    if (m.query_latent > 0) {
      take(AttentionMatrix{AttentionPart::kQueryDown, m.query_latent, h, false});
      take(AttentionMatrix{AttentionPart::kQueryUp, queries, m.query_latent, true});
    } else {
      take(AttentionMatrix{AttentionPart::kQuery, queries, h, true});
    }
    const std::int64_t own = m.head_width - m.shared_key + m.values();
    take(AttentionMatrix{AttentionPart::kKeyDown, m.key_latent + m.shared_key, h, false});
    take(AttentionMatrix{AttentionPart::kKeyUp, m.heads * own / tp, m.key_latent, true});
  }
  take(AttentionMatrix{AttentionPart::kOut, h, m.heads * m.values() / tp, true});
}

inline std::int64_t attention_elements(const Shape& m, std::int64_t tp) {
  std::int64_t sum = 0;
  each_attention_matrix(m, tp, [&](const AttentionMatrix& one) { sum += one.elements(); });
  return sum;
}

}  // namespace pippin
