#include <cstdio>

#include "probes/device/cpu.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_memory.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"
#include "tests/probes/parallel/ground.h"

namespace pippin::probes::test {

bool has_ground() {
  if (count_gpus() > 0) return true;
  std::printf("skipped: no GPU\n");
  return false;
}

/// All ranks share one GPU.
template <typename T>
struct TestGround<T>::Parts {
  cuda::Stream stream;
  CudaMemory memory;
  cuda::CublasLt<T> products;
  CudaDevice<T> device{stream.get(), products, memory};
  cuda::CudaClock clock{stream.get()};

  Ground<T> ground() {
    return {device, clock, by_copies<T>(device), [this] {
              device.give_back();
              memory.reserve();
            }};
  }
};

/// GPUs train in no doubles.
template <>
struct TestGround<double>::Parts {
  Memory memory;
  CpuDevice<double> device{memory, 1};
  HostClock clock;

  Ground<double> ground() { return {device, clock}; }
};

template <typename T>
TestGround<T>::TestGround() : parts_(std::make_unique<Parts>()) {}

template <typename T>
TestGround<T>::~TestGround() = default;

template <typename T>
Ground<T> TestGround<T>::ground() {
  return parts_->ground();
}

template class TestGround<Half>;
template class TestGround<BFloat16>;
template class TestGround<float>;
template class TestGround<double>;

}  // namespace pippin::probes::test
