// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "emulator.h"
#include "streams.h"

// Found instead of NVIDIA's where a test compiles kernels as C++: as much of CUDA as they need.
// Source: CUDA C++ Programming Guide; CUDA Runtime API.

// NOLINTBEGIN(bugprone-reserved-identifier): the names are CUDA's
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static  // keeps what the block before left; only dynamic memory is poisoned
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

using uint3 = emulator::Index3;

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

inline const emulator::Index3 &threadIdx = emulator::thread_index,
                              &blockIdx = emulator::block_index;
inline const emulator::Size3 &blockDim = emulator::block_size, &gridDim = emulator::grid_size;
inline constexpr int warpSize = 32;

// Vectors.

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// Waiting for other threads.

inline void __syncthreads() { emulator::barrier(); }
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU) {
  int nothing = 0;
  emulator::together(mask, "__syncwarp", &nothing, [](void* const*) {});
}
inline void __threadfence() {}
inline void __threadfence_block() {}

namespace emulator {

template <typename T>
struct Shuffled {
  T value, result;
  int source;  ///< lane
};

/// Undefined by CUDA, so poison: the value of a lane that takes no part.
template <typename T>
T shuffle(unsigned mask, const char* name, T value, int source) {
  Shuffled<T> own{value, value, source};
  together(mask, name, &own, [](void* const* lanes) {
    for (int i = 0; i < 32; ++i) {
      auto* lane = static_cast<Shuffled<T>*>(lanes[i]);
      if (!lane) continue;
      const auto* from = static_cast<const Shuffled<T>*>(lanes[lane->source]);
      if (from)
        lane->result = from->value;
      else
        std::memset(&lane->result, 0xFF, sizeof(T));
    }
  });
  return own.result;
}

struct Ballot {
  bool is_set;
  unsigned lanes;
};
inline unsigned ballot(unsigned mask, const char* name, bool is_set) {
  Ballot own{is_set, 0};
  together(mask, name, &own, [](void* const* lanes) {
    unsigned all = 0;
    for (int i = 0; i < 32; ++i)
      if (lanes[i] && static_cast<const Ballot*>(lanes[i])->is_set) all |= 1U << i;
    for (int i = 0; i < 32; ++i)
      if (lanes[i]) static_cast<Ballot*>(lanes[i])->lanes = all;
  });
  return own.lanes;
}

inline int lane() { return static_cast<int>(thread_index.x % 32); }

}  // namespace emulator

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int first = emulator::lane() / width * width;
  return emulator::shuffle(mask, "__shfl_sync", value, first + (source & (width - 1)));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = emulator::lane(), source = lane ^ bits;
  const bool inside = source / width <= lane / width;
  return emulator::shuffle(mask, "__shfl_xor_sync", value, inside ? source : lane);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned step, int width = 32) {
  const int lane = emulator::lane(), source = lane + static_cast<int>(step);
  return emulator::shuffle(mask, "__shfl_down_sync", value,
                           source / width == lane / width ? source : lane);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned step, int width = 32) {
  const int lane = emulator::lane(), source = lane - static_cast<int>(step);
  return emulator::shuffle(mask, "__shfl_up_sync", value,
                           source >= lane / width * width ? source : lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return emulator::ballot(mask, "__ballot_sync", predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) {
  return emulator::ballot(mask, "__any_sync", predicate != 0) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return emulator::ballot(mask, "__all_sync", predicate != 0) == mask;
}
inline unsigned __activemask() { return 0xFFFFFFFFU; }

// A thread is never interrupted, so what must be indivisible is.

template <typename T>
T emulated_add(T* address, T value) {
  const T before = *address;
  *address = before + value;
  return before;
}
inline float atomicAdd(float* address, float value) { return emulated_add(address, value); }
inline double atomicAdd(double* address, double value) { return emulated_add(address, value); }
inline int atomicAdd(int* address, int value) { return emulated_add(address, value); }
inline unsigned atomicAdd(unsigned* address, unsigned value) {
  return emulated_add(address, value);
}
inline unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) {
  return emulated_add(address, value);
}
inline int atomicMax(int* address, int value) {
  const int before = *address;
  *address = std::max(before, value);
  return before;
}
inline unsigned atomicOr(unsigned* address, unsigned value) {
  const unsigned before = *address;
  *address = before | value;
  return before;
}

// Arithmetic.

template <typename T>
T __ldg(const T* address) {
  return *address;
}
inline int min(int a, int b) { return std::min(a, b); }
inline int max(int a, int b) { return std::max(a, b); }
inline long min(long a, long b) { return std::min(a, b); }
inline long max(long a, long b) { return std::max(a, b); }
inline unsigned min(unsigned a, unsigned b) { return std::min(a, b); }
inline unsigned max(unsigned a, unsigned b) { return std::max(a, b); }
inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }

// The host's side, in cuda_runtime.cpp but for what is constant.

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDeviceAttr {
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrPciBusId = 33,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37
};
inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0,
                          cudaEventDisableTiming = 2;

using cudaStream_t = struct EmulatedStream*;
using cudaEvent_t = struct EmulatedEvent*;

struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  std::size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};

inline const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "cudaSuccess" : "an emulated error";
}
inline const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    default:
      return "an emulated error";
  }
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

// As many as a node has; what they are called is all that tells them apart.
inline constexpr int kEmulatedDevices = 8;
inline constexpr std::size_t kEmulatedMemory = std::size_t{1} << 30;  // of each
inline thread_local int emulated_device = 0;
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = kEmulatedDevices;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= kEmulatedDevices) return cudaErrorInvalidDevice;
  emulated_device = device;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = emulated_device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize();
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {"emulator", {{static_cast<char>(device)}}, kEmulatedMemory, 9, 0, 4};
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 4;  // few, so that loops over a grid go round more than once
  return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = kEmulatedMemory;
  return cudaSuccess;
}

cudaError_t emulated_malloc(void** pointer, std::size_t bytes, bool is_pinned);
template <typename T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return emulated_malloc(reinterpret_cast<void**>(pointer), bytes, false);
}
template <typename T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes) {
  return emulated_malloc(reinterpret_cast<void**>(pointer), bytes, true);
}
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream = nullptr);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
// NOLINTEND(bugprone-reserved-identifier)
