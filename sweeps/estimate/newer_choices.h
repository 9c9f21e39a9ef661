// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// What selective recomputation makes again. Errors: Error (bad input) where Megatron does not know
/// it, or the model has no such part.
void fill_in_remade(const MegatronGiven& given, Setup& setup);

/// In which types gradients are summed and the optimizer keeps its state. Requires the type that is
/// trained in. Errors: Error (bad input) where Megatron has no such type, or not without its
/// precision-aware optimizer.
void fill_in_optimizer(const MegatronGiven& given, Setup& setup);

}  // namespace pippin
