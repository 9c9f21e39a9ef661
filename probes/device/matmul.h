// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// How a factor of a product stands in memory.
enum class As { kIs, kTransposed };

/// A row-major factor: `step` elements lie between the starts of two rows, as it stands in memory.
template <typename T>
struct Factor {
  const T* data;
  std::int64_t step;
  As as = As::kIs;
};

/// c = alpha·a·b + beta·c; c is rows × columns, a (after transposing) rows × inner, c's rows are
/// `c_step` elements apart. With beta 0 the old c is not read.
/// Runs on BLAS where the build has one, else on plain loops.
template <typename T>
void matmul(std::int64_t rows, std::int64_t columns, std::int64_t inner, T alpha, Factor<T> a,
            Factor<T> b, T beta, T* c, std::int64_t c_step);

/// The same in plain loops, whatever the build has.
template <typename T>
void matmul_in_loops(std::int64_t rows, std::int64_t columns, std::int64_t inner, T alpha,
                     Factor<T> a, Factor<T> b, T beta, T* c, std::int64_t c_step);

/// "openblas", "blas" or "loops".
std::string matmul_library();

/// What OpenBLAS takes the processor for, which decides its speed: "SkylakeX"; "None" for another
/// library.
std::string matmul_core();

/// Makes every product run on the thread that calls it, whatever the environment says.
void use_one_matmul_thread();

}  // namespace pippin::probes
