// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "probes/training/run.h"

namespace pippin::probes {

// In the program that was built with CUDA; the other one has neither.

/// On the GPU of this rank's local number. Errors: Error (no device) where there is none.
void train_on_gpu(Session& session, const TrainingSettings& settings, Log& log);

/// "CUDA 13.0 for sm_80 sm_90 | NCCL 2.28.9", or "none" in their places.
std::string gpu_libraries();

}  // namespace pippin::probes
