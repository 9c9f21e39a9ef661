// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/stage_parameters.h"

#include <algorithm>

#include "sweeps/estimate/attention_matrices.h"

namespace pippin {

Parameters operator+(const Parameters& a, const Parameters& b) {
  return {a.split + b.split, a.replicated + b.replicated, a.experts + b.experts,
          a.products + b.products};
}

Parameters operator*(std::int64_t times, const Parameters& one) {
  return {times * one.split, times * one.replicated, times * one.experts, times * one.products};
}

namespace {

std::int64_t norm(const Shape& m) { return (m.norm_biases ? 2 : 1) * m.hidden; }

std::int64_t query_width(const Shape& m) { return m.heads * m.head_width; }
std::int64_t key_width(const Shape& m) { return m.kv_heads * m.head_width; }

std::int64_t word_embedding(const Setup& setup) {
  return setup.shape.vocab / setup.tp * setup.shape.hidden;
}

/// An MLP of such a width, in so many parts.
struct Mlp {
  Mlp(const Shape& m, std::int64_t width, std::int64_t parts) {
    const std::int64_t up = (m.gated() ? 2 : 1) * width;
    products = (up + width) * m.hidden / parts;
    split = products + (m.biases ? up / parts : 0);
    whole = m.biases ? m.hidden : 0;
  }
  std::int64_t products;
  std::int64_t split;  ///< with the biases of what is split
  std::int64_t whole;
};

void add_mlp(const Setup& setup, std::int64_t width, Parameters& layer) {
  const Mlp mlp(setup.shape, width, setup.tp);
  layer.split += mlp.split;
  layer.replicated += mlp.whole;
  layer.products += mlp.products;
}

void add_experts(const Setup& setup, Parameters& layer) {
  const Shape& m = setup.shape;
  const Mlp one(m, m.expert_ffn, setup.expert_tp);
  layer.replicated += m.experts * (m.hidden + (m.biases ? 1 : 0));  // the router
  layer.experts += m.experts / setup.ep * (one.split + one.whole);
  layer.products += m.experts / setup.ep * one.products;
  if (m.shared_ffn > 0) add_mlp(setup, m.shared_ffn, layer);
  if (m.shared_gate) layer.replicated += m.hidden;
}

}  // namespace

Parameters layer_parameters(const Setup& setup, bool has_experts) {
  const Shape& m = setup.shape;
  Parameters layer;
  each_attention_matrix(m, setup.tp, [&](const AttentionMatrix& one) {
    (one.is_split ? layer.split : layer.replicated) += one.elements();
    layer.products += one.elements();
  });
  if ((m.biases || m.qkv_biases) && !m.is_latent())
    layer.split += (query_width(m) + 2 * key_width(m)) / setup.tp;
  if (m.biases) layer.replicated += m.hidden;
  layer.replicated += 2 * norm(m);
  const std::int64_t normed = m.is_latent() ? m.query_latent + m.key_latent : 2 * m.head_width;
  if (m.qk_norms) layer.replicated += normed * (m.norm_biases ? 2 : 1);
  if (has_experts)
    add_experts(setup, layer);
  else
    add_mlp(setup, m.ffn, layer);
  return layer;
}

Parameters embedding_parameters(const Setup& setup) {
  const Shape& m = setup.shape;
  return {word_embedding(setup), m.learned_positions ? m.positions * m.hidden : 0};
}

Parameters head_parameters(const Setup& setup) {
  const Shape& m = setup.shape;
  const bool shares = m.tied && setup.pp == 1;
  Parameters head{shares ? 0 : word_embedding(setup), 0};
  // DeepSpeed ties the embedding with its positions.
  if (setup.framework == Framework::kDeepSpeedPipeline && setup.pp > 1 && m.learned_positions)
    head.replicated += m.positions * m.hidden;
  return head;
}

Parameters mtp_parameters(const Setup& setup) {
  const Shape& m = setup.shape;
  if (m.mtp_layers == 0) return {};
  Parameters one = layer_parameters(setup, m.ends_in_mixture());
  const std::int64_t projection =
      2 * m.hidden * (m.hidden / setup.tp);  // of a token and the stream
  one.split += projection;
  one.products += projection;
  one.replicated += 3 * norm(m);
  const Parameters all = m.mtp_weights() * one;
  return setup.pp > 1 ? all + embedding_parameters(setup) : all;
}

Parameters stage_parameters(const Setup& setup, std::int64_t stage) {
  const std::int64_t mixtures = setup.mixtures_of_stage(stage);
  const std::int64_t dense = setup.layers_of_stage(stage) - mixtures;
  Parameters all;
  if (dense > 0) all = all + dense * layer_parameters(setup, false);
  if (mixtures > 0) all = all + mixtures * layer_parameters(setup, true);
  if (stage == 0) all = all + embedding_parameters(setup);
  if (stage == 0 && setup.shape.embedding_norm) all.replicated += 2 * setup.shape.hidden;
  if (stage == setup.place_of_last_norm() % setup.pp) all.replicated += norm(setup.shape);
  if (stage == setup.pp - 1) all = all + head_parameters(setup);
  if (stage == setup.mtp_stage()) all = all + mtp_parameters(setup);
  return all;
}

bool is_countable(const Shape& m) {
  constexpr double kMost = 9e15;  // above it floating point loses single ones, too
  const double all_heads = number(m.heads) + 2 * number(m.kv_heads);
  const double wide =
      number(m.hidden) + all_heads * number(m.head_width) +
      number(m.heads) * number(m.value_width) +
      3 * (number(m.ffn) + number(m.shared_ffn) + number(m.expert_ffn) * number(m.experts));
  const double words = number(m.vocab) * (1 + number(m.mtp_layers)) + number(m.positions);
  const double latents = number(m.query_latent) + number(m.key_latent) + number(m.shared_key);
  const double ups = latents * (number(m.heads) * (number(m.head_width) + number(m.value_width)) +
                                number(m.hidden));
  const double layers = number(m.layers) + number(m.mtp_layers);
  return (layers * (wide + 2 * number(m.hidden)) + words) * number(m.hidden) + layers * ups <
             kMost &&
         number(m.heads) * number(m.seq) * number(m.seq) < kMost;
}

double token_weights(const Shape& m) {
  const std::int64_t further = m.mtp_layers, layers = m.layers + further;
  const std::int64_t mixtures = m.mixtures_of(m.layers) + (m.ends_in_mixture() ? further : 0);
  const double widths =
      number(layers - mixtures) * number(m.ffn) +
      number(mixtures) * number(m.experts_per_token * m.expert_ffn + m.shared_ffn);
  const double attention = number(attention_elements(m, 1));
  const double ends =
      number(1 + further) * number(m.vocab) + number(further) * 2 * number(m.hidden);
  return number(layers) * attention + number(m.hidden) * ((m.gated() ? 3 : 2) * widths + ends);
}

double attention_widths(const Shape& m) {
  return number(m.layers + m.mtp_layers) * number(m.heads * (m.head_width + m.values()));
}

std::int64_t active_parameters(Shape shape) {
  if (shape.experts == 0) return model_parameters(shape);
  const std::int64_t routers =  // of each expert
      (shape.mixtures_of(shape.layers) + (shape.ends_in_mixture() ? shape.mtp_weights() : 0)) *
      (shape.hidden + (shape.biases ? 1 : 0));
  const std::int64_t others = shape.experts - shape.experts_per_token;
  shape.experts = shape.experts_per_token;
  return model_parameters(shape) + routers * others;
}

std::int64_t model_parameters(const Shape& shape) {
  Setup whole;
  whole.shape = shape;
  return stage_parameters(whole, 0).all();
}

}  // namespace pippin
