// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <string>

#include "probes/common/error.h"

namespace pippin::probes::cuda {

/// Throws the Error of what CUDA has refused.
inline void require_cuda(cudaError_t error, const char* purpose) {
  if (error != cudaSuccess)
    throw Error(ExitCode::kMachine,
                std::string(purpose) + ": CUDA says: " + cudaGetErrorString(error));
}

}  // namespace pippin::probes::cuda
