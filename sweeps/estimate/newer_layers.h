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

/// The stages of a launch that places each layer. Requires the framework, PP and MTP's layers.
/// False where it does so in a way that is not known. Errors: Error (bad input) where its framework
/// has no such thing, it has other layers, PP does not divide its stages, or says it twice.
bool fill_in_stages(const MegatronGiven& given, Setup& setup);

/// Errors: Error (bad input) where Megatron would not start with MTP.
void check_mtp(const Setup& setup);

}  // namespace pippin
