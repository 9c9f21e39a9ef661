// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/layer_time.h"

#include <algorithm>
#include <cmath>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/attention_matrices.h"

namespace pippin {

namespace {

constexpr double kTera = 1e12, kGiga = 1e9, kMicro = 1e-6;
constexpr double kNormBytes = 4;    // of memory traffic for each element
constexpr double kWeightBytes = 2;  // of one that is gathered

/// One after the other in part: neither can hide the other wholly.
double both(double a, double b) {
  constexpr double kSharpness = 2.5;
  const double more = std::max(a, b), less = std::min(a, b);
  return more > 0 ? more * std::pow(1 + std::pow(less / more, kSharpness), 1 / kSharpness) : 0;
}

}  // namespace

double LayerPass::all() const { return both(computing(), issue); }

LayerClock::LayerClock(const Setup& setup, const Machine& machine, const Rates& rates)
    : s_(setup),
      m_(setup.shape),
      machine_(machine),
      rates_(rates),
      messages_(setup, machine, rates),
      seconds_a_byte_(1 / (machine.memory_gb_per_s * kGiga * rates.memory_share)),
      seconds_a_wave_(2 * number(machine.units) /
                      (machine.peak_tflops * kTera * rates.product_share)),
      a_unit_(1 / number(machine.units)) {}

double LayerClock::tokens() const { return tokens_of(s_); }

/// Whole waves of tiles over the multiprocessors; the tile that suits best. Unit: elements.
inline double LayerClock::tiles(std::int64_t rows, std::int64_t columns) const {
  struct Side {
    explicit Side(std::int64_t length)
        : in64((static_cast<std::uint64_t>(length) + 63) / 64),
          in128((in64 + 1) / 2),
          in256((in64 + 3) / 4) {}
    std::uint64_t in64, in128, in256;  ///< rounded up
  };
  const Side r(rows), c(columns);
  // Elements, more where such tiles are slower.
  const auto work = [&](std::uint64_t tiles, double each) {
    return number(waves(static_cast<std::int64_t>(tiles))) * each;
  };
  const double large =
      std::min(work(r.in256 * c.in128, 256 * 128), work(r.in128 * c.in256, 256 * 128));
  const double square =
      std::min(work(r.in128 * c.in128, 128 * 128 / 0.9), work(r.in64 * c.in64, 64 * 64 / 0.6));
  const double small =
      std::min(work(r.in64 * c.in128, 64 * 128 / 0.75), work(r.in128 * c.in64, 64 * 128 / 0.75));
  return std::min({large, square, small});
}

/// Below some length of a side the start-up shows; and no product is faster than memory hands it
/// over.
double LayerClock::product(std::int64_t rows, std::int64_t columns, std::int64_t depth) const {
  const double m = number(rows), n = number(columns), k = number(depth);
  const double faces = m * k + k * n + m * n;
  const double start = 1 + rates_.short_side * faces / (m * n * k);
  const double computing = tiles(rows, columns) * k * start * seconds_a_wave_;
  return std::max(computing, 2 * faces * seconds_a_byte_);
}

ProductWork LayerClock::work(std::int64_t rows, std::int64_t columns, std::int64_t depth) const {
  const double m = number(rows), n = number(columns), k = number(depth);
  const double faces = m * k + k * n + m * n;
  const double whole = tiles(rows, columns) * k * seconds_a_wave_ * rates_.product_share;
  return {whole, whole * faces / (m * n * k), 2 * faces * seconds_a_byte_};
}

/// Softmax and dropout read and write scores: 13 bytes each.
double LayerClock::score_seconds() const {
  constexpr double kBytes = 13;
  if (s_.attention != Attention::kScores) return 0;
  return kBytes * number(s_.mbs * m_.heads) / tp() * number(m_.seq / s_.cp) * number(m_.seq) *
         seconds_a_byte_;
}

double LayerClock::exposed(double traffic, double computing) const {
  return traffic - rates_.hidden_share * std::min(traffic, computing);
}

/// Of attention's output, and, where heads are made of latents, of those.
double LayerClock::attention_sums(bool back) const {
  const double whole = messages_.sum_of_tensor();
  if (!m_.is_latent()) return whole;
  const std::int64_t queries = m_.query_latent > 0 ? m_.query_latent : m_.hidden;
  const std::int64_t width = queries + m_.key_latent;
  if (!s_.sequence_parallel) return back ? messages_.sum_of_tensor(width) : whole;
  const double down = messages_.sum_of_tensor(width + m_.shared_key);
  return whole / 2 + (back ? down : down / 2);
}

/// Latents are normed, and keys put together of their two parts.
double LayerClock::latent_bytes() const {
  constexpr double kJoinBytes = 4;
  if (!m_.is_latent()) return 0;
  return tokens() *
         (kNormBytes * number(latents()) * sequence_share(s_) + kJoinBytes * number(queries()));
}

double LayerClock::mlp_products(std::int64_t ffn) const {
  if (ffn == 0) return 0;
  return product(rows(), up(ffn), m_.hidden) + product(rows(), m_.hidden, ffn);
}

/// Widths of the MLPs that a token meets, together.
std::int64_t LayerClock::mlp_width(bool has_experts) const {
  return has_experts ? m_.experts_per_token * m_.expert_ffn + m_.shared_ffn : m_.ffn;
}

double LayerClock::mlp_bytes(std::int64_t width) const {
  return tokens() * (m_.gated() ? 6 : 4) * number(width) / tp();
}

/// Experts under sequence parallelism get their tokens otherwise; shared ones that overlap hide it.
bool LayerClock::waits_for_mlp(bool has_experts) const {
  const bool has_mlp = ffn(has_experts) > 0;
  return !has_experts || !s_.sequence_parallel || (has_mlp && !s_.overlaps_shared);
}

/// Messages of TP, beside these products where they overlap.
double LayerClock::tensor_messages(bool has_experts, bool back, double products) const {
  const double mlp = waits_for_mlp(has_experts) ? messages_.sum_of_tensor() : 0;
  const double whole = mlp + attention_sums(back);
  return s_.overlaps_tensor && s_.sequence_parallel ? exposed(whole, products) : whole;
}

LayerPass LayerClock::forward(bool has_experts) const {
  constexpr double kStreamBytes = 22;
  const double h = hidden();
  const bool flash = s_.attention != Attention::kScores;
  LayerPass pass;
  each_attention_matrix(m_, s_.tp, [&](const AttentionMatrix& one) {
    pass.products += product(rows(), one.rows, one.columns);
  });
  const std::int64_t ffn = this->ffn(has_experts);
  if (has_experts) pass.products += expert_products(false);
  pass.products += mlp_products(ffn);
  const double flop =
      2 * number(rows()) * number(m_.seq) * number(queries() + values()) * (flash ? 0.5 : 1);
  const double odd = !flash && m_.head_width % 8 != 0 ? rates_.odd_head_share : 1;
  pass.attention = flop / (machine_.peak_tflops_16 * kTera * rates_.attention_share * odd);
  const double stream = tokens() * h * kStreamBytes * sequence_share(s_) + latent_bytes();
  const double mlp = mlp_bytes(mlp_width(has_experts)) + 4 * h * tokens() / tp();
  // What attention makes of each part of a sequence is added to what it made of the others.
  constexpr double kSumBytes = 8;
  const double sums = s_.cp > 1 ? kSumBytes * number(s_.cp * rows() * values()) : 0;
  pass.elements = (stream + mlp + sums) * seconds_a_byte_ + score_seconds();
  pass.tensor = tensor_messages(has_experts, false, pass.products);
  pass.context = messages_.ring(pass.attention, 2);
  if (has_experts) pass.experts = 2 * messages_.dispatch();
  constexpr double kMixture = 2;  // router, permutation and the experts: as many kernels again
  // Kernels for each further part of a sequence. Of 8 published times of CP 2 on A100 and H100
  // beside those of CP 1: 0.21 and 0.36.
  constexpr double kPart = 0.25;
  pass.issue =
      ((has_experts ? kMixture : 1) + kPart * number(s_.cp - 1)) * rates_.layer_us * kMicro;
  return pass;
}

LayerPass LayerClock::backward(const LayerPass& ahead, bool has_experts) const {
  constexpr double kAttention = 2, kFlash = 2.5, kElements = 1.5, kScores = 1.3, kIssue = 1.5;
  const std::int64_t h = m_.hidden;
  LayerPass pass;
  each_attention_matrix(m_, s_.tp, [&](const AttentionMatrix& one) {
    pass.products +=
        product(rows(), one.columns, one.rows) + product(one.rows, one.columns, rows());
  });
  const std::int64_t ffn = this->ffn(has_experts), up = this->up(ffn);
  if (has_experts) pass.products += expert_products(true);
  if (ffn > 0)
    pass.products += product(rows(), h, up) + product(rows(), ffn, h) + product(up, h, rows()) +
                     product(h, ffn, rows());
  pass.attention = (s_.attention == Attention::kScores ? kAttention : kFlash) * ahead.attention;
  const double scores = score_seconds();
  pass.elements = kElements * (ahead.elements - scores) + kScores * scores;
  pass.tensor = tensor_messages(has_experts, true, pass.products);
  pass.context = messages_.ring(pass.attention, 4);  // and the gradients of keys and values
  pass.experts = ahead.experts;
  pass.issue = kIssue * ahead.issue;
  return pass;
}

/// From latents to heads, which are gathered under sequence parallelism.
void LayerClock::remake_heads(LayerPass& pass) const {
  each_attention_matrix(m_, s_.tp, [&](const AttentionMatrix& one) {
    const bool is_up = one.part == AttentionPart::kQueryUp || one.part == AttentionPart::kQuery ||
                       one.part == AttentionPart::kKeyUp;
    if (is_up) pass.products += product(rows(), one.rows, one.columns);
  });
  pass.elements += latent_bytes() * seconds_a_byte_;
  const std::int64_t queries = m_.query_latent > 0 ? m_.query_latent : m_.hidden;
  if (s_.sequence_parallel) pass.tensor += messages_.sum_of_tensor(queries + m_.key_latent) / 2;
}

/// What stands in the MLP's place, or parts of it.
void LayerClock::remake_mlp(const LayerPass& ahead, bool has_experts, LayerPass& pass) const {
  const Remade& again = s_.remade;
  const bool is_whole = has_experts ? again.experts : again.mlp;
  const bool has_shared = has_experts && m_.shared_ffn > 0 && (is_whole || again.shared);
  if (is_whole && has_experts) {
    pass.products += expert_products(false);
    pass.experts += ahead.experts;
  }
  if ((is_whole && !has_experts) || has_shared) {
    pass.products += mlp_products(ffn(has_experts));
    if (waits_for_mlp(has_experts)) pass.tensor += messages_.sum_of_tensor();
  }
  std::int64_t width = is_whole ? mlp_width(has_experts) : has_shared ? m_.shared_ffn : 0;
  if (!is_whole && has_experts && again.activation) width += m_.experts_per_token * m_.expert_ffn;
  pass.elements += mlp_bytes(width) * seconds_a_byte_;
}

LayerPass LayerClock::remade(const LayerPass& ahead, bool has_experts) const {
  LayerPass pass;
  if (s_.framework == Framework::kFsdp) {
    // Every second product, and all between them; attention's and what was summed is kept.
    pass.products = ahead.products / 2;
    pass.elements = ahead.elements - score_seconds();
    pass.tensor = ahead.tensor / 2;
    return pass;
  }
  if (s_.remakes_attention()) {
    pass.attention = ahead.attention + score_seconds();
    pass.context = ahead.context;
  }
  if (s_.remade.heads) remake_heads(pass);
  remake_mlp(ahead, has_experts, pass);
  const double norms = number(s_.remade_norms(has_experts));
  pass.elements += norms * kNormBytes * tokens() * hidden() * sequence_share(s_) * seconds_a_byte_;
  return pass;
}

double LayerClock::head_seconds() const {
  const std::int64_t h = m_.hidden, v = vocab();
  const double products = product(rows(), v, h) + product(rows(), h, v) + product(v, h, rows());
  // Logits are made in 16 bits also where layers are in 8.
  return products * machine_.peak_tflops / machine_.peak_tflops_16 +
         rates_.logit_bytes * tokens() * number(v) * seconds_a_byte_;
}

double LayerClock::embedding_seconds() const {
  constexpr double kTokenBytes = 30, kWeightBytes = 8;
  return (kTokenBytes * tokens() + kWeightBytes * number(vocab())) * hidden() * seconds_a_byte_ +
         2 * messages_.sum_of_tensor();
}

/// What stands before each layer of MTP.
double LayerClock::mtp_seconds() const {
  if (m_.mtp_layers == 0) return 0;
  constexpr double kTokenBytes = 30, kStreamBytes = 32;  // as of the embedding; of norms and copies
  const std::int64_t out = m_.hidden / s_.tp, in = 2 * m_.hidden;
  const double products =
      product(rows(), out, in) + product(rows(), in, out) + product(out, in, rows());
  const double stream = tokens() * hidden() * (kTokenBytes + kStreamBytes * sequence_share(s_));
  const double messages = messages_.sum_of_tensor() + messages_.sum_of_tensor(in);
  return number(m_.mtp_layers) * (products + stream * seconds_a_byte_ + messages);
}

Matrices LayerClock::matrices(bool has_experts) const {
  const std::int64_t ffn = this->ffn(has_experts);
  return {number(attention_elements(m_, s_.tp)) + hidden() * number(up(ffn) + ffn),
          has_experts ? expert_matrices() : 0};
}

/// The elements of those of a layer's experts that a rank holds.
double LayerClock::expert_matrices() const {
  return number(local_experts()) * hidden() * number(up(expert_ffn()) + expert_ffn());
}

/// The products of a layer's experts, whose tokens are spread evenly. Grouped ones fill the
/// multiprocessors together.
double LayerClock::expert_products(bool back) const {
  const std::int64_t h = m_.hidden, down = expert_ffn(), up = this->up(down),
                     local = local_experts();
  const std::int64_t all =
      std::max<std::int64_t>(rows() * m_.experts_per_token * s_.expert_tp / s_.tp, 1);
  const std::int64_t each = s_.grouped_experts ? all : (all + local - 1) / local;
  const double times = s_.grouped_experts ? 1 : number(local);
  const double computing = back ? product(each, h, up) + product(each, down, h) +
                                      product(up, h, each) + product(h, down, each)
                                : product(each, up, h) + product(each, h, down);
  constexpr double kForward = 2,
                   kBackward = 8;  // bytes of each weight: read; read and its gradient
  return std::max(times * computing,
                  (back ? kBackward : kForward) * expert_matrices() * seconds_a_byte_);
}

double LayerClock::over_replicas(double bytes, const Matrices& matrices) const {
  const std::int64_t between = s_.pipeline_before_data ? s_.pp : 1;
  const std::int64_t replicas = s_.dp * s_.cp;
  const std::int64_t instances = s_.zero == 1 ? std::min(s_.instances, replicas) : 1;
  const double dense =
      messages_.half_collective(bytes * matrices.dense, replicas / instances, s_.tp * between);
  if (matrices.experts == 0) return dense;
  return dense + messages_.half_collective(bytes * matrices.experts,
                                           s_.expert_replicas() / instances,
                                           s_.expert_tp * s_.ep * between);
}

/// ZeRO-3 gathers weights in each pass, and spreads their gradients.
double LayerClock::exposed_weights(const Matrices& matrices, double ahead, double back) const {
  if (s_.zero < 3) return 0;
  const double gather = over_replicas(kWeightBytes, matrices);
  const double spread = over_replicas(s_.gradient_bytes(), matrices);
  return exposed(gather, ahead) + exposed(gather + spread, back);
}

double LayerClock::exposed_end(double elements, double seconds) const {
  constexpr double kAhead = 1.0 / 3;  // products of the backward pass are twice as many
  return exposed_weights({elements, 0}, kAhead * seconds, (1 - kAhead) * seconds);
}

LayerTime LayerClock::layer(bool has_experts) const {
  LayerTime layer;
  layer.ahead = forward(has_experts);
  layer.back = backward(layer.ahead, has_experts);
  layer.ahead_s = layer.ahead.all();
  layer.back_s = layer.back.all();
  layer.again = rates_.recomputed_share * s_.remade_share(0);
  if (s_.recompute == Recompute::kSelective) layer.remade = remade(layer.ahead, has_experts);
  layer.exposed = exposed_weights(matrices(has_experts), layer.ahead_s, layer.whole_back_s());
  return layer;
}

}  // namespace pippin
