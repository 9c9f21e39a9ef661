// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/library_memory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/attention_matrices.h"

namespace pippin {

namespace {

constexpr double kMib = 1024.0 * 1024.0;

/// One for the forward and one for the backward thread: CUBLAS_WORKSPACE_CONFIG=:4096:8 where runs
/// are to repeat and on Hopper, :4096:2:16:8 elsewhere.
double torch_workspaces(const Setup& setup) {
  constexpr double kLarge = 32 * kMib, kSmall = 8.125 * kMib;
  const bool large = setup.deterministic || setup.generation == Generation::kHopper;
  return 2 * (large ? kLarge : kSmall);
}

bool is_before_hopper(const Setup& setup) {
  return setup.generation == Generation::kAmpere || setup.generation == Generation::kVolta;
}

/// Grouped products of experts have one for each of four streams more, and those that overlap with
/// TP's messages one for each of three. Source: Transformer Engine, cpp_extensions/gemm.py.
double engine_workspaces(const Setup& setup) {
  const double one = is_before_hopper(setup) ? 4 * kMib : 32 * kMib;
  const bool has_experts = setup.shape.experts > 0;
  constexpr double kGrouped = 4, kOverlapping = 3;
  if (setup.transformer_engine)
    return one * (1 + (has_experts && setup.grouped_experts ? kGrouped : 0) +
                  (setup.overlaps_tensor ? kOverlapping : 0));
  return has_experts && setup.generation != Generation::kAmpere ? one : 0;  // the router's product
}

/// Megatron's global buffers: of scores without Transformer Engine, and of what is gathered.
double global_buffers(const Setup& setup) {
  const Shape& m = setup.shape;
  const double element = bytes_of(setup.type), seq = number(m.seq / setup.cp);
  double scores = 0, gathered = 0;
  if (!setup.transformer_engine && setup.attention == Attention::kScores)
    scores = element * number(setup.mbs * m.heads / setup.tp) * seq * seq;
  const double tokens = element * tokens_of(setup) * number(m.hidden);
  const std::int64_t spread = setup.expert_tp * setup.ep;
  if (setup.sequence_parallel) gathered = tokens;
  if (m.experts > 0 && setup.gathers_tokens && spread > 1)
    gathered = std::max(gathered, tokens * sequence_share(setup) * number(spread));
  return scores + gathered;
}

/// The elements of a matrix of a stage's layers, and how many of its kind there are.
struct Matrix {
  double rows, columns, count;
  bool of_experts;
  double elements() const { return rows * columns; }
};

/// Calls `take` with each that there is: attention's, and two of each kind of MLP.
template <typename Take>
void each_matrix(const Setup& setup, std::int64_t stage, Take&& take) {
  const Shape& m = setup.shape;
  const double h = number(m.hidden), tp = number(setup.tp), up = m.gated() ? 2 : 1;
  const double further = number(setup.mtp_weights_of_stage(stage));
  const double layers = number(setup.layers_of_stage(stage)) + further;
  const double mixtures =
      number(setup.mixtures_of_stage(stage)) + (m.ends_in_mixture() ? further : 0);
  const double dense = layers - mixtures;
  const auto mlp = [&](std::int64_t width, double parts, double count, bool of_experts) {
    if (width == 0 || count == 0) return;
    const double own = number(width) / parts;
    take(Matrix{up * own, h, count, of_experts});
    take(Matrix{h, own, count, of_experts});
  };
  each_attention_matrix(m, setup.tp, [&](const AttentionMatrix& one) {
    if (layers > 0) take(Matrix{number(one.rows), number(one.columns), layers, false});
  });
  if (further > 0) take(Matrix{h / tp, 2 * h, further, false});
  mlp(m.ffn, tp, dense, false);
  if (mixtures == 0) return;
  mlp(m.expert_ffn, number(setup.expert_tp), mixtures * number(m.experts / setup.ep), true);
  mlp(m.shared_ffn, tp, mixtures, false);
}

/// A block of its own is a multiple of 2 MiB, and is not split where at most 1 MiB is left over.
double rest_of_large(double bytes) {
  constexpr double kLarge = 10 * kMib, kStep = 2 * kMib;
  const double rest = std::ceil(bytes / kStep) * kStep - bytes;
  return bytes >= kLarge && rest <= kMib ? rest : 0;
}

/// Tensors of 1 to 10 MiB share blocks of 20 MiB. What is lost where they do not divide these
/// depends on the order: on average a small share, and at most about 1 MiB in a few blocks.
double rest_of_medium(const Setup& setup, std::int64_t stage) {
  constexpr double kShare = 0.08, kMost = 6 * kMib, kBlock = 20 * kMib, kStates = 3, kBytes = 4;
  double lost = 0;
  each_matrix(setup, stage, [&](const Matrix& matrix) {
    const double bytes = kBytes * matrix.elements();
    const bool is_medium = bytes > kMib && bytes < kBlock / 2 && std::fmod(kBlock, bytes) != 0;
    const std::int64_t shards = matrix.of_experts ? setup.expert_shards() : setup.shards();
    if (is_medium)
      lost += kShare * bytes * kStates * matrix.count /
              (setup.zero > 0 ? number(std::max<std::int64_t>(shards, 1)) : 1);
  });
  return std::min(lost, kMost);
}

}  // namespace

double workspace_bytes(const Setup& setup) {
  return torch_workspaces(setup) + engine_workspaces(setup) + global_buffers(setup);
}

double allocator_rest_bytes(const Setup& setup, std::int64_t stage, const Parameters& own) {
  constexpr double kNarrow = 2, kWide = 4;
  double rest = rest_of_medium(setup, stage);
  if (setup.zero > 0) {
    for (const std::int64_t count : {own.all() - own.experts, own.experts})
      rest += rest_of_large(kNarrow * number(count)) + rest_of_large(kWide * number(count));
    return rest;
  }
  if (stage == 0 || stage == setup.pp - 1) {
    const double embedding = number(setup.shape.vocab / setup.tp * setup.shape.hidden);
    rest += rest_of_large(kNarrow * embedding) + 3 * rest_of_large(kWide * embedding);
  }
  return rest + rest_of_large(kWide * number(own.all()));
}

double idle_gradient_bytes(const Setup& setup, std::int64_t stage) {
  const bool is_core = setup.framework == Framework::kMegatronCore && setup.transformer_engine;
  if (!setup.fuses_gradients || !is_core) return 0;
  struct Kept {
    double rows, columns;
  };
  std::array<Kept, 16> shapes{};  // more than a layer has matrices
  std::size_t count = 0;
  double elements = 0;
  each_matrix(setup, stage, [&](const Matrix& one) {
    const auto end = shapes.begin() + static_cast<std::ptrdiff_t>(count);
    const bool is_known = std::any_of(shapes.begin(), end, [&](const Kept& kept) {
      return kept.rows == one.rows && kept.columns == one.columns;
    });
    if (is_known || count == shapes.size()) return;
    shapes[count++] = {one.rows, one.columns};
    elements += one.elements();
  });
  if (stage == setup.pp - 1) elements += number(setup.shape.vocab / setup.tp * setup.shape.hidden);
  return bytes_of(setup.type) * elements;
}

double largest_weight(const Setup& setup, std::int64_t stage) {
  double largest = 0;
  each_matrix(setup, stage,
              [&](const Matrix& one) { largest = std::max(largest, one.elements()); });
  return largest;
}

}  // namespace pippin
