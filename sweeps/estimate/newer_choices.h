// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// What selective recomputation makes again. Errors: Error (bad input) where Megatron does not know
/// it, or the model has no such part.
void fill_in_remade(const MegatronGiven& given, Setup& setup);

/// Products in 8 bits. Requires the GPU, the type of the rest, and whether layers are Transformer
/// Engine's. False where a part of the layers has none in a way that is not known. Errors: Error
/// (bad input) where they are not, for a GPU that has none, or for a recipe that is none.
bool fill_in_fp8(const MegatronGiven& given, Setup& setup);

/// In which types gradients are summed and the optimizer keeps its state. Requires the type that is
/// trained in. Returns the argument, if any, of which it is not known what it takes. Errors: Error
/// (bad input) where Megatron has no such type, or not with that optimizer.
std::string_view fill_in_optimizer(const MegatronGiven& given, Setup& setup);

/// What runs beside what, which ranks are neighbours, and where the loss is worked out. Errors:
/// Error (bad input) where Megatron has no such loss.
void fill_in_schedule(const MegatronGiven& given, Setup& setup);

/// What Megatron's own FSDP spreads over ranks, in place of ZeRO's stage. Requires the framework
/// and the type that is trained in. Errors: Error (bad input) where Megatron has no such choice.
/// Source: Megatron-LM, megatron/core/distributed/fsdp.
void fill_in_fsdp(const MegatronGiven& given, Setup& setup);

}  // namespace pippin
