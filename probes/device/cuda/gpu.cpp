// SPDX-License-Identifier: Apache-2.0
#include "probes/device/cuda/gpu.h"

#include <cuda_runtime.h>

#include "probes/common/error.h"
#include "probes/common/text.h"
#include "probes/device/cuda/cuda_error.h"

namespace pippin::probes {

namespace {

/// 0 where the driver does not say.
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) return value;
  (void)cudaGetLastError();  // not to be met again
  return 0;
}

std::string version(int number) { return text("%d.%d", number / 1000, number % 1000 / 10); }

Gpu describe(int index) {
  cudaDeviceProp properties;
  cuda::require_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  Gpu gpu;
  gpu.index = index;
  gpu.name = properties.name;
  for (const char byte : properties.uuid.bytes)
    gpu.uuid += text("%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  gpu.major = properties.major;
  gpu.minor = properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.memory = properties.totalGlobalMem;
  gpu.memory_bus = attribute(cudaDevAttrGlobalMemoryBusWidth, index);
  gpu.clock = attribute(cudaDevAttrClockRate, index) / 1e3;
  gpu.memory_clock = attribute(cudaDevAttrMemoryClockRate, index) / 1e3;
  gpu.pci_bus = attribute(cudaDevAttrPciBusId, index);
  cuda::require_cuda(cudaDriverGetVersion(&gpu.driver), "cudaDriverGetVersion");
  cuda::require_cuda(cudaRuntimeGetVersion(&gpu.runtime), "cudaRuntimeGetVersion");
  return gpu;
}

[[noreturn]] void no_device(const std::string& what) { throw Error(ExitCode::kNoDevice, what); }

}  // namespace

std::string Gpu::line() const {
  return text(
      "GPU %d: %s, compute capability %d.%d, %d multiprocessors, %.0f MiB, clock %.0f MHz, "
      "memory %.0f MHz × %d bits, CUDA driver %s, runtime %s",
      index, name.c_str(), major, minor, multiprocessors,
      static_cast<double>(memory) / (1024.0 * 1024.0), clock, memory_clock, memory_bus,
      version(driver).c_str(), version(runtime).c_str());
}

int count_gpus(std::string* trouble) {
  int count = 0;
  const cudaError_t answer = cudaGetDeviceCount(&count);
  if (answer == cudaSuccess) return count;
  (void)cudaGetLastError();  // not to be met again
  if (trouble) *trouble = cudaGetErrorString(answer);
  return 0;
}

Gpu choose_gpu(int local_rank) {
  std::string trouble = "it sees none";
  const int count = count_gpus(&trouble);
  if (count == 0)
    no_device("no GPU: CUDA finds none on this node (" + trouble +
              "); ask the scheduler for one (--gres=gpu:N), look at CUDA_VISIBLE_DEVICES and "
              "nvidia-smi, or take --device cpu");
  Gpu gpu = describe(local_rank % count);
  if (gpu.major < kOldestMajor)
    no_device(
        text("no GPU that will do: %s has compute capability %d.%d, but 8.0 (A100) or later is "
             "needed; take another partition or --device cpu",
             gpu.name.c_str(), gpu.major, gpu.minor));
  cuda::require_cuda(cudaSetDevice(gpu.index), "cudaSetDevice");
  return gpu;
}

}  // namespace pippin::probes
