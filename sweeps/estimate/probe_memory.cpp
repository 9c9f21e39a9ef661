// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/probe_memory.h"

#include <algorithm>

namespace pippin {

namespace {

constexpr std::int64_t kWide = 4;  ///< bytes of gradients, moments, sums

/// Each buffer is counted in whole blocks.
std::int64_t buffer(std::int64_t count, std::int64_t element) {
  constexpr std::int64_t kBlock = 64;
  return (count * element + kBlock - 1) / kBlock * kBlock;
}

std::int64_t aligned(std::int64_t count, std::int64_t parts = 1) {
  const std::int64_t step = 8 * parts;
  return (count + step - 1) / step * step;
}

/// The sizes of one rank's parts.
struct Sizes {
  explicit Sizes(const Setup& s)
      : rows(s.mbs * s.shape.seq),
        own_rows(s.sequence_parallel ? rows / s.tp : rows),
        width(s.shape.hidden),
        ffn(s.shape.ffn / s.tp),
        up(s.shape.gated() ? 2 * ffn : ffn),
        context(s.shape.heads / s.tp * s.shape.head_width),
        qkv(context + 2 * (s.shape.kv_heads / s.tp) * s.shape.head_width),
        scores(s.mbs * s.shape.heads / s.tp * s.shape.seq * s.shape.seq),
        vocab(s.shape.vocab / s.tp),
        element(static_cast<std::int64_t>(bytes_of(s.type))) {}

  std::int64_t narrow(std::int64_t a, std::int64_t b) const { return buffer(a * b, element); }
  std::int64_t wide(std::int64_t count) const { return buffer(count, kWide); }

  std::int64_t rows, own_rows, width, ffn, up, context, qkv, scores, vocab, element;
};

/// Elements of the flat array of a stage's tensors: each tensor, and each region whose gradients
/// are summed alone, is rounded up.
class FlatArray {
 public:
  FlatArray(const Setup& s, std::int64_t stage) : setup_(s), sizes_(s) {
    const bool first = stage == 0, last = stage == s.pp - 1;
    if (first) {
      embedding(s.shape.tied && s.pp > 1);
      if (s.shape.learned_positions) replicated(s.shape.positions * sizes_.width);
    }
    for (std::int64_t i = 0; i < s.layers_of_stage(stage); ++i) layer();
    if (last) {
      norm();
      if (!s.shape.tied || !first) embedding(s.shape.tied);
    }
  }

  std::int64_t size() const {
    return aligned(whole_, setup_.dp) + aligned(shared_, setup_.dp) + aligned(partial_, setup_.dp);
  }

 private:
  void split(std::int64_t count) { whole_ += aligned(count); }
  void replicated(std::int64_t count) {
    (setup_.sequence_parallel ? partial_ : whole_) += aligned(count);
  }
  void embedding(bool shared) {
    (shared ? shared_ : whole_) += aligned(sizes_.vocab * sizes_.width);
  }
  void norm() {
    replicated(sizes_.width);
    if (setup_.shape.norm_biases) replicated(sizes_.width);
  }
  void layer() {
    const bool biases = setup_.shape.biases;
    norm();
    split(sizes_.qkv * sizes_.width);
    if (biases) split(sizes_.qkv);
    split(sizes_.width * sizes_.context);
    if (biases) replicated(sizes_.width);
    norm();
    split(sizes_.up * sizes_.width);
    if (biases) split(sizes_.up);
    split(sizes_.width * sizes_.ffn);
    if (biases) replicated(sizes_.width);
  }

  const Setup& setup_;
  Sizes sizes_;
  std::int64_t whole_ = 0, shared_ = 0, partial_ = 0;
};

/// Of one layer and one micro-batch.
std::int64_t kept(const Setup& setup, const Sizes& x) {
  const std::int64_t normed = x.narrow(x.own_rows, x.width), statistics = x.wide(x.own_rows);
  std::int64_t bytes = 3 * normed + 4 * statistics;  // both norms and what lies between
  bytes += x.narrow(x.rows, x.qkv) + x.narrow(x.rows, x.context);
  bytes += x.narrow(x.rows, x.up) + x.narrow(x.rows, x.ffn);
  if (setup.recompute != Recompute::kSelective) bytes += x.wide(x.scores);
  return bytes;
}

std::int64_t activations(const Setup& setup, const Sizes& x, std::int64_t stage) {
  const std::int64_t slots = std::min(setup.pp - stage, setup.gas);
  const std::int64_t layers = setup.layers_of_stage(stage);
  const std::int64_t inputs = buffer(slots * layers * x.own_rows * x.width, x.element);
  const std::int64_t times = setup.recompute == Recompute::kFull ? 1 : slots * layers;
  return inputs + times * kept(setup, x) + 2 * buffer(slots * x.rows, 4);  // and tokens
}

std::int64_t scratch(const Setup& setup, const Sizes& x, std::int64_t stage) {
  constexpr std::int64_t kQueries = 128;
  const std::int64_t seq = setup.shape.seq, flow = x.narrow(x.own_rows, x.width);
  std::int64_t bytes = 3 * flow;  // output, gradient, and a branch's
  bytes += x.narrow(x.rows, x.ffn) + x.narrow(x.rows, x.qkv) + x.narrow(x.rows, x.context);
  if (setup.shape.gated()) bytes += x.narrow(x.rows, x.up);
  if (setup.recompute == Recompute::kSelective) bytes += x.wide(x.scores);
  if (setup.sequence_parallel) bytes += 2 * x.narrow(x.rows, x.width);
  if (stage == setup.pp - 1)
    bytes += flow + 2 * x.wide(x.own_rows) + x.narrow(x.rows, x.vocab) + 3 * x.wide(x.rows);
  bytes += buffer(1, 8) + buffer(1, 48);  // the loss and the optimizer's state
  bytes += x.wide(std::min(kQueries, seq) * seq);
  if (!setup.shape.learned_positions) bytes += x.wide(seq * 2 * (setup.shape.head_width / 2));
  return bytes;
}

}  // namespace

ProbeMemory probe_memory(const Setup& setup, std::int64_t stage) {
  const Sizes x(setup);
  const std::int64_t flat = FlatArray(setup, stage).size();
  const std::int64_t own = setup.zero > 0 ? flat / setup.dp : flat;
  ProbeMemory memory;
  memory.parameters = buffer(flat, x.element);
  memory.gradients = x.wide(flat) + (setup.zero > 0 && setup.dp > 1 ? x.wide(own) : 0);
  memory.optimizer = (x.element < kWide ? 3 : 2) * x.wide(own);
  memory.activations = activations(setup, x, stage);
  memory.scratch = scratch(setup, x, stage);
  return memory;
}

}  // namespace pippin
