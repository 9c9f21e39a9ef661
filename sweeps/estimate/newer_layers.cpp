// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/newer_layers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/expert_layers.h"
#include "sweeps/estimate/stage_layout.h"

namespace pippin {

namespace {

/// Megatron's usual widths, where they are not given.
void fill_in_latents(const MegatronGiven& given, Shape& shape) {
  constexpr std::int64_t kLatent = 32, kHead = 128, kShared = 64;
  if (!given.latent) return;
  if (given.grouped) bad_input("estimate: latent attention has no query groups");
  shape.kv_heads = shape.heads;
  shape.query_latent = given.query_latent.value_or(0);
  shape.key_latent = given.key_latent.value_or(kLatent);
  shape.shared_key = given.shared_key.value_or(kShared);
  shape.head_width = given.key_width.value_or(kHead) + shape.shared_key;
  shape.value_width = given.value_width.value_or(kHead);
}

void fill_in_shared_experts(const MegatronGiven& given, Setup& setup) {
  Shape& shape = setup.shape;
  if (shape.experts == 0 || !given.shared_ffn) return;
  shape.shared_ffn = *given.shared_ffn;
  shape.shared_gate = given.shared_gate;
  setup.overlaps_shared = given.overlaps_shared;
}

bool fill_in_mixtures(const MegatronGiven& given, Shape& shape) {
  if (shape.experts == 0 || given.mixtures.empty()) return true;
  const std::string name = typed_argument("moe_layer_freq");
  const auto with = layers_with_experts(given.mixtures, shape.layers);
  if (!with)
    bad_input("estimate: {} is '{}', and no list of {} layers such as ([0]*3+[1]*{})", name,
              printable(given.mixtures), shape.layers, std::max<std::int64_t>(shape.layers - 3, 0));
  if (std::find(with->begin(), with->end(), true) == with->end())
    bad_input("estimate: {} leaves no layer experts; leave out {}, too", name,
              typed_argument("num_experts"));
  const auto steps = steps_of(*with);
  if (!steps) return false;
  shape.first_mixture = steps->first;
  shape.mixture_step = steps->every;
  return true;
}

/// As many layers on each stage as on the others, or one more.
std::vector<std::int64_t> spread_evenly(std::int64_t layers, std::int64_t stages) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(stages), layers / stages);
  std::fill_n(all.begin(), layers % stages, layers / stages + 1);
  return all;
}

}  // namespace

bool fill_in_newer_layers(const MegatronGiven& given, Setup& setup) {
  fill_in_latents(given, setup.shape);
  fill_in_shared_experts(given, setup);
  setup.shape.mtp_layers = given.mtp_layers.value_or(0);
  setup.shape.mtp_shares = given.mtp_shares;
  return fill_in_mixtures(given, setup.shape);
}

bool fill_in_stages(const MegatronGiven& given, Setup& setup) {
  if (given.layout.empty()) return true;
  const std::string name = typed_argument("pipeline_model_parallel_layout");
  if (setup.framework != Framework::kMegatronCore)
    bad_input("estimate: only Megatron-Core has {}", name);
  if (given.chunks || given.layers_a_chunk || given.first_layers || given.last_layers ||
      given.counts_embedding || given.counts_loss)
    bad_input("estimate: {} says where all layers stand: leave out what says so otherwise", name);
  constexpr std::int64_t kMostStages = 100'000;
  if (setup.pp > kMostStages) return false;  // and is refused
  if (const auto stages = stages_in(given.layout); stages && *stages % setup.pp != 0)
    bad_input("estimate: {} has {}, which PP {} does not divide", name, counted(*stages, "stage"),
              setup.pp);
  const auto found = stage_layout(given.layout, setup.pp, setup.shape.mtp_layers);
  const auto counts = found ? found->layers : spread_evenly(setup.shape.layers, setup.pp);
  const std::int64_t layers = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (layers != setup.shape.layers)
    bad_input("estimate: {} places {} layers, and the model has {}", name, layers,
              setup.shape.layers);
  setup.chunks = std::ssize(counts) / setup.pp;
  setup.mtp_ahead = found ? found->mtp_ahead : 0;
  std::vector<std::int64_t> before(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), before.begin() + 1);
  setup.layers_before = std::make_shared<const std::vector<std::int64_t>>(std::move(before));
  return found.has_value();
}

void check_mtp(const Setup& setup) {
  if (setup.shape.mtp_layers == 0) return;
  const std::string name = typed_argument("mtp_num_layers");
  if (setup.framework != Framework::kMegatronCore)
    bad_input("estimate: only Megatron-Core has {}", name);
  if (setup.shape.learned_positions)
    bad_input("estimate: with {} Megatron takes {} rope or none", name,
              typed_argument("position_embedding_type"));
  const bool is_uniform = setup.recompute == Recompute::kFull && !setup.recompute_block;
  if (is_uniform && setup.recompute_layers != 1)
    bad_input("estimate: with {} Megatron takes {} 1 alone", name,
              typed_argument("recompute_num_layers"));
}

}  // namespace pippin
