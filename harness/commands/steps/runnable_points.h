// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"

namespace pippin {

/// Drops the points whose command has Megatron's arguments and whose layout no trainer starts, or
/// cannot fit the memory of the cluster's GPUs, each with what condemns it. What an estimate does
/// not know is no reason: a command of another kind, arguments that change memory in a way it has
/// no account of. Returns of how many points it is not known whether they fit, and why; empty where
/// it is of all, or nobody asks.
/// Errors: Error (bad input) where no point remains; as script_run().
std::string drop_what_cannot_run(Sweep& sweep);

}  // namespace pippin
