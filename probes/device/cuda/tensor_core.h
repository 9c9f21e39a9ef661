// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

#include "probes/common/half.h"
#ifndef __CUDACC__
#include "emulated_tensor_core.h"
#endif

namespace pippin::probes::cuda {

// The warp's instructions for matrices of 16-bit numbers, from compute capability 8.0 on. How the
// lanes hold the matrices: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".

#ifdef __CUDACC__

/// Two T, the first in the lower half.
template <typename T>
__device__ inline std::uint32_t pack(float low, float high) {
  std::uint32_t both;
  if constexpr (std::is_same_v<T, BFloat16>)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

/// 2^x, to 2 units of float's last place; numbers below 2^-126 are 0.
__device__ inline float power_of_2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// c += a·b. Shape: a 16 × 16 in rows, b 16 × 8 in columns, c 16 × 8.
template <typename T>
__device__ inline void multiply_add(const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1,
                                    float (&c)[4]) {
  if constexpr (std::is_same_v<T, BFloat16>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline std::uint32_t shared_address(const void* address) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(address));
}

/// Four matrices of 8 × 8; lanes 8i … 8i + 7 give the addresses of matrix i's rows.
/// Requires: rows in shared memory, 16-byte alignment.
__device__ inline void load_matrices(const void* row, std::uint32_t (&fragments)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragments[0]), "=r"(fragments[1]), "=r"(fragments[2]), "=r"(fragments[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ inline void load_transposed(const void* row, std::uint32_t (&fragments)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragments[0]), "=r"(fragments[1]), "=r"(fragments[2]), "=r"(fragments[3])
               : "r"(shared_address(row))
               : "memory");
}

/// Copies 16 bytes to shared memory some time before wait_copies(), or zeros if not `valid`.
/// Requires: 16-byte alignment. Where not `valid` nothing is read: the address may lie anywhere, as
/// CUTLASS's cp_async_zfill() has it, too.
__device__ inline void copy_async(void* shared, const void* global, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)),
                 "r"(valid ? 16 : 0)
               : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }
/// Until all but the last `pending` commits of this thread have landed; others' need a barrier.
template <int pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}

#else

template <typename T>
std::uint32_t pack(float low, float high) {
  return T(low).bits | static_cast<std::uint32_t>(T(high).bits) << 16;
}
inline float power_of_2(float x) { return std::exp2(x); }
template <typename T>
void multiply_add(const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, float (&c)[4]) {
  const std::uint32_t b[2] = {b0, b1};
  emulator::multiply_add<T>(a, b, c);
}
inline void load_matrices(const void* row, std::uint32_t (&fragments)[4]) {
  emulator::load_matrices<false>(row, fragments);
}
inline void load_transposed(const void* row, std::uint32_t (&fragments)[4]) {
  emulator::load_matrices<true>(row, fragments);
}
inline void copy_async(void* shared, const void* global, bool valid) {
  emulator::copy_async(shared, global, valid ? 16 : 0);
}
inline void commit_copies() { emulator::commit_copies(); }
template <int pending>
void wait_copies() {
  emulator::wait_copies(pending);
}

#endif

}  // namespace pippin::probes::cuda
