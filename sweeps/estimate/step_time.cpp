// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/step_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sweeps/estimate/layer_time.h"

namespace pippin {

namespace {

constexpr double kMilli = 1e-3;

/// The seconds of an iteration's parts.
class Clock {
 public:
  Clock(const Setup& setup, const Machine& machine, const Rates& rates)
      : s_(setup),
        m_(setup.shape),
        rates_(rates),
        layer_(setup, machine, rates),
        words_(number(m_.vocab / s_.tp)) {}

  StepTime time();

 private:
  std::int64_t replicas() const { return s_.dp * s_.cp; }

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
  Kinds<LayerTime> layers() const;

  /// Of one micro-batch.
  struct End {
    double seconds = 0;  ///< without traffic
    double exposed = 0;  ///< of ZeRO-3's traffic
  };
  End end(std::int64_t stage, double seconds) const;

  /// The slowest stage sets the pace, the others the way there and back.
  struct Stages {
    double whole = 0;            ///< a micro-batch through all of them
    double slowest = 0;          ///< through that one
    Counts layers{};             ///< that it has
    End end;                     ///< what stands before or behind them there
    double again = 0;            ///< as in LayerTime, of that stage
    double ahead = 0, back = 0;  ///< a micro-batch through its layers, each way
  };
  Stages stages(const Kinds<LayerTime>& layers) const;
  double pipeline_seconds(const Stages& stages) const;
  void add_passes(const Kinds<LayerTime>& layers, const Stages& stages, StepTime& time) const;
  double optimizer_share() const;
  double end_elements(std::int64_t stage) const;
  Matrices most_matrices() const;
  double sum_of_instances(const Matrices& matrices) const;
  void add_update(const Stages& stages, StepTime& time) const;

  const Setup& s_;
  const Shape& m_;
  const Rates& rates_;
  LayerClock layer_;
  double words_;  ///< of the vocabulary, on a rank
};

/// Those of which there are none take no time.
Clock::Kinds<LayerTime> Clock::layers() const {
  Kinds<LayerTime> layers;
  const std::int64_t mixtures = m_.mixtures_of(m_.layers);
  if (mixtures < m_.layers) layers[0] = layer_.layer(false);
  if (mixtures > 0) layers[1] = layer_.layer(true);
  return layers;
}

/// What stands before or behind a stage's layers, and waits there for ZeRO-3's traffic.
Clock::End Clock::end(std::int64_t stage, double seconds) const {
  return {seconds, s_.zero < 3 ? 0 : layer_.exposed_end(end_elements(stage), seconds)};
}

Clock::Stages Clock::stages(const Kinds<LayerTime>& layers) const {
  const double embedding = layer_.embedding_seconds(), mtp = layer_.mtp_seconds(),
               heads = layer_.head_seconds() * (1 + number(m_.mtp_layers));
  const double usual = rates_.recomputed_share * s_.remade_share(0);
  const Counts all = counts_of_model();
  const Counts each{all[0] > 0 ? layers[0].all() : 0, all[1] > 0 ? layers[1].all() : 0};
  Stages stages;
  stages.whole = all[0] * each[0] + all[1] * each[1] + embedding + heads + mtp;
  if (s_.pp == 1) {
    const End both = end(0, embedding + heads + mtp);
    stages.whole += both.exposed;
    return {stages.whole, stages.whole, all, both, usual};
  }
  // Where only some layers of a stage are made again, stages of other lengths have other shares.
  const auto look_at = [&](std::int64_t stage, double seconds, std::int64_t alike) {
    const End end = this->end(stage, seconds);
    const Counts own = counts_of_stage(stage);
    const double again = rates_.recomputed_share * s_.remade_share(stage);
    const double more = (again - usual) * (own[0] * layers[0].ahead_s + own[1] * layers[1].ahead_s);
    stages.whole += number(alike) * (more + end.exposed);
    const double whole = own[0] * each[0] + own[1] * each[1] + more + end.seconds + end.exposed;
    if (whole > stages.slowest) {
      stages.slowest = whole;
      stages.layers = own;
      stages.end = end;
      stages.again = again;
    }
  };
  look_at(0, embedding, 1);
  look_at(s_.pp - 1, heads + (s_.mtp_ahead == 0 ? mtp : 0), 1);
  if (!s_.mixes_stages()) {
    if (s_.pp > 2) look_at(1, 0, s_.pp - 2);
    return stages;
  }
  for (std::int64_t stage = 1; stage < s_.pp - 1; ++stage)
    look_at(stage, stage == s_.mtp_stage() ? mtp : 0, 1);
  return stages;
}

/// Messages, and idling at the pipeline's ends, which chunks shorten. Source: Narayanan et al.,
/// SC21, section 2.2.
double Clock::pipeline_seconds(const Stages& stages) const {
  if (s_.pp == 1) return 0;
  const double chunks = number(s_.chunks);
  // Stages on one node: only where that ends does a message leave it. The slowest sets the pace.
  const std::int64_t stage = s_.stage_step();
  const std::int64_t hops =
      stage >= s_.gpus_per_node ? s_.pp - 1 : (stage * s_.pp - 1) / s_.gpus_per_node;
  const auto send = [&](bool is_far, std::int64_t streams) {
    return layer_.messages().between_stages(is_far, streams);
  };
  const double far = hops > 0 ? chunks * send(true, 1) : 0;
  const double near = hops < s_.pp - 1 ? chunks * send(false, 1) : 0;
  // What the last chunk sends behind MTP.
  const std::int64_t streams = s_.streams_behind(s_.mtp_stage());
  const double more = send(far > near, streams) - send(far > near, 1);
  const double fill = stages.whole - stages.slowest + number(hops) * far +
                      number(s_.pp - 1 - hops) * near + number(s_.mtp_ahead) * more;
  return number(s_.gas) * (std::max(far, near) + more) + fill / chunks;
}

/// Where the slowest stage's time goes; what its ends take counts as products.
void Clock::add_passes(const Kinds<LayerTime>& layers, const Stages& stages, StepTime& time) const {
  const double gas = number(s_.gas);
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    if (stages.layers[kind] == 0) continue;
    const LayerTime& layer = layers[kind];
    const double rounds = gas * stages.layers[kind];
    const auto parts = [&](double LayerPass::*part) {
      return rounds *
             ((1 + stages.again) * layer.ahead.*part + layer.back.*part + layer.remade.*part);
    };
    time.products += parts(&LayerPass::products);
    time.attention += parts(&LayerPass::attention);
    time.elements += parts(&LayerPass::elements);
    time.tensor += parts(&LayerPass::tensor);
    time.context += parts(&LayerPass::context);
    time.experts += parts(&LayerPass::experts);
    time.issue += rounds * ((1 + stages.again) * (layer.ahead_s - layer.ahead.computing()) +
                            layer.back_s - layer.back.computing());
    time.data += rounds * layer.exposed;
  }
  time.products += gas * stages.end.seconds;
  time.data += gas * stages.end.exposed;
  time.pipeline = pipeline_seconds(stages);
}

/// Of what the usual optimizer reads and writes in a step: states both ways, gradients and weights
/// one way.
double Clock::optimizer_share() const {
  constexpr double kWeight = 2, kWide = 4;
  if (!s_.precision_aware) return 1;
  return (kWeight + s_.gradient_bytes() + 2 * (s_.wide_weight_bytes + s_.moment_bytes)) /
         (kWeight + kWide + 2 * (kWide + 2 * kWide));
}

/// What stands before or behind its layers: the embedding or a copy of it, the output layer, and
/// what joins MTP's two inputs.
double Clock::end_elements(std::int64_t stage) const {
  const double further = number(s_.mtp_weights_of_stage(stage)), hidden = number(m_.hidden);
  const bool has_output = stage == s_.pp - 1 && (s_.pp > 1 || !m_.tied);
  const double words =
      words_ * ((stage == 0 ? 1 : 0) + (has_output ? 1 : 0) + (further > 0 && s_.pp > 1 ? 1 : 0));
  return (words + further * 2 * hidden / number(s_.tp)) * hidden;
}

/// Of the stage that has most of them.
Matrices Clock::most_matrices() const {
  const Kinds<Matrices> each{layer_.matrices(false),
                             m_.experts > 0 ? layer_.matrices(true) : Matrices{}};
  Matrices most;
  const auto look_at = [&](std::int64_t stage) {
    Counts layers = counts(s_.layers_of_stage(stage), s_.mixtures_of_stage(stage));
    layers[m_.ends_in_mixture() ? 1 : 0] += number(s_.mtp_weights_of_stage(stage));
    const Matrices own{layers[0] * each[0].dense + layers[1] * each[1].dense + end_elements(stage),
                       layers[1] * each[1].experts};
    if (own.dense + own.experts > most.dense + most.experts) most = own;
  };
  look_at(0);
  if (s_.pp > 1) look_at(s_.pp - 1);
  for (std::int64_t stage = 1; s_.mixes_stages() && stage < s_.pp - 1; ++stage) look_at(stage);
  return most;
}

/// What a rank has of the gradients is summed over the instances of the distributed optimizer.
double Clock::sum_of_instances(const Matrices& matrices) const {
  const std::int64_t instances = s_.zero == 1 ? std::min(s_.instances, replicas()) : 1;
  if (instances == 1) return 0;
  const std::int64_t between = s_.pipeline_before_data ? s_.pp : 1;
  const auto sum = [&](double elements, std::int64_t holders, std::int64_t apart) {
    const std::int64_t ranks = std::max<std::int64_t>(holders / instances, 1);
    const double part = s_.gradient_bytes() * elements / number(ranks);
    return 2 * layer_.messages().half_collective(part, holders / ranks, apart * between * ranks);
  };
  return sum(matrices.dense, replicas(), s_.tp) +
         sum(matrices.experts, s_.expert_replicas(), s_.expert_tp * s_.ep);
}

/// Gradients, weights and the optimizer of the stage that has most of them.
void Clock::add_update(const Stages& stages, StepTime& time) const {
  constexpr double kWeight = 2;
  const Matrices most = most_matrices();
  const double gradient = s_.gradient_bytes();
  time.data += sum_of_instances(most);
  const auto beside = [&](bool overlaps, double traffic, double pass) {
    return overlaps ? layer_.exposed(traffic, pass) : traffic;
  };
  // ZeRO-2 reduces the gradients of each micro-batch. ZeRO-3's traffic is beside the passes.
  const double times = s_.zero == 0 ? 2 : s_.zero == 2 ? number(s_.gas) : 1;
  const double sums = layer_.over_replicas(gradient, most) * times;
  if (s_.zero < 3) time.data += beside(s_.overlaps_gradients, sums, stages.back);
  if (s_.zero == 1 || s_.zero == 2)
    time.data += beside(s_.overlaps_weights, layer_.over_replicas(kWeight, most), stages.ahead);
  // The embedding's gradient, where several stages have it, waits for all of these.
  time.data += layer_.messages().sum_of_embedding(gradient * words_ * number(m_.hidden));
  const double parts =
      s_.zero > 0 ? most.dense / number(replicas()) + most.experts / number(s_.expert_shards())
                  : most.dense + most.experts;
  time.optimizer = optimizer_share() * rates_.optimizer_bytes * parts * layer_.seconds_a_byte();
  time.fixed = rates_.fixed_ms * kMilli;
}

StepTime Clock::time() {
  const Kinds<LayerTime> each = layers();
  StepTime time;
  Stages stages = this->stages(each);
  for (std::size_t kind = 0; kind < each.size(); ++kind) {
    stages.ahead += stages.layers[kind] * each[kind].ahead_s;
    stages.back += stages.layers[kind] * each[kind].whole_back_s();
  }
  add_passes(each, stages, time);
  add_update(stages, time);
  return time;
}

}  // namespace

Rates usual_rates_of(const Machine& machine) {
  constexpr double kA100 = 271.2 / 312;  // source: accelerators.yaml
  Rates rates;
  if (machine.best_tflops > 0 && machine.peak_tflops > 0)
    rates.product_share *= machine.best_tflops / machine.peak_tflops / kA100;
  return rates;
}

double to_free(const RateParameter& parameter, double value) {
  return parameter.is_linear ? value : std::log(value);
}
double from_free(const RateParameter& parameter, double free) {
  return parameter.is_linear ? free : std::exp(free);
}

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
  return LayerClock(none, machine, usual).work(m, n, k);
}

namespace {

/// GPUs that reach each other by links. Of those that are joined a job gets as many of each rack,
/// where it may: 64 of 72.
std::int64_t reach_of(const Setup& setup, const Machine& machine) {
  const std::int64_t gpus = setup.gpus(), rack = std::max(machine.joined, setup.gpus_per_node);
  if (gpus <= rack) return std::max(gpus, setup.gpus_per_node);
  const std::int64_t step = std::max<std::int64_t>(machine.node_gpus, 1);
  for (std::int64_t reach = rack; reach > rack / 2; reach -= step)
    if (gpus % reach == 0) return reach;
  return rack;
}

}  // namespace

StepTime step_time(const Setup& setup, const Machine& machine, const Rates& rates) {
  if (machine.joined == 0) return Clock(setup, machine, rates).time();
  Setup wide = setup;
  Machine joined = machine;
  wide.gpus_per_node = reach_of(setup, machine);
  joined.node_gb_per_s *= number(wide.gpus_per_node) /
                          number(machine.node_gpus > 0 ? machine.node_gpus : setup.gpus_per_node);
  return Clock(wide, joined, rates).time();
}

}  // namespace pippin
