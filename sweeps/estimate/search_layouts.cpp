// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/search_layouts.h"

#include <algorithm>

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

/// Looks through a space.
class Search {
 public:
  Search(const SearchSpace& space, std::size_t most) : space_(space), most_(most) {}

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
    if (m.heads % tp != 0 || m.kv_heads % tp != 0 || m.ffn % tp != 0) return;
    Setup setup = space_.base;
    setup.tp = tp;
    setup.shape.vocab = padded_vocab(m.vocab, tp);
    for (const std::int64_t pp : divisors(space_.gpus / tp, m.layers)) {
      if (m.layers % pp != 0) continue;
      setup.pp = pp;
      setup.dp = space_.gpus / tp / pp;
      if (space_.gbs % setup.dp == 0) with_stages(setup);
    }
  }

  void with_stages(Setup setup) {
    constexpr std::int64_t kLargestMicroBatch = 64;
    const std::int64_t own = space_.gbs / setup.dp;
    for (const std::int64_t mbs : divisors(own, kLargestMicroBatch)) {
      setup.mbs = mbs;
      setup.gas = own / mbs;
      const bool can_interleave = setup.pp > 1 && setup.gas % setup.pp == 0;
      const std::int64_t layers = setup.shape.layers / setup.pp;
      for (const std::int64_t chunks : divisors(layers, can_interleave ? layers : 1)) {
        setup.chunks = chunks;
        with_schedule(setup);
      }
    }
  }

  void with_schedule(Setup setup) {
    for (const bool split : {false, true}) {
      if (split && (setup.tp == 1 || setup.shape.seq % setup.tp != 0)) continue;
      setup.sequence_parallel = split;
      for (const std::int64_t zero : {0, 1}) {
        if (zero > 0 && setup.dp == 1) continue;
        setup.zero = zero;
        for (const Recompute recompute :
             {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
          // Flash attention keeps no scores that could be made again.
          if (recompute == Recompute::kSelective && setup.attention != Attention::kScores) continue;
          setup.recompute = recompute;
          judge(setup);
        }
      }
    }
  }

  void judge(const Setup& setup) {
    ++result_.judged;
    const double needed = needed_bytes(setup);
    if (result_.least_bytes == 0 || needed < result_.least_bytes) result_.least_bytes = needed;
    if (needed > space_.usable_bytes) return;
    ++result_.fitting;
    const FoundLayout found{setup, step_time(setup, space_.machine, space_.rates).all(), needed};
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
  SearchResult result_;
};

}  // namespace

SearchResult search_layouts(const SearchSpace& space, std::size_t most) {
  return Search(space, most).run();
}

}  // namespace pippin
