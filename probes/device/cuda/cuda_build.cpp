// SPDX-License-Identifier: Apache-2.0
#include "probes/common/capabilities.h"
#include "probes/device/cuda/gpu.h"

namespace pippin::probes {

CudaBuild cuda_build() {
  return {PROBES_CUDA_VERSION, PROBES_CUDA_ARCHITECTURES,
          least_capability(PROBES_CUDA_ARCHITECTURES, kOldestMajor)};
}

}  // namespace pippin::probes
