// SPDX-License-Identifier: Apache-2.0
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_heap.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"
#include "probes/gemm/run.h"

namespace pippin::probes {

namespace {

template <typename T>
void run_in(Communicator& world, const Nodes& nodes, const GemmSettings& settings, TwoLogs& logs) {
  const cuda::Stream stream;
  CudaHeap memory;
  cuda::CublasLt<T> products({static_cast<int>(settings.algorithms)});
  CudaDevice<T> device(stream.get(), products, memory);
  cuda::CudaClock clock(stream.get());
  run_products<T>(world, nodes, settings, device, clock, "cublasLt", logs);
}

}  // namespace

void run_products_on_gpu(Communicator& world, const GemmSettings& settings, TwoLogs& logs) {
  const Nodes nodes = find_nodes(world);
  const Gpu gpu = choose_gpu(nodes.local_rank(world.rank()));
  logs.table.line("# " + gpu.line());
  if (settings.setup.precision == "bf16")
    run_in<BFloat16>(world, nodes, settings, logs);
  else if (settings.setup.precision == "fp16")
    run_in<Half>(world, nodes, settings, logs);
  else
    run_in<float>(world, nodes, settings, logs);
}

}  // namespace pippin::probes
