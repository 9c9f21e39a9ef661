// SPDX-License-Identifier: Apache-2.0
#include "sweeps/max_model.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/models.h"

namespace pippin {

namespace {

Setup with_layers(Setup setup, std::int64_t layers) {
  setup.shape.layers = layers;
  return setup;
}

/// Nothing where it does not fit, or cannot be counted.
std::optional<FittingModel> if_it_fits(const Setup& setup, double usable_bytes) {
  if (!is_countable(setup.shape)) return std::nullopt;
  const double needed = needed_bytes(setup);
  if (needed > usable_bytes) return std::nullopt;
  return FittingModel{"", setup.shape.layers, model_parameters(setup.shape), needed};
}

bool divides(const Setup& setup) {
  const Shape& m = setup.shape;
  return m.layers % (setup.pp * setup.chunks) == 0 && m.heads % setup.tp == 0 &&
         m.kv_heads % setup.tp == 0 && m.ffn % setup.tp == 0;
}

/// As wide and as deep as a named model whose MLP is of the same kind.
std::optional<Setup> as_named(const std::string& name, Setup setup) {
  const Model model = *find_model(name);
  const Shape shape = shape_of(model, setup.tp);
  Shape& own = setup.shape;
  if (shape.gated() != own.gated()) return std::nullopt;
  own.layers = shape.layers;
  own.hidden = shape.hidden;
  own.heads = shape.heads;
  own.kv_heads = shape.kv_heads;
  own.head_width = shape.head_width;
  own.ffn = shape.ffn;
  return divides(setup) ? std::optional(setup) : std::nullopt;
}

}  // namespace

std::optional<FittingModel> deepest_model(const Setup& setup, double usable_bytes) {
  const std::int64_t step = setup.pp * setup.chunks;
  const auto fit = [&](std::int64_t steps) {
    return if_it_fits(with_layers(setup, steps * step), usable_bytes);
  };
  std::int64_t fitting = 0, too_many = 1;
  while (fit(too_many)) {
    fitting = too_many;
    too_many *= 2;
  }
  while (too_many - fitting > 1) {
    const std::int64_t middle = fitting + (too_many - fitting) / 2;
    (fit(middle) ? fitting : too_many) = middle;
  }
  return fitting > 0 ? fit(fitting) : std::nullopt;
}

std::optional<FittingModel> largest_named_model(const Setup& setup, double usable_bytes) {
  std::optional<FittingModel> largest;
  // The named ones have neither experts nor latent attention.
  if (setup.shape.experts > 0 || setup.shape.is_latent()) return largest;
  for (const std::string& name : model_names()) {
    const auto other = as_named(name, setup);
    if (!other) continue;
    const auto found = if_it_fits(*other, usable_bytes);
    if (!found || (largest && largest->parameters >= found->parameters)) continue;
    largest = found;
    largest->name = name;
  }
  return largest;
}

MaxModel max_model(const std::string& point, const Setup& setup, double usable_bytes) {
  MaxModel said;
  said.point = point;
  said.hidden = setup.shape.hidden;
  if (setup.first_layers > 0 || setup.last_layers > 0) {
    said.why = "its stages are of unequal length";
    return said;
  }
  said.deepest = deepest_model(setup, usable_bytes);
  said.named = largest_named_model(setup, usable_bytes);
  if (!said.deepest)
    said.why = fmt::format("a layer on each stage needs {:.1f} GiB of {:.1f}",
                           needed_bytes(with_layers(setup, setup.pp * setup.chunks)) / kGib,
                           usable_bytes / kGib);
  return said;
}

}  // namespace pippin
