// SPDX-License-Identifier: Apache-2.0
#include "probes/common/capabilities.h"

namespace pippin::probes {

CudaBuild cuda_build() { return {}; }

}  // namespace pippin::probes
