// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/on_gpu.h"

namespace pippin::probes {

ExitCode run_on_gpu(Session&, const CollectiveSettings&) {
  throw Error(ExitCode::kNoDevice, "--device cuda: built without CUDA");
}

}  // namespace pippin::probes
