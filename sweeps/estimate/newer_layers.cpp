// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/newer_layers.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/expert_layers.h"

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

}  // namespace

bool fill_in_newer_layers(const MegatronGiven& given, Setup& setup) {
  fill_in_latents(given, setup.shape);
  fill_in_shared_experts(given, setup);
  setup.shape.mtp_layers = given.mtp_layers.value_or(0);
  setup.shape.mtp_shares = given.mtp_shares;
  return fill_in_mixtures(given, setup.shape);
}

}  // namespace pippin
