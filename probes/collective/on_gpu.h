// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/collective/collective.h"
#include "probes/comm/session.h"

namespace pippin::probes {

/// run_collectives() on the memory of each rank's GPU. Errors: Error (no device) where there is
/// none, and in a program that was built without CUDA.
ExitCode run_on_gpu(Session& session, const CollectiveSettings& settings);

}  // namespace pippin::probes
