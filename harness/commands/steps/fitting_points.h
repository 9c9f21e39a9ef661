// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"

namespace pippin {

/// Drops the points whose command has Megatron's arguments and whose layout cannot fit the memory
/// of the cluster's GPUs, with the figure that condemns them. What an estimate does not know is no
/// reason: a command of another kind, arguments that change memory in a way it has no account of.
/// Returns of how many points it is not known, and why; empty where it is of all, or nobody asks.
/// Errors: Error (bad input) where no point remains; as script_run().
std::string drop_what_does_not_fit(Sweep& sweep);

}  // namespace pippin
