// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <string>

#include "probes/common/error.h"
#include "probes/device/cuda/cuda_error.h"

namespace pippin::probes::cuda {

// How kernels are started. Tests compile kernels as C++, against an emulator's cuda_runtime.h.

/// How many blocks. Source: CUDA C++ Programming Guide, table of compute capabilities: at most
/// 2^31 − 1 along x, 65535 along y and z.
struct Blocks {
  std::int64_t x = 1, y = 1, z = 1;

  // NOLINTNEXTLINE(google-explicit-constructor): most grids have one dimension
  Blocks(std::int64_t x_, std::int64_t y_ = 1, std::int64_t z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct Grid {
  Blocks blocks;
  int threads;                     ///< of a block
  std::int64_t shared_bytes = 0;   ///< of a block, for dynamic_shared()
  const char* purpose = "kernel";  ///< for messages
};

/// Without an opt-in a block gets no more. Source: CUDA C++ Programming Guide, "Shared Memory".
inline constexpr std::int64_t kSharedWithoutAsking = 48 * 1024;

/// Starts `kernel` behind what was put into the stream before; nothing where there are no blocks.
template <typename... Parameters, typename... Arguments>
void launch(cudaStream_t stream, const Grid& grid, void (*kernel)(Parameters...),
            Arguments... arguments) {
  const Blocks& blocks = grid.blocks;
  if (blocks.x <= 0 || blocks.y <= 0 || blocks.z <= 0) return;
  if (blocks.x > INT32_MAX || blocks.y > 65535 || blocks.z > 65535)
    throw Error(ExitCode::kMachine, std::string(grid.purpose) +
                                        ": more blocks than a GPU can count; take smaller shapes");
  const auto x = static_cast<unsigned>(blocks.x), y = static_cast<unsigned>(blocks.y),
             z = static_cast<unsigned>(blocks.z);
  const auto threads = static_cast<unsigned>(grid.threads);
  if (grid.shared_bytes > kSharedWithoutAsking)
    require_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(grid.shared_bytes)),
                 grid.purpose);
#ifdef __CUDACC__
  kernel<<<dim3(x, y, z), threads, static_cast<std::size_t>(grid.shared_bytes), stream>>>(
      arguments...);
  require_cuda(cudaGetLastError(), grid.purpose);
#else
  emulator::launch(stream, grid.purpose, {x, y, z}, threads,
                   static_cast<std::size_t>(grid.shared_bytes),
                   [kernel, arguments...] { kernel(arguments...); });
#endif
}

#ifdef __CUDACC__
/// The block's shared memory, as much as the launch asked for.
template <typename T>
__device__ inline T* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char dynamic_shared_bytes[];
  return reinterpret_cast<T*>(dynamic_shared_bytes);
}
#else
template <typename T>
T* dynamic_shared() {
  return static_cast<T*>(emulator::shared_memory());
}
#endif

}  // namespace pippin::probes::cuda
