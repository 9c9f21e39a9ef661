// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Before a function that a GPU's kernels call, too. On the host it is always inlined: the CPU's
/// loops are compiled for several levels of instructions, whose copies the linker must not mix.
#ifdef __CUDACC__
#define PROBES_HOST_DEVICE __host__ __device__ inline
#else
#define PROBES_HOST_DEVICE __attribute__((always_inline)) inline
#endif
