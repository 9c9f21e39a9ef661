// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// Adds to a shape, whose counts of layers and of experts are known, what recent models have:
/// latent attention, experts that all tokens meet, layers without experts. False where the layers
/// with experts come in no equal steps, and all are taken to have some. Errors: Error (bad input)
/// where the arguments speak of other layers, or exclude one another.
bool fill_in_newer_layers(const MegatronGiven& given, Setup& setup);

}  // namespace pippin
