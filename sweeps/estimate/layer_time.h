// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sweeps/estimate/message_time.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What one layer takes forward or backward. Unit: seconds.
struct LayerPass {
  double products = 0, attention = 0, elements = 0, issue = 0;
  double tensor = 0, context = 0, experts = 0;  ///< waiting for each of them
  double computing() const { return products + attention + elements + tensor + context + experts; }
  /// With the processor that issues it.
  double all() const;
};

/// One layer, both ways. Unit: seconds.
struct LayerTime {
  LayerPass ahead, back;
  LayerPass remade;                ///< what selective recomputation makes again
  double ahead_s = 0, back_s = 0;  ///< of each once, with the processor that issues it
  double again = 0;    ///< how often its forward pass is made once more, on the first stage
  double exposed = 0;  ///< of ZeRO-3's traffic
  double whole_back_s() const { return back_s + again * ahead_s + remade.computing(); }
  double all() const { return ahead_s + whole_back_s() + exposed; }
};

/// Elements of a rank's matrices: of experts, which other ranks hold than the rest, and of the
/// rest.
struct Matrices {
  double dense = 0, experts = 0;
};

/// What layers of one layout take, and what stands before and behind them. Unit: seconds.
class LayerClock {
 public:
  LayerClock(const Setup& setup, const Machine& machine, const Rates& rates);

  LayerTime layer(bool has_experts) const;
  double embedding_seconds() const;
  double head_seconds() const;
  double mtp_seconds() const;
  ProductWork work(std::int64_t rows, std::int64_t columns, std::int64_t depth) const;

  /// Of traffic that goes beside computing, what that does not hide.
  double exposed(double traffic, double computing) const;
  double seconds_a_byte() const { return seconds_a_byte_; }  ///< of memory
  const MessageTime& messages() const { return messages_; }
  Matrices matrices(bool has_experts) const;  ///< of a layer
  /// A gather of so many bytes of each element over the ranks that hold the same, or a scatter.
  double over_replicas(double bytes, const Matrices& matrices) const;
  /// Of ZeRO-3's traffic of what stands before or behind layers, what its seconds do not hide.
  double exposed_end(double elements, double seconds) const;

 private:
  double tokens() const;
  double hidden() const { return number(m_.hidden); }
  /// Widths of this rank's parts.
  std::int64_t values() const { return m_.heads * m_.values() / s_.tp; }
  std::int64_t queries() const { return m_.heads * m_.head_width / s_.tp; }
  std::int64_t latents() const { return m_.query_latent + m_.key_latent + m_.shared_key; }
  std::int64_t up(std::int64_t ffn) const { return (m_.gated() ? 2 : 1) * ffn; }
  /// Of the MLP that all tokens meet.
  std::int64_t ffn(bool has_experts) const {
    return (has_experts ? m_.shared_ffn : m_.ffn) / s_.tp;
  }
  std::int64_t local_experts() const { return std::max<std::int64_t>(m_.experts / s_.ep, 1); }
  std::int64_t expert_ffn() const { return m_.expert_ffn / s_.expert_tp; }
  std::int64_t vocab() const { return m_.vocab / s_.tp; }
  std::int64_t rows() const { return s_.mbs * (m_.seq / s_.cp); }
  double tp() const { return number(s_.tp); }

  /// Rounded up.
  std::int64_t waves(std::int64_t tiles) const {
    constexpr double kExact =
        1e-9;  // a product with the reciprocal may come out below a whole number
    return static_cast<std::int64_t>(number(tiles + machine_.units - 1) * a_unit_ + kExact);
  }
  std::int64_t mlp_width(bool has_experts) const;
  double tiles(std::int64_t rows, std::int64_t columns) const;
  double product(std::int64_t rows, std::int64_t columns, std::int64_t depth) const;
  double mlp_products(std::int64_t ffn) const;
  /// Memory traffic of MLPs that are so wide, together. Unit: bytes.
  double mlp_bytes(std::int64_t width) const;
  double latent_bytes() const;
  double tensor_messages(bool has_experts, bool back, double products) const;
  bool waits_for_mlp(bool has_experts) const;
  LayerPass forward(bool has_experts) const;
  LayerPass backward(const LayerPass& ahead, bool has_experts) const;
  LayerPass remade(const LayerPass& ahead, bool has_experts) const;
  void remake_heads(LayerPass& pass) const;
  void remake_mlp(const LayerPass& ahead, bool has_experts, LayerPass& pass) const;
  double score_seconds() const;
  double attention_sums(bool back) const;
  double expert_products(bool back) const;
  double expert_matrices() const;
  double exposed_weights(const Matrices& matrices, double ahead, double back) const;

  const Setup& s_;
  const Shape& m_;
  const Machine& machine_;
  const Rates& rates_;
  MessageTime messages_;
  double seconds_a_byte_;
  double seconds_a_wave_;  ///< of each element of a wave's tiles and each step in depth
  double a_unit_;          ///< 1 / multiprocessors
};

}  // namespace pippin
