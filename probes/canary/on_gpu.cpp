#include "probes/canary/on_gpu.h"

#include "probes/comm/nodes.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_heap.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"

namespace pippin::probes {

CanaryReading take_reading_on_gpu(Communicator& world, double seconds) {
  choose_gpu(find_nodes(world).local_rank(world.rank()));
  const cuda::Stream stream;
  CudaHeap memory;
  cuda::CublasLt<BFloat16> products;
  CudaDevice<BFloat16> device(stream.get(), products, memory);
  cuda::CudaClock clock(stream.get());
  return take_reading<BFloat16>(world, device, clock, kGpuSide, seconds);
}

}  // namespace pippin::probes
