// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/traffic.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

namespace {

constexpr std::array<std::pair<Topic, std::string_view>, 12> kTopics{{
    {Topic::kTensor, "tp"},
    {Topic::kPipeline, "pp"},
    {Topic::kDataReduce, "dp-reduce"},
    {Topic::kDataGather, "dp-gather"},
    {Topic::kEmbedding, "embedding"},
    {Topic::kLoss, "loss"},
    {Topic::kNorm, "norm"},
    {Topic::kContext, "cp"},
    {Topic::kExperts, "ep"},
    {Topic::kExpertTensor, "expert-tp"},
    {Topic::kExpertReduce, "expert-reduce"},
    {Topic::kExpertGather, "expert-gather"},
}};

/// What one rank says.
class Speaker {
 public:
  Speaker(const Setup& setup, std::int64_t stage, const Buckets& buckets)
      : setup_(setup), stage_(stage), buckets_(buckets) {}

  std::vector<Talk> all() && {
    tensor();
    pipeline();
    embedding();
    loss();
    data();
    norm();
    context();
    experts();
    return std::move(talk_);
  }

 private:
  bool first() const { return stage_ == 0; }
  bool last() const { return stage_ == setup_.pp - 1; }
  bool split() const { return setup_.sequence_parallel; }
  /// With those of MTP.
  double layers() const { return number(setup_.passes_of_stage(stage_)); }
  double mixtures() const { return number(setup_.mixture_passes_of_stage(stage_)); }
  double mtp() const { return number(setup_.mtp_of_stage(stage_)); }
  /// Of a micro-batch: the model's own, and one for each layer of MTP.
  double losses() const { return last() ? number(1 + setup_.shape.mtp_layers) : 0; }
  double remade() const { return setup_.remade_share(stage_); }
  bool selects(bool Remade::*module) const {
    return setup_.recompute == Recompute::kSelective && setup_.remade.*module;
  }
  /// Layers whose experts selective recomputation sends tokens to again.
  double mixtures_again() const { return selects(&Remade::experts) ? mixtures() : 0; }
  /// Layers in which it sums up what an MLP makes again. What experts make is summed up where they
  /// are not split, or beside what all tokens meet.
  double mlps_again() const {
    const bool has_shared = setup_.shape.shared_ffn > 0;
    const bool shared = has_shared && (selects(&Remade::shared) || selects(&Remade::experts));
    const bool experts = selects(&Remade::experts) && !split();
    return (selects(&Remade::mlp) ? layers() - mixtures() : 0) +
           (shared || experts ? mixtures() : 0);
  }
  /// Bytes of a micro-batch's activations between layers.
  double activations() const {
    return bytes_of(setup_.type) * number(setup_.shape.seq / setup_.cp) * number(setup_.mbs) *
           number(setup_.shape.hidden);
  }

  void say(Topic topic, std::string_view function, double calls, double bytes, std::int64_t ranks) {
    if (calls > 0 && ranks > 1) talk_.push_back({topic, function, calls, bytes, ranks});
  }

  /// Without sequence parallelism two sums a layer in each direction; with it a gather and a
  /// scatter for each of them, and one more gather for each of two weights' gradients. Experts
  /// under sequence parallelism get their tokens otherwise, what all tokens meet beside them does
  /// not.
  void tensor() {
    const double gas = number(setup_.gas);
    const double without = split() && setup_.shape.shared_ffn == 0 ? mixtures() : 0;
    const double attention = setup_.shape.is_latent() ? 0 : layers();
    const double sums = attention + layers() - without;
    const auto calls = [&](std::string_view function, double each, double ends) {
      say(Topic::kTensor, function, gas * (each * sums + ends), activations(), setup_.tp);
    };
    // Products gather what they read, their gradients too, in their own type.
    const auto gather = [&](double each, double ends) {
      const double narrow = each * sums + mlps_again() - kept_of_shared();
      if (setup_.fp8 == Fp8::kNone) return calls("all_gather", 0, narrow + ends);
      say(Topic::kTensor, "all_gather", gas * narrow, activations() * share_of_inputs(), setup_.tp);
      calls("all_gather", 0, ends);
    };
    const double begin = (first() ? 1 : 0) + mtp(), end = losses();
    if (split()) {
      gather(3 + remade(), begin + 2 * end);
      calls("reduce_scatter", 2 + remade(), (sums_words() ? 0 : begin) + end + mlps_again());
      if (sums_words()) calls("all_reduce", 0, begin);
    } else {
      calls("all_reduce", 2 + remade(), begin + end + mlps_again());
    }
    if (setup_.shape.is_latent()) latent_attention();
    if (mtp() > 0) mtp_projections();
    if (!split()) return;
    say(Topic::kTensor, "all_reduce", 1, setup_.gradient_bytes() * number(replicated()), setup_.tp);
  }

  /// A token and the stream go in at twice its width; what comes out is gathered to be split by the
  /// sequence, and its gradient gathered again. Source: Megatron-LM, multi_token_prediction.py.
  void mtp_projections() {
    const double passes = number(setup_.gas) * mtp();
    const double again = setup_.recompute == Recompute::kFull && !setup_.recompute_block ? 1 : 0;
    const auto calls = [&](std::string_view function, double each, double width) {
      say(Topic::kTensor, function, passes * each, width * activations(), setup_.tp);
    };
    if (split()) {
      calls("all_gather", 2 + again, 2);
      calls("reduce_scatter", 1, 2);
      calls("all_gather", 2 + again, 1);
    } else {
      calls("all_reduce", 1, 2);
      calls("all_gather", 1 + again, 1);
    }
  }

  /// Each latent is gathered to be made heads of, and again for their gradient; the part of a key
  /// that all heads share, once. Source: Megatron-LM, multi_latent_attention.py.
  void latent_attention() {
    const Shape& m = setup_.shape;
    const double passes = number(setup_.gas) * layers();
    const auto calls = [&](std::string_view function, double each, std::int64_t width,
                           double share = 1) {
      say(Topic::kTensor, function, passes * each,
          share * activations() * number(width) / number(m.hidden), setup_.tp);
    };
    const std::int64_t queries = m.query_latent > 0 ? m.query_latent : m.hidden;
    if (!split()) {
      calls("all_reduce", 1 + remade(), m.hidden);
      for (const std::int64_t width : {queries, m.key_latent}) calls("all_reduce", 1, width);
      return;
    }
    calls("all_gather", 1, m.hidden, share_of_inputs());
    calls("reduce_scatter", 1 + remade(), m.hidden);
    for (const std::int64_t width : {queries, m.key_latent}) {
      calls("all_gather", 2 + remade() + (selects(&Remade::heads) ? 1 : 0), width,
            share_of_inputs());
      calls("reduce_scatter", 1, width);
    }
    calls("all_gather", 1 + remade(), m.shared_key);
    calls("reduce_scatter", 1, m.shared_key);
  }

  /// Overlapped, what was gathered is kept, and not gathered again.
  double kept_of_shared() const { return setup_.overlaps_shared ? mixtures() : 0; }
  /// Of the bytes of activations those of a product's input.
  double share_of_inputs() const { return setup_.input_bytes() / bytes_of(setup_.type); }

  /// Where learned positions are added, each rank has whole sequences, and takes its part of the
  /// sum. Source: Megatron-LM, language_model_embedding.py.
  bool sums_words() const {
    return setup_.shape.learned_positions && setup_.framework != Framework::kProbe;
  }

  /// Of weights that each rank has, those whose gradients are of its part of the sequence.
  std::int64_t replicated() const {
    const std::int64_t all = stage_parameters(setup_, stage_).replicated;
    if (!sums_words()) return all;
    const bool has_one_for_mtp = setup_.pp > 1 && setup_.mtp_of_stage(stage_) > 0;
    return all - ((first() ? 1 : 0) + (has_one_for_mtp ? 1 : 0)) *
                     embedding_parameters(setup_).replicated;
  }

  /// Each chunk of layers of a micro-batch is one more pass through the stages. Behind MTP the last
  /// one's has its streams, too.
  void pipeline() {
    if (setup_.pp == 1) return;
    const double gas = number(setup_.gas), passes = gas * number(setup_.chunks);
    const double ends = (first() ? gas : 0) + (last() ? gas : 0);
    const std::int64_t ahead = setup_.streams_behind(stage_),
                       back = first() ? 1 : setup_.streams_behind(stage_ - 1);
    const double wide = gas * ((ahead > 1 ? 1 : 0) + (back > 1 ? 1 : 0));
    send(2 * passes - ends - wide, 1);
    send(wide, number(std::max(ahead, back)));
  }

  void send(double calls, double streams) {
    say(Topic::kPipeline, "send", calls,
        streams * activations() / (setup_.sends_parts() ? number(setup_.tp) : 1), setup_.pp);
    // A stage is sent as many messages as it sends.
    if (setup_.gathers_messages())
      say(Topic::kTensor, "all_gather", calls, streams * activations(), setup_.tp);
  }

  std::int64_t shared_embedding() const {
    const bool has = first() || mtp() > 0 || (last() && setup_.shape.tied);
    return has && setup_.embedding_stages() > 1
               ? setup_.shape.vocab / setup_.tp * setup_.shape.hidden
               : 0;
  }

  void embedding() {
    if (shared_embedding() > 0)
      say(Topic::kEmbedding, "all_reduce", 1, setup_.gradient_bytes() * number(shared_embedding()),
          setup_.embedding_stages());
  }

  void loss() {
    constexpr double kCalls = 3, kBytes = 4;  // largest logit, own logit, sum of exponentials
    say(Topic::kLoss, "all_reduce", kCalls * number(setup_.gas) * losses(),
        kBytes * number(setup_.shape.seq / setup_.cp) * number(setup_.mbs), setup_.tp);
  }

  /// What is reduced alone is rounded up to equal parts; the calls follow the buckets. The probe
  /// reduces what other ranks lack apart from the rest.
  struct Pieces {
    double calls = 0, elements = 0;
  };
  Pieces pieces_of(std::initializer_list<std::int64_t> regions, std::int64_t ranks) const {
    const std::int64_t step = buckets_.alignment * ranks;
    const auto padded = [&](std::int64_t count) { return (count + step - 1) / step * step; };
    Pieces all;
    for (const std::int64_t region : regions) {
      const std::int64_t bucket =
          buckets_.elements > 0 ? padded(buckets_.elements) : padded(region);
      if (region > 0) all.calls += number((padded(region) + bucket - 1) / bucket);
      all.elements += number(padded(region));
    }
    return all;
  }
  std::int64_t replicas() const { return setup_.dp * setup_.cp; }

  /// With ZeRO-2 gradients are reduced after each micro-batch, with ZeRO-3 weights are gathered
  /// twice in each. Where the optimizer has several instances, each does so within its ranks, and
  /// what a rank has of the gradients is summed over the instances.
  void update(Topic reduce, Topic gather, const Pieces& all, std::int64_t holders, double weight) {
    const double times = setup_.zero >= 2 ? number(setup_.gas) : 1;
    const bool is_split = setup_.zero == 1 && setup_.instances > 1;
    const std::int64_t ranks =
        is_split ? std::max<std::int64_t>(holders / setup_.instances, 1) : holders;
    const auto each = [&](Topic topic, std::string_view function, double how_often, double size) {
      say(topic, function, how_often * all.calls, size * all.elements / std::max(all.calls, 1.0),
          ranks);
    };
    if (is_split)
      say(reduce, "all_reduce", all.calls,
          setup_.gradient_bytes() * all.elements / std::max(all.calls, 1.0) / number(ranks),
          holders / ranks);
    each(reduce, setup_.zero == 0 ? "all_reduce" : "reduce_scatter", times,
         setup_.gradient_bytes());
    if (setup_.zero > 0) each(gather, "all_gather", setup_.zero == 3 ? 2 * times : 1, weight);
  }

  void data() {
    const Parameters own = stage_parameters(setup_, stage_);
    const bool is_probe = setup_.framework == Framework::kProbe;
    const std::int64_t shared = is_probe ? shared_embedding() : 0;
    const std::int64_t apart = is_probe && split() ? replicated() : 0;
    const std::int64_t rest = own.all() - own.experts - shared - apart;
    // The mean of those in 8 bits and of the others.
    const double wide = bytes_of(setup_.type);
    const double narrow = setup_.fp8_weights && setup_.fp8 != Fp8::kMx ? 1 : wide;
    const double dense = number(std::max<std::int64_t>(own.products - own.experts, 0));
    const double weight =
        wide - (wide - narrow) * dense / number(std::max<std::int64_t>(own.all() - own.experts, 1));
    update(Topic::kDataReduce, Topic::kDataGather, pieces_of({rest, shared, apart}, replicas()),
           replicas(), weight);
    const std::int64_t holders = setup_.expert_replicas();
    update(Topic::kExpertReduce, Topic::kExpertGather, pieces_of({own.experts}, holders), holders,
           narrow);
  }

  void norm() {
    const std::int64_t holders = setup_.tp * setup_.pp * (setup_.zero > 0 ? replicas() : 1);
    constexpr double kBytes = 8;
    say(Topic::kNorm, "all_reduce", 1, kBytes, holders);
  }

  /// A ring hands keys and values on, and in the backward pass their gradients with them.
  void context() {
    const Shape& m = setup_.shape;
    const double part = bytes_of(setup_.type) * number(m.seq / setup_.cp) * number(setup_.mbs) *
                        number(m.key_widths()) / number(setup_.tp);
    const double again = setup_.remakes_attention() ? 1 : remade();
    say(Topic::kContext, "send",
        number(setup_.gas) * layers() * (3 + again) * number(setup_.cp - 1), part, setup_.cp);
  }

  /// Each way tokens go to their experts and come back; once more where the layer is made again.
  /// Who splits an expert gathers the tokens of all that do, and scatters what comes of them.
  /// Source: Megatron-LM, token_dispatcher.py.
  void experts() {
    if (mixtures() == 0) return;
    const double own = activations() / (split() ? number(setup_.tp) : 1);
    const double each = own * number(setup_.shape.experts_per_token);
    const double ways = number(setup_.gas) * (mixtures() * (2 + remade()) + mixtures_again());
    const auto gather = [&](Topic topic, double part, std::int64_t ranks) {
      say(topic, "all_gather", ways, part * number(ranks), ranks);
      say(topic, "reduce_scatter", ways, part * number(ranks), ranks);
    };
    if (setup_.gathers_tokens) return gather(Topic::kExperts, own, setup_.ep * setup_.expert_tp);
    say(Topic::kExperts, "all_to_all", 2 * ways, each, setup_.ep);
    gather(Topic::kExpertTensor, each, setup_.expert_tp);
  }

  const Setup& setup_;
  std::int64_t stage_;
  const Buckets& buckets_;
  std::vector<Talk> talk_;
};

}  // namespace

std::string_view text_of(Topic topic) {
  return std::find_if(kTopics.begin(), kTopics.end(),
                      [&](const auto& entry) { return entry.first == topic; })
      ->second;
}

double wire_bytes(const Talk& talk) {
  const double n = number(talk.ranks), share = (n - 1) / n;
  if (talk.function == "all_reduce") return 2 * share * talk.bytes;
  return talk.function == "send" ? talk.bytes : share * talk.bytes;
}

std::vector<Talk> talk_of_stage(const Setup& setup, std::int64_t stage, const Buckets& buckets) {
  return Speaker(setup, stage, buckets).all();
}

std::vector<Talk> talk_of_all(const Setup& setup, const Buckets& buckets) {
  std::vector<Talk> all;
  const double ranks = number(setup.gpus() / setup.pp);
  for (std::int64_t stage = 0; stage < setup.pp; ++stage) {
    for (const Talk& one : talk_of_stage(setup, stage, buckets)) {
      auto same = std::find_if(all.begin(), all.end(), [&](const Talk& other) {
        return other.topic == one.topic && other.function == one.function;
      });
      if (same == all.end()) same = all.insert(same, {one.topic, one.function, 0, 0, one.ranks});
      const double calls = same->calls + ranks * one.calls;
      same->bytes = (same->calls * same->bytes + ranks * one.calls * one.bytes) / calls;
      same->calls = calls;
    }
  }
  return all;
}

}  // namespace pippin
