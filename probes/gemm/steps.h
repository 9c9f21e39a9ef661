// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/gemm/run.h"

namespace pippin::probes {

/// With --iterations: all products one after the other, as often as --step-ms takes; each step is
/// the mean time of making all of them once, on the rank that took longest. Every rank of `world`
/// must call it. Errors: Error (out of memory) where not all of them fit at once.
template <typename T>
void run_steps(Communicator& world, const GemmSettings& settings, Device<T>& device, Clock& clock,
               Log& log);

}  // namespace pippin::probes
