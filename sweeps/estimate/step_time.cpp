// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/step_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/attention_matrices.h"
#include "sweeps/estimate/message_time.h"

namespace pippin {

namespace {

constexpr double kTera = 1e12, kGiga = 1e9, kMicro = 1e-6, kMilli = 1e-3;

/// One after the other in part: neither can hide the other wholly.
double both(double a, double b) {
  constexpr double kSharpness = 2.5;
  const double more = std::max(a, b), less = std::min(a, b);
  return more > 0 ? more * std::pow(1 + std::pow(less / more, kSharpness), 1 / kSharpness) : 0;
}

/// The seconds of an iteration's parts.
class Clock {
 public:
  Clock(const Setup& setup, const Machine& machine, const Rates& rates)
      : s_(setup),
        m_(setup.shape),
        machine_(machine),
        rates_(rates),
        messages_(setup, machine, rates),
        seconds_a_byte_(1 / memory()),
        seconds_a_wave_(2 * number(machine.units) /
                        (machine.peak_tflops * kTera * rates.product_share)),
        a_unit_(1 / number(machine.units)) {}

  StepTime time();
  ProductWork work(std::int64_t rows, std::int64_t columns, std::int64_t depth) const;

 private:
  /// What one layer takes forward and backward.
  struct Pass {
    double products = 0, attention = 0, elements = 0, issue = 0;
    double tensor = 0, context = 0, experts = 0;  ///< waiting for each of them
    double computing() const {
      return products + attention + elements + tensor + context + experts;
    }
    /// With the processor that issues it.
    double all() const { return both(computing(), issue); }
  };

  double tokens() const { return tokens_of(s_); }
  double memory() const { return machine_.memory_gb_per_s * kGiga * rates_.memory_share; }
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
  /// Widths of the MLPs that a token meets, together.
  double mlp_width(bool has_experts) const {
    return number(has_experts ? m_.experts_per_token * m_.expert_ffn + m_.shared_ffn : m_.ffn);
  }
  std::int64_t vocab() const { return m_.vocab / s_.tp; }
  std::int64_t rows() const { return s_.mbs * (m_.seq / s_.cp); }
  double tp() const { return number(s_.tp); }

  /// Rounded up.
  std::int64_t waves(std::int64_t tiles) const {
    constexpr double kExact =
        1e-9;  // a product with the reciprocal may come out below a whole number
    return static_cast<std::int64_t>(number(tiles + machine_.units - 1) * a_unit_ + kExact);
  }
  double tiles(std::int64_t rows, std::int64_t columns) const;
  double product(std::int64_t rows, std::int64_t columns, std::int64_t depth) const;
  Pass forward(bool has_experts) const;
  Pass backward(const Pass& ahead, bool has_experts) const;
  double score_seconds() const;
  double attention_sums(bool back) const;
  double head_seconds() const;
  double embedding_seconds() const;
  double mtp_seconds() const;
  double matrices(bool has_experts) const;
  double expert_matrices() const;
  double expert_products(bool back) const;
  std::int64_t replicas() const { return s_.dp * s_.cp; }

  /// One layer, both ways.
  struct Layer {
    Pass ahead, back;
    double ahead_s = 0, back_s = 0;  ///< of each once, with the processor that issues it
    double again = 0;  ///< how often its forward pass is made once more, on the first stage
    double scores_again = 0, ring_again = 0;  ///< where attention alone is made again, seconds
    double exposed = 0;                       ///< of ZeRO-3's traffic, seconds
    double whole_back_s() const { return back_s + again * ahead_s + scores_again + ring_again; }
    double all() const { return ahead_s + whole_back_s() + exposed; }
  };
  Layer layer(bool has_experts) const;
  double exposed_weights(const Layer& layer, bool has_experts) const;

  /// Of layers without experts, and of those with them.
  template <typename T>
  using Kinds = std::array<T, 2>;
  using Counts = Kinds<double>;
  Counts counts(std::int64_t layers, std::int64_t mixtures) const {
    return {number(layers - mixtures), number(mixtures)};
  }
  Counts counts_of_stage(std::int64_t stage) const {
    return counts(s_.passes_of_stage(stage), s_.mixture_passes_of_stage(stage));
  }
  /// Of all stages.
  Counts counts_of_model() const {
    return counts(m_.layers + m_.mtp_layers,
                  m_.mixtures_of(m_.layers) + (m_.ends_in_mixture() ? m_.mtp_layers : 0));
  }
  Kinds<Layer> layers() const;

  /// The slowest stage sets the pace, the others the way there and back.
  struct Stages {
    double whole = 0;    ///< a micro-batch through all of them
    double slowest = 0;  ///< through that one
    Counts layers{};     ///< that it has
    double ends = 0;     ///< what stands before or behind them there
    double again = 0;    ///< as in Layer, of that stage
  };
  Stages stages(const Kinds<Layer>& layers) const;
  double pipeline_seconds(const Stages& stages) const;
  void add_passes(const Kinds<Layer>& layers, const Stages& stages, StepTime& time) const;
  void add_update(StepTime& time) const;

  const Setup& s_;
  const Shape& m_;
  const Machine& machine_;
  const Rates& rates_;
  MessageTime messages_;
  double seconds_a_byte_;  ///< of memory
  double seconds_a_wave_;  ///< of each element of a wave's tiles and each step in depth
  double a_unit_;          ///< 1 / multiprocessors
};

/// Whole waves of tiles over the multiprocessors; the tile that suits best. Unit: elements.
inline double Clock::tiles(std::int64_t rows, std::int64_t columns) const {
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
double Clock::product(std::int64_t rows, std::int64_t columns, std::int64_t depth) const {
  const double m = number(rows), n = number(columns), k = number(depth);
  const double faces = m * k + k * n + m * n;
  const double start = 1 + rates_.short_side * faces / (m * n * k);
  const double computing = tiles(rows, columns) * k * start * seconds_a_wave_;
  return std::max(computing, 2 * faces * seconds_a_byte_);
}

ProductWork Clock::work(std::int64_t rows, std::int64_t columns, std::int64_t depth) const {
  const double m = number(rows), n = number(columns), k = number(depth);
  const double faces = m * k + k * n + m * n;
  const double whole = tiles(rows, columns) * k * seconds_a_wave_ * rates_.product_share;
  return {whole, whole * faces / (m * n * k), 2 * faces * seconds_a_byte_};
}

/// Softmax and dropout read and write scores: 13 bytes each.
double Clock::score_seconds() const {
  constexpr double kBytes = 13;
  if (s_.attention != Attention::kScores) return 0;
  return kBytes * number(s_.mbs * m_.heads) / tp() * number(m_.seq / s_.cp) * number(m_.seq) *
         seconds_a_byte_;
}

/// Of attention's output, and, where heads are made of latents, of those.
double Clock::attention_sums(bool back) const {
  const double whole = messages_.sum_of_tensor();
  if (!m_.is_latent()) return whole;
  const std::int64_t queries = m_.query_latent > 0 ? m_.query_latent : m_.hidden;
  const std::int64_t width = queries + m_.key_latent;
  if (!s_.sequence_parallel) return back ? messages_.sum_of_tensor(width) : whole;
  const double down = messages_.sum_of_tensor(width + m_.shared_key);
  return whole / 2 + (back ? down : down / 2);
}

Clock::Pass Clock::forward(bool has_experts) const {
  constexpr double kStreamBytes = 22;
  const double h = hidden();
  const bool flash = s_.attention != Attention::kScores;
  Pass pass;
  each_attention_matrix(m_, s_.tp, [&](const AttentionMatrix& one) {
    pass.products += product(rows(), one.rows, one.columns);
  });
  const std::int64_t ffn = this->ffn(has_experts);
  if (has_experts) pass.products += expert_products(false);
  if (ffn > 0)
    pass.products += product(rows(), up(ffn), m_.hidden) + product(rows(), m_.hidden, ffn);
  const double flop =
      2 * number(rows()) * number(m_.seq) * number(queries() + values()) * (flash ? 0.5 : 1);
  const double odd = !flash && m_.head_width % 8 != 0 ? rates_.odd_head_share : 1;
  pass.attention = flop / (machine_.peak_tflops_16 * kTera * rates_.attention_share * odd);
  // Latents are normed, and keys put together of their two parts.
  constexpr double kNormBytes = 4, kJoinBytes = 4;
  const double latent = m_.is_latent()
                            ? tokens() * (kNormBytes * number(latents()) * sequence_share(s_) +
                                          kJoinBytes * number(queries()))
                            : 0;
  const double stream = tokens() * h * kStreamBytes * sequence_share(s_) + latent;
  const double mlp = tokens() * ((m_.gated() ? 6 : 4) * mlp_width(has_experts) + 4 * h) / tp();
  // What attention makes of each part of a sequence is added to what it made of the others.
  constexpr double kSumBytes = 8;
  const double sums = s_.cp > 1 ? kSumBytes * number(s_.cp * rows() * values()) : 0;
  pass.elements = (stream + mlp + sums) * seconds_a_byte_ + score_seconds();
  // Experts under sequence parallelism get their tokens otherwise; shared ones that overlap hide
  // it.
  const bool waits = !has_experts || !s_.sequence_parallel || (ffn > 0 && !s_.overlaps_shared);
  pass.tensor = (waits ? messages_.sum_of_tensor() : 0) + attention_sums(false);
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

Clock::Pass Clock::backward(const Pass& ahead, bool has_experts) const {
  constexpr double kAttention = 2, kFlash = 2.5, kElements = 1.5, kScores = 1.3, kIssue = 1.5;
  const std::int64_t h = m_.hidden;
  Pass pass;
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
  pass.tensor = ahead.tensor - attention_sums(false) + attention_sums(true);
  pass.context = messages_.ring(pass.attention, 4);  // and the gradients of keys and values
  pass.experts = ahead.experts;
  pass.issue = kIssue * ahead.issue;
  return pass;
}

double Clock::head_seconds() const {
  const std::int64_t h = m_.hidden, v = vocab();
  const double products = product(rows(), v, h) + product(rows(), h, v) + product(v, h, rows());
  // Logits are made in 16 bits also where layers are in 8.
  return products * machine_.peak_tflops / machine_.peak_tflops_16 +
         rates_.logit_bytes * tokens() * number(v) * seconds_a_byte_;
}

double Clock::embedding_seconds() const {
  constexpr double kTokenBytes = 30, kWeightBytes = 8;
  return (kTokenBytes * tokens() + kWeightBytes * number(vocab())) * hidden() * seconds_a_byte_ +
         2 * messages_.sum_of_tensor();
}

/// What stands before and behind each layer of MTP.
double Clock::mtp_seconds() const {
  if (m_.mtp_layers == 0) return 0;
  constexpr double kTokenBytes = 30, kStreamBytes = 32;  // as of the embedding; of norms and copies
  const std::int64_t out = m_.hidden / s_.tp, in = 2 * m_.hidden;
  const double products =
      product(rows(), out, in) + product(rows(), in, out) + product(out, in, rows());
  const double stream = tokens() * hidden() * (kTokenBytes + kStreamBytes * sequence_share(s_));
  const double messages = messages_.sum_of_tensor() + messages_.sum_of_tensor(in);
  return number(m_.mtp_layers) * (products + stream * seconds_a_byte_ + messages + head_seconds());
}

/// The elements of a layer's matrices, without experts.
double Clock::matrices(bool has_experts) const {
  const std::int64_t ffn = this->ffn(has_experts);
  return number(attention_elements(m_, s_.tp)) + hidden() * number(up(ffn) + ffn);
}

/// The elements of those of a layer's experts that a rank holds.
double Clock::expert_matrices() const {
  return number(local_experts()) * hidden() * number(up(expert_ffn()) + expert_ffn());
}

/// The products of a layer's experts, whose tokens are spread evenly. Grouped ones fill the
/// multiprocessors together.
double Clock::expert_products(bool back) const {
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

/// ZeRO-3 gathers a layer's weights in each pass, and spreads its gradients.
double Clock::exposed_weights(const Layer& layer, bool has_experts) const {
  if (s_.zero < 3) return 0;
  const double gradient = s_.gradient_bytes();
  const double weights = matrices(has_experts);
  const double gather = messages_.half_collective(2 * weights, replicas(), s_.tp);
  const double spread = messages_.half_collective(gradient * weights, replicas(), s_.tp);
  const auto beside = [&](double computing, double traffic) {
    return std::max(computing, traffic) + (1 - rates_.hidden_share) * std::min(computing, traffic) -
           computing;
  };
  return beside(layer.ahead_s, gather) + beside(layer.whole_back_s(), gather + spread);
}

Clock::Layer Clock::layer(bool has_experts) const {
  Layer layer;
  layer.ahead = forward(has_experts);
  layer.back = backward(layer.ahead, has_experts);
  layer.ahead_s = layer.ahead.all();
  layer.back_s = layer.back.all();
  layer.again = rates_.recomputed_share * s_.remade_share(0);
  if (s_.remakes_attention()) {
    layer.scores_again = layer.ahead.attention + score_seconds();
    layer.ring_again = layer.ahead.context;
  }
  layer.exposed = exposed_weights(layer, has_experts);
  return layer;
}

/// Those of which there are none take no time.
Clock::Kinds<Clock::Layer> Clock::layers() const {
  Kinds<Layer> layers;
  const std::int64_t mixtures = m_.mixtures_of(m_.layers);
  if (mixtures < m_.layers) layers[0] = layer(false);
  if (mixtures > 0) layers[1] = layer(true);
  return layers;
}

Clock::Stages Clock::stages(const Kinds<Layer>& layers) const {
  const double embedding = embedding_seconds(), head = head_seconds() + mtp_seconds();
  const double usual = rates_.recomputed_share * s_.remade_share(0);
  const Counts all = counts_of_model();
  const Counts each{all[0] > 0 ? layers[0].all() : 0, all[1] > 0 ? layers[1].all() : 0};
  Stages stages;
  stages.whole = all[0] * each[0] + all[1] * each[1] + embedding + head;
  if (s_.pp == 1) return {stages.whole, stages.whole, all, embedding + head, usual};
  // Where only some layers of a stage are made again, stages of other lengths have other shares.
  const auto look_at = [&](std::int64_t stage, double ends, std::int64_t alike) {
    const Counts own = counts_of_stage(stage);
    const double again = rates_.recomputed_share * s_.remade_share(stage);
    const double more = (again - usual) * (own[0] * layers[0].ahead_s + own[1] * layers[1].ahead_s);
    stages.whole += number(alike) * more;
    const double seconds = own[0] * each[0] + own[1] * each[1] + more + ends;
    if (seconds > stages.slowest) {
      stages.slowest = seconds;
      stages.layers = own;
      stages.ends = ends;
      stages.again = again;
    }
  };
  look_at(0, embedding, 1);
  look_at(s_.pp - 1, head, 1);
  if (!s_.mixes_stages()) {
    if (s_.pp > 2) look_at(1, 0, s_.pp - 2);
    return stages;
  }
  for (std::int64_t stage = 1; stage < s_.pp - 1; ++stage) look_at(stage, 0, 1);
  return stages;
}

/// Messages, and idling at the pipeline's ends, which chunks shorten. Source: Narayanan et al.,
/// SC21, section 2.2.
double Clock::pipeline_seconds(const Stages& stages) const {
  if (s_.pp == 1) return 0;
  const double chunks = number(s_.chunks);
  // Stages on one node: only where that ends does a message leave it. The slowest sets the pace.
  const std::int64_t stage = s_.gpus() / s_.pp;
  const std::int64_t hops =
      stage >= s_.gpus_per_node ? s_.pp - 1 : (s_.gpus() - 1) / s_.gpus_per_node;
  const double far = hops > 0 ? chunks * messages_.between_stages(true) : 0;
  const double near = hops < s_.pp - 1 ? chunks * messages_.between_stages(false) : 0;
  const double fill =
      stages.whole - stages.slowest + number(hops) * far + number(s_.pp - 1 - hops) * near;
  return number(s_.gas) * std::max(far, near) + fill / chunks;
}

/// Where the slowest stage's time goes; what its ends take counts as products.
void Clock::add_passes(const Kinds<Layer>& layers, const Stages& stages, StepTime& time) const {
  const double gas = number(s_.gas);
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    if (stages.layers[kind] == 0) continue;
    const Layer& layer = layers[kind];
    const double rounds = gas * stages.layers[kind];
    const auto parts = [&](double Pass::*part) {
      return rounds * ((1 + stages.again) * layer.ahead.*part + layer.back.*part);
    };
    time.products += parts(&Pass::products);
    time.attention += parts(&Pass::attention) + rounds * layer.scores_again;
    time.elements += parts(&Pass::elements);
    time.tensor += parts(&Pass::tensor);
    time.context += parts(&Pass::context) + rounds * layer.ring_again;
    time.experts += parts(&Pass::experts);
    time.issue += rounds * ((1 + stages.again) * (layer.ahead_s - layer.ahead.computing()) +
                            layer.back_s - layer.back.computing());
    time.data += rounds * layer.exposed;
  }
  time.products += gas * stages.ends;
  time.pipeline = pipeline_seconds(stages);
}

/// Gradients, weights and the optimizer of the stage that has most of them.
void Clock::add_update(StepTime& time) const {
  double own = 0, experts = 0;
  const Counts each{matrices(false), m_.experts > 0 ? matrices(true) : 0};
  const auto look_at = [&](std::int64_t stage) {
    const double further = number(s_.mtp_weights_of_stage(stage));
    Counts layers = counts(s_.layers_of_stage(stage), s_.mixtures_of_stage(stage));
    layers[m_.ends_in_mixture() ? 1 : 0] += further;
    const double words = number(vocab()) * (further > 0 && s_.pp > 1 ? 2 : 1);
    const double dense = layers[0] * each[0] + layers[1] * each[1] +
                         (words + further * 2 * hidden() / tp()) * hidden();
    const double spread = layers[1] > 0 ? layers[1] * expert_matrices() : 0;
    if (dense + spread > own + experts) {
      own = dense;
      experts = spread;
    }
  };
  look_at(0);
  if (s_.pp > 1) look_at(s_.pp - 1);
  for (std::int64_t stage = 1; s_.mixes_stages() && stage < s_.pp - 1; ++stage) look_at(stage);
  const double gradient = s_.gradient_bytes();
  const std::int64_t instances = s_.zero == 1 ? std::min(s_.instances, replicas()) : 1;
  const auto half = [&](double bytes) {
    return messages_.half_collective(bytes * own, replicas() / instances, s_.tp) +
           messages_.half_collective(bytes * experts, s_.expert_replicas() / instances,
                                     s_.expert_tp * s_.ep);
  };
  // What a rank has of the gradients is summed over the instances.
  const double part = gradient * own * number(instances) / number(replicas());
  time.data += 2 * messages_.half_collective(part, instances, s_.tp * replicas() / instances);
  if (s_.zero == 0) time.data += 2 * half(gradient);
  // ZeRO-2 reduces the gradients of each micro-batch.
  if (s_.zero == 1 || s_.zero == 2)
    time.data += half(gradient) * (s_.zero == 2 ? number(s_.gas) : 1) + half(2);
  const double parts =
      s_.zero > 0 ? own / number(replicas()) + experts / number(s_.expert_shards()) : own + experts;
  time.optimizer = rates_.optimizer_bytes * parts * seconds_a_byte_;
  time.fixed = rates_.fixed_ms * kMilli;
}

StepTime Clock::time() {
  const Kinds<Layer> each = layers();
  StepTime time;
  add_passes(each, stages(each), time);
  add_update(time);
  return time;
}

}  // namespace

const RateParameters& rate_parameters() {
  static const RateParameters kAll{{
      {"product_share", &Rates::product_share, 0.2, 0.92, 0.2, false},
      {"short_side", &Rates::short_side, 1, 1000, 0.6, false},
      {"attention_share", &Rates::attention_share, 0.03, 1, 0.6, false},
      {"odd_head_share", &Rates::odd_head_share, 0.03, 1, 0.6, false},
      {"memory_share", &Rates::memory_share, 0.2, 1, 0.3, false},
      {"layer_us", &Rates::layer_us, 50, 4000, 0.15, false},
      {"call_us", &Rates::call_us, 3, 400, 0.7, false},
      {"link_share", &Rates::link_share, 0.1, 1, 0.4, false},
      {"node_share", &Rates::node_share, 0.05, 1, 0.8, false},
      {"message_share", &Rates::message_share, 0.03, 1, 0.7, false},
      {"optimizer_bytes", &Rates::optimizer_bytes, 8, 120, 0.3, false},
      {"logit_bytes", &Rates::logit_bytes, 4, 150, 0.3, false},
      {"fixed_ms", &Rates::fixed_ms, 0.5, 5000, 0.7, false},
      {"hidden_share", &Rates::hidden_share, 0, 1, 0.5, true},
      {"recomputed_share", &Rates::recomputed_share, 0, 1, 0.5, true},
  }};
  return kAll;
}

ProductWork product_work(const Machine& machine, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Setup none;
  const Rates usual;
  return Clock(none, machine, usual).work(m, n, k);
}

StepTime step_time(const Setup& setup, const Machine& machine, const Rates& rates) {
  return Clock(setup, machine, rates).time();
}

}  // namespace pippin
