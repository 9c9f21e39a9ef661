// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/activations.h"

namespace pippin {

namespace {

/// Bytes an element of the MLP's width: before the activation and behind it. Before 2024 SwiGLU
/// kept both of its factors besides.
double mlp_bytes(const Setup& setup) {
  const double element = bytes_of(setup.type);
  if (!setup.shape.gated()) return element + setup.input_bytes();
  return (setup.framework == Framework::kMegatron2023 ? 3 : 2) * element + setup.input_bytes();
}

/// The same of an expert.
double expert_bytes(const Setup& setup) { return 2 * bytes_of(setup.type) + setup.input_bytes(); }

/// The balanced load of the experts of one GPU: each token meets several.
void add_experts(const Setup& setup, LayerActivations& kept) {
  // Such tensors have sizes that change from step to step, and the allocator does not split off the
  // rest of a block below 1 MiB: on average half of that, of four tensors.
  constexpr double kRest = 4 * 512.0 * 1024;
  const Shape& m = setup.shape;
  const double rows = tokens_of(setup) * sequence_share(setup) * number(m.experts_per_token) *
                      number(setup.expert_tp);
  kept.routed = setup.input_bytes() * rows * number(m.hidden) + kRest;
  kept.mlp = expert_bytes(setup) * rows * number(m.expert_ffn) / number(setup.expert_tp);
  const SharedActivations shared = shared_activations(setup);
  kept.shared = shared.mlp + shared.gathered + shared.gated;
}

/// What selective recomputation makes again is not kept. A whole MLP is made again of its norm's
/// input where the norm is a part of it, else of the norm's output.
void leave_out_remade(const Setup& setup, bool has_experts, LayerActivations& kept) {
  const Shape& m = setup.shape;
  const Remade& again = setup.remade;
  const double element = bytes_of(setup.type), tokens = tokens_of(setup);
  const bool copies = setup.attention == Attention::kFlash && setup.mbs > 1 && !again.attention;
  if (again.attention) kept.scores = kept.log_sums = 0;
  if (again.heads) {
    if (!copies) kept.qkv = 0;
    kept.latents = element * tokens * sequence_share(setup) * number(m.query_latent + m.key_latent);
  }
  const bool is_whole = has_experts ? again.experts : again.mlp;
  const bool has_norm2 = setup.has_norm2_alone(has_experts);
  const double input = element * tokens * sequence_share(setup) * number(m.hidden);
  if (again.norms && setup.has_norm1_alone()) kept.norm1 = input;
  if (has_norm2 ? again.norms : is_whole) kept.norm2 = input;
  if (is_whole) kept.mlp = kept.routed = kept.shared = 0;
  if (!has_experts || is_whole) return;
  if (again.activation) kept.mlp *= 2 * element / expert_bytes(setup);
  if (again.shared) kept.shared = 0;
}

}  // namespace

double tokens_of(const Setup& setup) {
  return number(setup.mbs) * number(setup.shape.seq) / number(setup.cp);
}

double sequence_share(const Setup& setup) {
  return setup.sequence_parallel ? 1 / number(setup.tp) : 1;
}

SharedActivations shared_activations(const Setup& setup) {
  const Shape& m = setup.shape;
  SharedActivations kept;
  if (m.shared_ffn == 0) return kept;
  const double tokens = tokens_of(setup), stream = bytes_of(setup.type) * tokens * number(m.hidden);
  kept.mlp = mlp_bytes(setup) * tokens / number(setup.tp) * number(m.shared_ffn);
  // With other recipes than the delayed one Megatron has the product keep its input as it was,
  // which the router keeps, too.
  const bool is_delayed = setup.fp8 == Fp8::kDelayed;
  if (setup.overlaps_shared && setup.sequence_parallel)
    kept.gathered = is_delayed ? setup.input_bytes() * tokens * number(m.hidden) : stream;
  else if (is_delayed)
    kept.gathered = setup.input_bytes() * tokens * number(m.hidden) * sequence_share(setup);
  if (m.shared_gate) kept.gated = stream * sequence_share(setup);
  return kept;
}

LayerActivations layer_activations(const Setup& setup, bool has_experts) {
  const Shape& m = setup.shape;
  const double element = bytes_of(setup.type), tokens = tokens_of(setup);
  const double own = tokens * sequence_share(setup) * number(m.hidden);
  const double part = tokens / number(setup.tp);
  const double queries = number(m.heads * m.head_width), keys = number(m.kv_heads * m.head_width);
  LayerActivations kept;
  const double input = setup.input_bytes();
  // Of latent attention two products keep the norm's output, each in its own 8 bits; of experts the
  // router keeps it as it is.
  const bool is_narrow = setup.fp8 != Fp8::kNone;
  kept.norm1 = (element + (is_narrow && m.is_latent() ? 2 : 1) * input) * own;
  kept.norm2 = (element + (has_experts ? element : input)) * own;
  kept.qkv = element * part * (queries + number(m.key_widths()));
  kept.context = input * part * number(m.heads * m.values());
  if (m.is_latent())
    kept.latents = ((m.qk_norms ? element : 0) + input) * tokens * sequence_share(setup) *
                   number(m.query_latent + m.key_latent);
  else if (m.qk_norms)
    kept.qk_norms = 2 * element * part * (queries + keys);
  const bool is_core =
      setup.framework == Framework::kMegatronCore || setup.framework == Framework::kMegatron2023;
  // Of one sequence both orders are the same.
  if (setup.attention == Attention::kFlash && is_core && setup.mbs > 1 &&
      !setup.remakes_attention())
    kept.copy = kept.context;
  if (is_narrow && setup.attention != Attention::kScores && !setup.remakes_attention())
    kept.copy = element * part * number(m.heads * m.values());
  // The flash-attn library before Hopper's wants values as wide as keys, and gives as much.
  if (setup.attention == Attention::kFlash && is_core && m.values() < m.head_width &&
      setup.generation == Generation::kAmpere) {
    kept.qkv = 3 * element * part * queries;
    kept.copy = element * part * queries;
  }
  if (setup.attention != Attention::kScores) {
    kept.log_sums = 4 * part * number(m.heads);
  } else {
    const double bytes =
        element + (setup.attention_dropout ? 1 + element : 0) + (setup.fused_softmax ? 0 : element);
    kept.scores = bytes * part * number(m.heads) * number(m.seq) / number(setup.cp);
  }
  if (setup.hidden_dropout) kept.dropout = 2 * own;
  if (has_experts)
    add_experts(setup, kept);
  else
    kept.mlp = mlp_bytes(setup) * part * number(m.ffn);
  if (setup.recompute == Recompute::kSelective) leave_out_remade(setup, has_experts, kept);
  return kept;
}

/// The token and the stream before their norms, both behind them in one, the stream before and
/// behind the last norm. What the projection makes is gathered, and a rank's part of the sequence
/// is a view of that. Source: Megatron-LM, multi_token_prediction.py.
double mtp_stream_bytes(const Setup& setup) {
  constexpr double kParts = 4, kInputs = 2;
  const double element = bytes_of(setup.type),
               whole = tokens_of(setup) * number(setup.shape.hidden);
  const double own = whole * sequence_share(setup);
  return element * (kParts * own + whole - own) + setup.input_bytes() * kInputs * own +
         (setup.hidden_dropout ? own : 0);
}

}  // namespace pippin
