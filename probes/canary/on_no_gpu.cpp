// SPDX-License-Identifier: Apache-2.0
#include "probes/canary/on_gpu.h"
#include "probes/common/error.h"

namespace pippin::probes {

CanaryReading take_reading_on_gpu(Session&, double, const CanarySizes&) {
  throw Error(ExitCode::kNoDevice, "--device cuda: built without CUDA");
}

}  // namespace pippin::probes
