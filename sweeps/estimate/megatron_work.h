// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/run.h"

namespace pippin {

/// Parameters, and the work of a token, of a model whose shape alone does not say them: with
/// experts, heads that do not make up the hidden size, latent attention (MLA), or layers that
/// predict further tokens (MTP). Leaves others as they are, and what the arguments do not tell.
/// `arguments`: Megatron's, as its dump or a command has them.
/// Source: Megatron-LM, num_floating_point_operations() and its modules, of 2026.
void fill_in_work(const NamedValues& arguments, Model& model);

/// The same of a log's launch, and the parameters of any model whose shape says them.
void fill_in_model(LogRun& run);

}  // namespace pippin
