// SPDX-License-Identifier: Apache-2.0
#include "probes/common/error.h"
#include "probes/gemm/run.h"

namespace pippin::probes {

void run_products_on_gpu(Communicator&, const GemmSettings&, TwoLogs&) {
  throw Error(ExitCode::kNoDevice, "--device cuda: built without CUDA");
}

}  // namespace pippin::probes
