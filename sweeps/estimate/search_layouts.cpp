// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/search_layouts.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "sweeps/estimate/launch_checks.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/parameters.h"

namespace pippin {

namespace {

/// Those of `whole`, from 1 on, up to `most`.
std::vector<std::int64_t> divisors(std::int64_t whole, std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t one = 1; one <= std::min(whole, most); ++one)
    if (whole % one == 0) all.push_back(one);
  return all;
}

/// How a layer's experts lie.
struct PlaceOfExperts {
  std::int64_t expert_tp = 1, ep = 1;
};

/// Looks through a space.
class Search {
 public:
  Search(const SearchSpace& space, std::size_t most, double compared_s)
      : space_(space),
        most_(most),
        compared_s_(compared_s),
        eps_(divisors(space.base.shape.experts, space.base.shape.experts)) {}

  SearchResult run() && {
    for (const std::int64_t tp : divisors(space_.gpus, space_.base.gpus_per_node)) {
      // A group that a node's end cuts would add up at the network's speed.
      if (space_.base.gpus_per_node % tp == 0) with_tp(tp);
    }
    std::sort(result_.best.begin(), result_.best.end(), is_better);
    result_.best.resize(std::min(result_.best.size(), most_));
    return std::move(result_);
  }

 private:
  /// Of equal times the one that needs less memory, then the plainer one, which comes first.
  static bool is_better(const FoundLayout& a, const FoundLayout& b) {
    if (a.seconds != b.seconds) return a.seconds < b.seconds;
    return a.needed_bytes < b.needed_bytes;
  }

  void with_tp(std::int64_t tp) {
    const Shape& m = space_.base.shape;
    if (m.heads % tp != 0 || m.kv_heads % tp != 0 || m.ffn % tp != 0 || m.shared_ffn % tp != 0)
      return;
    Setup setup = space_.base;
    setup.tp = tp;
    if (tp == 1) setup.overlaps_tensor = false;  // there is nothing of it
    if (space_.vocab_divisor > 0)
      setup.shape.vocab = padded_vocab(m.vocab, tp, space_.vocab_divisor);
    else if (m.vocab % tp != 0)
      return;
    for (const std::int64_t pp : divisors(space_.gpus / tp, m.layers)) {
      setup.pp = pp;
      if (!place_layers(setup)) continue;
      for (const std::int64_t cp : parts_of_sequence(space_.gpus / tp / pp)) {
        setup.cp = cp;
        setup.dp = space_.gpus / tp / pp / cp;
        if (space_.gbs % setup.dp != 0) continue;
        places_of_experts_ = places_of_experts(setup);
        with_stages(setup);
      }
    }
  }

  /// Where an end of a pipeline counts as a layer, with it; where stages cannot have as many each,
  /// with fewer on the ends. False where they would have less than half as many.
  bool place_layers(Setup& setup) const {
    const std::int64_t layers = setup.shape.layers, pp = setup.pp;
    setup.first_layers = setup.last_layers = 0;
    setup.chunks = 1;
    if (!count_ends(setup, space_.counts_embedding, space_.counts_loss).empty()) return false;
    if (setup.first_layers > 0 || layers % pp == 0) return true;
    const std::int64_t each = (layers + pp - 1) / pp, ends = layers - each * (pp - 2);
    if (!places_ends() || ends < each) return false;
    setup.first_layers = (ends + 1) / 2;
    setup.last_layers = ends / 2;
    return true;
  }

  /// As Megatron-Core is told to.
  bool places_ends() const {
    return !space_.for_probe && !space_.counts_embedding && !space_.counts_loss &&
           space_.base.framework == Framework::kMegatronCore;
  }

  /// What virtual stages have to divide.
  std::int64_t least_layers(const Setup& setup) const {
    const bool counts = setup.first_layers > 0 && space_.counts_embedding;
    const std::int64_t first = setup.layers_of_stage(0) + (counts ? 1 : 0);
    if (setup.first_layers == 0 || !places_ends()) return first;
    const std::int64_t ends = std::gcd(first, setup.layers_of_stage(setup.pp - 1));
    return setup.pp > 2 ? std::gcd(ends, setup.layers_of_stage(1)) : ends;
  }

  /// Only Transformer Engine has the ring, whose ranks take a part of each half of a sequence, so
  /// that all have as much to do.
  std::vector<std::int64_t> parts_of_sequence(std::int64_t ranks) const {
    const Setup& base = space_.base;
    if (space_.for_probe || !base.transformer_engine || base.attention == Attention::kScores)
      return {1};
    std::vector<std::int64_t> parts = divisors(ranks, base.shape.seq);
    std::erase_if(parts, [&](std::int64_t cp) { return cp > 1 && base.shape.seq % (2 * cp) != 0; });
    return parts;
  }

  void with_stages(Setup setup) {
    constexpr std::int64_t kLargestMicroBatch = 64;
    const std::int64_t own = space_.gbs / setup.dp;
    for (const std::int64_t mbs : divisors(own, kLargestMicroBatch)) {
      setup.mbs = mbs;
      setup.gas = own / mbs;
      const bool can_interleave = !space_.for_probe && setup.pp > 1 && setup.gas % setup.pp == 0;
      const std::int64_t layers = least_layers(setup);
      for (const std::int64_t chunks : divisors(layers, can_interleave ? layers : 1)) {
        setup.chunks = chunks;
        with_schedule(setup);
      }
    }
  }

  void with_schedule(Setup setup) {
    // Megatron-Core refuses experts with TP and without sequence parallelism.
    const bool must_split = setup.shape.experts > 0 && setup.tp > 1;
    for (const bool split : {false, true}) {
      if (must_split && !split) continue;
      if (split && (setup.tp == 1 || setup.shape.seq / setup.cp % setup.tp != 0)) continue;
      setup.sequence_parallel = split;
      for (const std::int64_t zero : {0, 1}) {
        // Megatron's precision-aware optimizer is a distributed one.
        if (setup.precision_aware ? zero == 0 : zero > 0 && setup.dp * setup.cp == 1) continue;
        setup.zero = zero;
        setup.instances = zero == 1 ? space_.base.instances : 1;
        if (setup.dp * setup.cp % setup.instances != 0) continue;
        for (const Recompute recompute :
             {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
          // Flash attention keeps no scores that could be made again.
          if (recompute == Recompute::kSelective && setup.attention != Attention::kScores) continue;
          setup.recompute = recompute;
          with_experts(setup);
        }
      }
    }
  }

  void with_experts(Setup setup) {
    for (const auto& [expert_tp, ep] : places_of_experts_) {
      setup.expert_tp = expert_tp;
      setup.ep = ep;
      if (setup.instances > 1 && setup.shape.experts > 0 &&
          setup.expert_replicas() % setup.instances != 0)
        continue;
      judge(setup);
    }
  }

  /// Each expert is split by TP, where it has no biases, or by nothing.
  std::vector<PlaceOfExperts> places_of_experts(const Setup& setup) const {
    const Shape& m = setup.shape;
    if (m.experts == 0) return {PlaceOfExperts{}};
    const std::int64_t holders = setup.tp * setup.cp * setup.dp;
    std::vector<PlaceOfExperts> places;
    for (const std::int64_t expert_tp : std::set<std::int64_t>{1, setup.tp}) {
      if (m.expert_ffn % expert_tp != 0 || (m.biases && expert_tp > 1)) continue;
      for (const std::int64_t ep : eps_)
        if (holders % (ep * expert_tp) == 0) places.push_back({expert_tp, ep});
    }
    return places;
  }

  void judge(const Setup& setup) {
    ++result_.judged;
    if (!why_not_started(setup).empty()) return;
    const double needed = needed_bytes(setup);
    if (result_.least_bytes == 0 || needed < result_.least_bytes) result_.least_bytes = needed;
    if (needed > space_.usable_bytes) return;
    ++result_.fitting;
    const FoundLayout found{setup, step_time(setup, space_.machine, space_.rates).all(), needed};
    if (found.seconds < compared_s_) ++result_.faster;
    // A heap of the best, the worst of them in front.
    auto& best = result_.best;
    if (best.size() >= most_ && !is_better(found, best.front())) return;
    best.push_back(found);
    std::push_heap(best.begin(), best.end(), is_better);
    if (best.size() <= most_) return;
    std::pop_heap(best.begin(), best.end(), is_better);
    best.pop_back();
  }

  const SearchSpace& space_;
  std::size_t most_;
  double compared_s_;
  std::vector<std::int64_t> eps_;  ///< that divide the experts
  std::vector<PlaceOfExperts> places_of_experts_;
  SearchResult result_;
};

}  // namespace

SearchResult search_layouts(const SearchSpace& space, std::size_t most, double compared_s) {
  SearchResult result = Search(space, most, compared_s).run();
  for (FoundLayout& one : result.best)
    one.half_width = half_width_at({one.setup, space.machine, false, 0}, space.rates,
                                   space.half_width, space.uncertainty);
  return result;
}

}  // namespace pippin
