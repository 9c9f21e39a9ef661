// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/check.h"
#include "probes/collective/cuda_space.h"
#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/warp.h"

namespace pippin::probes {

using cuda::launch;
using cuda::require_cuda;

namespace {

constexpr int kThreads = 256;
/// Enough to fill a GPU; each thread goes on with a later element.
constexpr std::int64_t kMostBlocks = 4096;

std::int64_t blocks_for(std::int64_t count) {
  const std::int64_t blocks = (count + kThreads - 1) / kThreads;
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

__device__ inline std::int64_t first_element() {
  return std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
}
__device__ inline std::int64_t stride() { return std::int64_t{gridDim.x} * kThreads; }

template <typename T>
__global__ void fill_kernel(KnownData data, std::int64_t count, T* elements) {
  for (std::int64_t i = first_element(); i < count; i += stride()) elements[i] = data.input<T>(i);
}

template <typename T>
__global__ void count_wrong_kernel(KnownData data, std::int64_t count, const T* elements,
                                   unsigned long long* wrong) {
  unsigned long long own = 0;
  for (std::int64_t i = first_element(); i < count; i += stride())
    own += elements[i] != data.result<T>(i) ? 1 : 0;
  if (own > 0) atomicAdd(wrong, own);
}

std::size_t wide(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

void CudaSpace::clear(void* data, std::int64_t bytes) {
  require_cuda(cudaMemsetAsync(data, 0, wide(bytes), stream_), "clearing a GPU's memory");
}

void CudaSpace::copy(const void* from, void* to, std::int64_t bytes) {
  require_cuda(cudaMemcpyAsync(to, from, wide(bytes), cudaMemcpyDeviceToDevice, stream_),
               "a copy on the GPU");
}

void CudaSpace::fill(const KnownData& data, void* place) {
  const std::int64_t count = data.inputs();
  visit_element(data.call().element, [&]<typename T>(T) {
    launch(stream_, {blocks_for(count), kThreads, 0, "known data"}, fill_kernel<T>, data, count,
           static_cast<T*>(place));
  });
}

std::int64_t CudaSpace::count_wrong(const KnownData& data, const void* place) {
  const std::int64_t count = data.results();
  clear(wrong_.data(), sizeof(unsigned long long));
  visit_element(data.call().element, [&]<typename T>(T) {
    launch(stream_, {blocks_for(count), kThreads, 0, "the check of data"}, count_wrong_kernel<T>,
           data, count, static_cast<const T*>(place), wrong_.data());
  });
  unsigned long long wrong = 0;
  require_cuda(
      cudaMemcpyAsync(&wrong, wrong_.data(), sizeof wrong, cudaMemcpyDeviceToHost, stream_),
      "a copy from the GPU");
  require_cuda(cudaStreamSynchronize(stream_), "waiting for the GPU");
  return static_cast<std::int64_t>(wrong);
}

}  // namespace pippin::probes
