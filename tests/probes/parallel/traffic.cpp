// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/parallel/traffic.h"

#include <string>

namespace pippin::probes::test {

namespace {

// Source: Narayanan et al., SC21, and Korthikanti et al. 2022, with what Megatron-LM does at the
// ends of the pipeline. s·b·h is a micro-batch's activations.
struct Formulas {
  const Setup& s;
  const Place& place;
  std::int64_t e, g;  ///< bytes of an activation and of a gradient

  bool first() const { return place.pp == 0; }
  bool last() const { return place.pp == s.pp - 1; }
  bool split() const { return s.sequence_parallel == "1"; }
  std::int64_t sbh() const { return s.seq * s.mbs * s.hidden; }
  std::int64_t layers() const { return s.layers / s.pp; }
  std::int64_t vocab() const {
    return (s.vocab + 128 * s.tp - 1) / (128 * s.tp) * 128 * s.tp / s.tp;
  }

  /// Every call moves s·b·h, be it an all-reduce or, of the whole, a gather or a scatter.
  Traffic tp() const {
    if (s.tp == 1) return {};
    const std::int64_t forward = split() ? 4 : 2, backward = split() ? 6 : 2;
    const std::int64_t again = s.recompute == "full" ? forward : 0;
    std::int64_t calls = layers() * (forward + backward + again);
    // Embedding: forward one sum or scatter, and when split the gradient's gather.
    if (first()) calls += split() ? 2 : 1;
    // Output layer: backward one sum; when split a gather forward, a gather and a scatter backward.
    if (last()) calls += split() ? 3 : 1;
    return {s.gas * calls, s.gas * calls * e * sbh()};
  }

  /// Norms, row-parallel biases and positions.
  Traffic tp_gradients() const {
    if (s.tp == 1 || !split()) return {};
    const std::int64_t h = s.hidden;
    const bool gpt2 = s.style == "gpt2";
    std::int64_t count = layers() * (gpt2 ? 6 : 2) * h;
    if (first() && gpt2) count += s.seq * h;
    if (last()) count += (gpt2 ? 2 : 1) * h;
    return {1, g * count};
  }

  /// Each of GAS micro-batches goes down the pipeline, and its gradient up.
  Traffic pp() const {
    const std::int64_t messages = s.gas * ((last() ? 0 : 1) + (first() ? 0 : 1));
    return {messages, messages * e * sbh() / (split() ? s.tp : 1)};
  }

  Traffic embedding() const {
    if (s.pp == 1 || s.style == "llama" || (!first() && !last())) return {};
    return {1, g * vocab() * s.hidden};
  }

  Traffic loss() const {
    if (s.tp == 1 || !last()) return {};
    return {3 * s.gas, 3 * s.gas * g * s.seq * s.mbs};
  }

  Traffic norm() const {
    const std::int64_t holders = s.tp * s.pp * (s.zero == "1" ? s.dp : 1);
    if (holders == 1) return {};
    return {1, 8};
  }

  std::int64_t parameters() const {
    const std::int64_t h = s.hidden, d = h / s.heads, f = s.ffn_width();
    const bool gpt2 = s.style == "gpt2";
    const std::int64_t kv = s.kv_heads > 0 ? s.kv_heads : s.heads;
    const std::int64_t q = (s.heads + 2 * kv) * d;
    std::int64_t layer = (q + h) * h / s.tp + (gpt2 ? 2 : 3) * h * f / s.tp + 2 * h;
    if (gpt2) layer += (q + f) / s.tp + 2 * h + 2 * h;
    std::int64_t count = layers() * layer;
    if (first()) count += vocab() * h + (gpt2 ? s.seq * h : 0);
    if (last()) count += gpt2 ? 2 * h : h;
    if (last() && (!gpt2 || !first())) count += vocab() * h;
    return count;
  }
};

std::string compare(const char* what, const Traffic& counted, const Traffic& formula) {
  if (counted.calls == formula.calls && counted.bytes == formula.bytes) return "";
  return std::string("traffic of ") + what + ": counted " + std::to_string(counted.calls) +
         " calls of " + std::to_string(counted.bytes) + " bytes, by the formula " +
         std::to_string(formula.calls) + " of " + std::to_string(formula.bytes) + "; ";
}

/// Gradients (and with ZeRO-1 weights): the bytes are the parameters', rounded up to DP equal parts
/// of whole eights in each region that is reduced alone; the calls follow the buckets.
std::string compare_data_parallel(const Formulas& f, Groups& groups) {
  const Setup& s = f.s;
  const bool zero = s.zero == "1" && s.dp > 1;
  if (s.dp == 1) {
    return compare("dp-reduce", groups.dp_reduce.traffic(), {}) +
           compare("dp-gather", groups.dp_gather.traffic(), {});
  }
  const auto padded = [&](std::int64_t count) {
    return (count + 8 * s.dp - 1) / (8 * s.dp) * 8 * s.dp;
  };
  const std::int64_t embedding = f.embedding().bytes / f.g;
  const std::int64_t tokens = f.tp_gradients().bytes / f.g;
  const std::int64_t rest = f.parameters() - embedding - tokens;
  const std::int64_t bucket = padded(s.reduce_bucket_size);
  std::int64_t calls = 0, elements = 0;
  for (const std::int64_t region : {rest, embedding, tokens}) {
    calls += (padded(region) + bucket - 1) / bucket;
    elements += padded(region);
  }
  const Traffic reduce{calls, f.g * elements}, gather{calls, f.e * elements};
  return compare("dp-reduce", groups.dp_reduce.traffic(), reduce) +
         compare("dp-gather", groups.dp_gather.traffic(), zero ? gather : Traffic{});
}

}  // namespace

std::string traffic_complaint(const Setup& setup, Groups& groups, std::int64_t activation,
                              std::int64_t gradient) {
  const Formulas f{setup, groups.place, activation, gradient};
  return compare("tp", groups.tp.traffic(), f.tp()) +
         compare("tp-gradients", groups.tp_gradients.traffic(), f.tp_gradients()) +
         compare("pp", groups.pp.traffic(), f.pp()) +
         compare("embedding", groups.embedding.traffic(), f.embedding()) +
         compare("loss", groups.loss.traffic(), f.loss()) +
         compare("norm", groups.norm.traffic(), f.norm()) + compare_data_parallel(f, groups);
}

}  // namespace pippin::probes::test
