// SPDX-License-Identifier: Apache-2.0
#include "probes/canary/on_gpu.h"

#include "probes/collective/cuda_space.h"
#include "probes/comm/gpu_backend.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/stream.h"

namespace pippin::probes {

CanaryReading take_reading_on_gpu(Session& session, double seconds, const CanarySizes& fixed) {
  Communicator& world = session.world();
  const Nodes nodes = find_nodes(world);
  const Gpu gpu = choose_gpu(nodes.local_rank(world.rank()));
  const cuda::Stream stream;
  CudaSpace space(stream.get());
  cuda::CublasLt<BFloat16> products;
  CudaDevice<BFloat16> device(stream.get(), products, space.memory());
  cuda::CudaClock clock(stream.get());
  const GpuBackend backend(session, nodes, gpu, {}, stream.get());
  CanaryReading reading;
  end_all_on_error(session, [&] {
    const auto comm = backend.over("world", world.split(0));
    reading = take_reading<BFloat16>(
        {device, clock, *comm, space, backend.library(), kGpuSizes, fixed}, seconds);
  });
  return reading;
}

}  // namespace pippin::probes
