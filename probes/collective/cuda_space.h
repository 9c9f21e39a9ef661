// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "probes/collective/memory_space.h"
#include "probes/device/cuda/cuda_heap.h"

namespace pippin::probes {

/// A GPU's memory. Data are made and checked there.
class CudaSpace final : public MemorySpace {
 public:
  /// `stream`: that of the communicator whose calls are made here.
  explicit CudaSpace(cudaStream_t stream) : stream_(stream), wrong_(heap_, {1}) {}

  Memory& memory() override { return heap_; }
  void clear(void* data, std::int64_t bytes) override;
  void copy(const void* from, void* to, std::int64_t bytes) override;
  void fill(const KnownData& data, void* place) override;
  /// Waits for the GPU.
  std::int64_t count_wrong(const KnownData& data, const void* place) override;

 private:
  cudaStream_t stream_;
  CudaHeap heap_;
  Buffer<unsigned long long> wrong_;
};

}  // namespace pippin::probes
