// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

#include "probes/common/half.h"

namespace pippin::probes::cuda {

// Memory is moved by up to 16 bytes a thread and instruction: kernels come in two kinds, for
// aligned arrays and, with packs of one element, for any.

/// Elements that lie together and are moved together.
template <typename T, int kCount>
struct Pack {
  T at[kCount];
};

/// As many T as one instruction moves.
template <typename T>
inline constexpr int kLanes = 16 / static_cast<int>(sizeof(T));

/// Bytes that divide the addresses of packs: theirs, up to 16.
template <typename T, int kCount>
inline constexpr int kPackAlignment = sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16;

/// The instruction's operand for so many bytes.
template <int kBytes>
struct Word {
  using type = uint4;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<4> {
  using type = std::uint32_t;
};
template <>
struct Word<2> {
  using type = std::uint16_t;
};

template <int kCount, typename T>
__device__ inline Pack<T, kCount> load_pack(const T* from) {
  constexpr int kBytes = kPackAlignment<T, kCount>, kWords = sizeof(Pack<T, kCount>) / kBytes;
#ifndef __CUDACC__
  emulator::require_aligned(from, kBytes, "a load of a pack");
#endif
  using W = typename Word<kBytes>::type;
  union Both {
    __device__ Both() {}
    W words[kWords];
    Pack<T, kCount> pack;
  } both;
#pragma unroll
  for (int i = 0; i < kWords; ++i) both.words[i] = reinterpret_cast<const W*>(from)[i];
  return both.pack;
}

template <int kCount, typename T>
__device__ inline void store_pack(T* to, const Pack<T, kCount>& pack) {
  constexpr int kBytes = kPackAlignment<T, kCount>, kWords = sizeof(pack) / kBytes;
#ifndef __CUDACC__
  emulator::require_aligned(to, kBytes, "a store of a pack");
#endif
  using W = typename Word<kBytes>::type;
  union Both {
    __device__ Both() {}
    W words[kWords];
    Pack<T, kCount> pack;
  } both;
  both.pack = pack;
#pragma unroll
  for (int i = 0; i < kWords; ++i)
#ifdef __CUDACC__
    __stwb(reinterpret_cast<W*>(to) + i, both.words[i]);  // an assignment may be taken to pieces
#else
    reinterpret_cast<W*>(to)[i] = both.words[i];
#endif
}

/// Begins to bring the 128 bytes around an address into the L2 cache, where nobody waits for them.
__device__ inline void prefetch(const void* address) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(address)));
#else
  (void)address;
#endif
}

/// Whether packs of kCount can be moved at all of these; null is no array.
template <int kCount, typename... T>
bool are_aligned(const T*... arrays) {
  return ((reinterpret_cast<std::uintptr_t>(arrays) % kPackAlignment<T, kCount> == 0) && ...);
}

/// Elements before the first at which packs of kCount can be moved in all of the arrays; -1 where
/// there is none.
template <int kCount, typename... T>
std::int64_t elements_before_packs(const T*... arrays) {
  for (std::int64_t i = 0; i < kCount; ++i)
    if (are_aligned<kCount>(arrays + i...)) return i;
  return -1;
}

}  // namespace pippin::probes::cuda
