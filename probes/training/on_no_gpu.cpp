// SPDX-License-Identifier: Apache-2.0
#include "probes/training/on_gpu.h"

namespace pippin::probes {

void train_on_gpu(Session&, const TrainingSettings&, Log&) {
  throw Error(ExitCode::kNoDevice, "--device cuda: built without CUDA");
}

std::string gpu_libraries() { return "CUDA none | NCCL none"; }

}  // namespace pippin::probes
