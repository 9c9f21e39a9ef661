// SPDX-License-Identifier: Apache-2.0
#include "probes/device/cuda/cuda_memory.h"

#include <algorithm>
#include <cuda_runtime.h>

#include "probes/common/error.h"
#include "probes/common/text.h"
#include "probes/device/cuda/cuda_error.h"
#include "probes/device/cuda/cuda_heap.h"

namespace pippin::probes {

namespace {

/// Where blocks lie that are only counted. Nothing is there, for a GPU nor for the CPU.
constexpr std::uintptr_t kNowhere = 4096;

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

/// Both "out of memory" and "std::bad_alloc": LOG_FORMAT.md promises them.
void* take(std::uint64_t bytes, const char* remedy) {
  void* block = nullptr;
  const cudaError_t answer = cudaMalloc(&block, bytes);
  if (answer == cudaSuccess) return block;
  if (answer != cudaErrorMemoryAllocation) cuda::require_cuda(answer, "cudaMalloc");
  std::size_t free = 0, total = 0;
  (void)cudaGetLastError();  // the failure is told here, and must not be met again
  (void)cudaMemGetInfo(&free, &total);
  throw Error(ExitCode::kOutOfMemory,
              text("out of memory (std::bad_alloc): tried to allocate %.2f MiB of the GPU's "
                   "memory, %.2f MiB of %.2f MiB free; try %s",
                   mib(bytes), mib(free), mib(total), remedy));
}

}  // namespace

void* CudaHeap::allocate(std::uint64_t bytes) {
  const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + kBlock - 1) / kBlock * kBlock;
  void* block = take(whole, "smaller sizes");
  cuda::require_cuda(cudaMemsetAsync(block, 0, whole), "cudaMemsetAsync");
  cuda::require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  count(whole);
  return block;
}

void CudaHeap::release(void* block, std::uint64_t bytes) {
  (void)cudaFree(block);
  discount((std::max<std::uint64_t>(bytes, 1) + kBlock - 1) / kBlock * kBlock);
}

CudaMemory::~CudaMemory() {
  if (base_) (void)cudaFree(base_);
}

char* CudaMemory::address(std::uint64_t offset) const {
  return base_ ? base_ + offset
               : reinterpret_cast<char*>(kNowhere + static_cast<std::uintptr_t>(offset));
}

void* CudaMemory::allocate(std::uint64_t bytes) {
  require_room(bytes);  // so that what follows cannot overflow
  const std::uint64_t begin = top();
  const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + kBlock - 1) / kBlock * kBlock;
  require_room(whole);
  if (base_ && begin + whole > measured_)
    throw Error(ExitCode::kMachine,
                text("a block of %.2f MiB of the GPU's memory was not measured before; this is an "
                     "error in pippin",
                     mib(bytes)));
  blocks_.push_back({begin, begin + whole, true});
  count(whole);
  char* block = address(begin);
  if (!base_) {
    measured_ = std::max(measured_, top());
    return block;
  }
  // Other streams do not wait for this one: it is at set-up, so all may.
  cuda::require_cuda(cudaMemsetAsync(block, 0, whole), "cudaMemsetAsync");
  cuda::require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return block;
}

void CudaMemory::release(void* block, std::uint64_t) {
  for (auto& known : blocks_)
    if (address(known.begin) == block) known.is_used = false;
  while (!blocks_.empty() && !blocks_.back().is_used) {
    discount(blocks_.back().end - blocks_.back().begin);
    blocks_.pop_back();
  }
}

void CudaMemory::reserve() {
  if (base_ || !blocks_.empty())
    throw Error(ExitCode::kMachine, "GPU memory reserved while in use; this is an error in pippin");
  measured_ = std::max(measured_, kBlock);
  base_ = static_cast<char*>(take(measured_, "a smaller --mbs or --recompute full"));
}

}  // namespace pippin::probes
