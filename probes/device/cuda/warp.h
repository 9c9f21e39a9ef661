// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "probes/common/half.h"

namespace pippin::probes::cuda {

inline constexpr int kWarp = 32;  ///< threads
inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ inline int lane_index() { return static_cast<int>(threadIdx.x) % kWarp; }
__device__ inline int warp_index() { return static_cast<int>(threadIdx.x) / kWarp; }

struct Plus {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Larger {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

/// Over all lanes of the warp, for each of them; always in the same order.
template <typename Combine, typename T>
__device__ T warp_reduce(T value) {
#pragma unroll
  for (int bits = kWarp / 2; bits > 0; bits /= 2)
    value = Combine()(value, __shfl_xor_sync(kAllLanes, value, bits));
  return value;
}
template <typename T>
__device__ T warp_sum(T value) {
  return warp_reduce<Plus>(value);
}
template <typename T>
__device__ T warp_max(T value) {
  return warp_reduce<Larger>(value);
}

/// Over all threads of the block, for each of them; always in the same order.
/// Requires: called by every thread; whole warps, of which `scratch` holds one T each, in shared
/// memory; it may be used again at once.
template <typename Combine, typename T>
__device__ T block_reduce(T value, T* scratch) {
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  value = warp_reduce<Combine>(value);
  if (lane_index() == 0) scratch[warp_index()] = value;
  __syncthreads();
  T all = scratch[0];
  for (int warp = 1; warp < warps; ++warp) all = Combine()(all, scratch[warp]);
  __syncthreads();
  return all;
}
template <typename T>
__device__ T block_sum(T value, T* scratch) {
  return block_reduce<Plus>(value, scratch);
}
template <typename T>
__device__ T block_max(T value, T* scratch) {
  return block_reduce<Larger>(value, scratch);
}

/// As many T as one load or store moves at most, 16 bytes.
template <typename T>
struct alignas(16) Vector {
  static constexpr int kCount = 16 / sizeof(T);
  T at[kCount];
};

/// Requires: 16-byte alignment.
template <typename T>
__device__ inline Vector<T> load_vector(const T* address) {
#ifdef __CUDACC__
  const uint4 bits = *reinterpret_cast<const uint4*>(address);
  return reinterpret_cast<const Vector<T>&>(bits);
#else
  emulator::require_aligned(address, 16, "a vector load");
  Vector<T> vector;
  std::memcpy(&vector, address, sizeof vector);
  return vector;
#endif
}
template <typename T>
__device__ inline void store_vector(T* address, const Vector<T>& vector) {
#ifdef __CUDACC__
  *reinterpret_cast<uint4*>(address) = reinterpret_cast<const uint4&>(vector);
#else
  emulator::require_aligned(address, 16, "a vector store");
  std::memcpy(address, &vector, sizeof vector);
#endif
}

}  // namespace pippin::probes::cuda
