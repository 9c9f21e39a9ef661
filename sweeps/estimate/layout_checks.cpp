// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/layout_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "core/base/whole_number.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

namespace {

struct Division {
  std::int64_t whole, part;
  std::string_view words;
};

/// Megatron-Core gathers and cuts what ranks that share a query group need.
bool shares_groups(const Setup& setup) {
  const std::int64_t groups = setup.shape.kv_heads;
  return setup.framework == Framework::kMegatronCore && groups < setup.tp && setup.tp % groups == 0;
}

/// What is not there is 0, which everything divides.
std::string indivisible_reason(const Setup& setup) {
  const Shape& m = setup.shape;
  const std::int64_t split_seq = setup.sequence_parallel ? m.seq / setup.cp : 0;
  const std::int64_t holders = m.experts > 0 ? count_product({setup.tp, setup.cp, setup.dp}) : 0;
  const std::int64_t shards = setup.zero > 0 ? count_product({setup.dp, setup.cp}) : 0;
  const std::int64_t expert_ffn = m.experts > 0 ? m.expert_ffn : 0;
  const Division divisions[] = {
      {m.heads, setup.tp, "TP does not divide the heads"},
      {m.heads, m.kv_heads, "query groups do not divide the heads"},
      {shares_groups(setup) ? 0 : m.kv_heads, setup.tp, "TP does not divide the query groups"},
      {m.ffn, setup.tp, "TP does not divide the width of the MLP"},
      {m.seq, setup.cp, "CP does not divide the sequence"},
      {split_seq, setup.tp, "with sequence parallelism TP does not divide the sequence"},
      {m.experts, setup.ep, "EP does not divide the experts"},
      {expert_ffn, setup.expert_tp, "expert TP does not divide the width of an expert"},
      {m.shared_ffn, setup.tp, "TP does not divide the width of the shared experts"},
      {holders, count_product({setup.ep, setup.expert_tp}),
       "EP x expert TP does not divide TP x CP x DP"},
      {shards, setup.instances, "instances of the distributed optimizer do not divide DP x CP"},
      {setup.zero > 0 && m.experts > 0 ? setup.expert_replicas() : 0, setup.instances,
       "instances of the distributed optimizer do not divide the experts' DP"},
  };
  for (const Division& one : divisions)
    if (one.whole % one.part != 0)
      return fmt::format("{} ({} by {})", one.words, one.whole, one.part);
  return "";
}

/// What Megatron-Core asserts. Source: moe_layer.py, transformer_config.py, arguments.py,
/// dot_product_attention.py.
std::string core_reason(const Setup& setup) {
  const Shape& m = setup.shape;
  if (setup.framework != Framework::kMegatronCore) return "";
  if (m.experts > 0 && setup.tp > 1 && !setup.sequence_parallel)
    return "experts and TP together need sequence parallelism";
  if (m.experts > 0 && m.biases && setup.expert_tp > 1)
    return "experts that expert TP splits have no biases";
  if (m.shared_ffn > 0 && m.biases) return "shared experts have no biases";
  if (setup.overlaps_shared && setup.gathers_tokens)
    return "shared experts overlap with the dispatchers alltoall and flex alone";
  if (m.is_latent() && !setup.transformer_engine)
    return "latent attention needs Transformer Engine";
  if (setup.cp == 1) return "";
  if (!setup.transformer_engine) return "CP needs Transformer Engine, not --transformer-impl local";
  if (setup.attention == Attention::kScores) return "CP needs flash or fused attention";
  const std::int64_t halves = count_product({2, setup.cp});
  if (m.seq % halves != 0)
    return fmt::format("2 x CP does not divide the sequence ({} by {})", m.seq, halves);
  return "";
}

std::string impossible_reason(const Setup& setup) {
  const Shape& m = setup.shape;
  if (std::string why = indivisible_reason(setup); !why.empty()) return why;
  if (m.experts == 0 && setup.ep > 1) return "EP is of experts, and there are none";
  if (std::string why = core_reason(setup); !why.empty()) return why;
  if (m.experts_per_token > m.experts)
    return fmt::format("a token goes to {} experts, and there are {}", m.experts_per_token,
                       m.experts);
  if (setup.chunks > 1 && setup.pp == 1) return "virtual stages are of a pipeline, and PP is 1";
  if (setup.framework == Framework::kDeepSpeedZero && setup.pp > 1)
    return fmt::format("DeepSpeed's ZeRO-{} has no pipeline, and PP is {}", setup.zero, setup.pp);
  return "";
}

/// Why nobody knows what it needs.
std::string unknown_reason(const Setup& setup) {
  const Shape& m = setup.shape;
  const bool is_of_core = m.is_latent() || m.shared_ffn > 0 || m.mixes_layers();
  if (is_of_core && setup.framework != Framework::kMegatronCore)
    return "latent attention, shared experts and layers without experts among others are known of "
           "Megatron-Core alone";
  if (shares_groups(setup))
    return fmt::format("what TP ranks that share a query group need is not known ({} by {})",
                       m.kv_heads, setup.tp);
  return uncountable_reason(setup);
}

}  // namespace

std::string layout_reason(const Setup& setup) {
  const std::string why = impossible_reason(setup);
  return why.empty() ? unknown_reason(setup) : why;
}

void check_layout(const Setup& setup) {
  if (const std::string why = impossible_reason(setup); !why.empty()) throw ImpossibleLayout(why);
  if (const std::string why = unknown_reason(setup); !why.empty()) bad_input("estimate: {}", why);
}

std::string count_ends(Setup& setup, bool embedding, bool loss) {
  const std::int64_t more = (embedding ? 1 : 0) + (loss ? 1 : 0);
  if (setup.pp == 1 || more == 0) return "";
  const std::int64_t all = setup.shape.layers + more, each = all / setup.pp;
  if (all % setup.pp != 0)
    return fmt::format("PP does not divide the layers, with what counts as one ({} by {})", all,
                       setup.pp);
  if (each == 1) return "a stage would have no layer, as its end counts as one";
  if (each % setup.chunks != 0)
    return fmt::format("virtual stages do not divide the layers of a stage ({} by {})", each,
                       setup.chunks);
  setup.first_layers = each - (embedding ? 1 : 0);
  setup.last_layers = each - (loss ? 1 : 0);
  return "";
}

std::string interleaving_reason(const Setup& setup) {
  if (setup.chunks == 1) return "";
  const std::int64_t group = setup.chunk_group > 0 ? setup.chunk_group : setup.pp;
  if (group < setup.pp)
    return fmt::format("a group of {} micro-batches is smaller than PP {}", group, setup.pp);
  if (group > setup.gas && setup.chunk_group > 0)
    return fmt::format("a group of {} micro-batches is larger than GAS {}", group, setup.gas);
  const std::int64_t rest = setup.gas % group;
  if (rest == 0 || rest >= setup.pp) return "";
  const std::string more =
      group > setup.pp ? fmt::format(", or at least {} more than one", setup.pp) : "";
  return fmt::format("interleaved stages need a GAS that is a multiple of {}{}, not {}", group,
                     more, setup.gas);
}

std::string uncountable_reason(const Setup& setup) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  if (!is_countable(setup.shape)) return "a model of so many parameters cannot be counted";
  const std::int64_t ranks = count_product({setup.tp, setup.pp, setup.cp, setup.dp});
  const std::int64_t sequences = count_product({setup.dp, setup.mbs, setup.gas, setup.shape.seq});
  constexpr std::int64_t kMostStages = 100'000;  // each of which is looked at
  const bool is_too_large = std::max(ranks, sequences) > kMost || setup.pp > kMostStages;
  return is_too_large ? "so many ranks and tokens cannot be counted" : "";
}

}  // namespace pippin
