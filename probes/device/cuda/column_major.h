// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pippin::probes::cuda {

/// A product of row-major matrices, c = a·b: `rows` × `depth` by `depth` × `columns`. A factor that
/// is transposed is stored the other way round. All are stored without gaps.
struct RowMajorProduct {
  std::int64_t rows, columns, depth;
  bool a_transposed, b_transposed;
};

/// The same as BLAS has it, for column-major matrices: C = op(A)·op(B), where C is m × n, and
/// elements of one row are ld apart.
struct ColumnMajorProduct {
  std::int64_t m, n, k;
  bool a_transposed, b_transposed;
  std::int64_t lda, ldb, ldc;

  // The matrices as they are stored.
  std::int64_t a_rows() const { return a_transposed ? k : m; }
  std::int64_t a_columns() const { return a_transposed ? m : k; }
  std::int64_t b_rows() const { return b_transposed ? n : k; }
  std::int64_t b_columns() const { return b_transposed ? k : n; }
};

/// How BLAS makes a row-major product. Its A is b, and its B is a: read by columns, what was stored
/// by rows is its transpose, and c = a·b is cᵀ = bᵀ·aᵀ. So a factor needs to be transposed if and
/// only if the row-major one did, and each matrix's ld is the length of its stored rows:
///   y = x·wᵀ      rows × out    A = w: T, ld in     B = x: N, ld in      m = out, n = rows
///   dx = dy·w     rows × in     A = w: N, ld in     B = dy: N, ld out    m = in,  n = rows
///   dw = dyᵀ·x    out × in      A = x: N, ld in     B = dy: T, ld out    m = in,  n = out
constexpr ColumnMajorProduct column_major(const RowMajorProduct& p) {
  return {p.columns,
          p.rows,
          p.depth,
          p.b_transposed,
          p.a_transposed,
          p.b_transposed ? p.depth : p.columns,
          p.a_transposed ? p.rows : p.depth,
          p.columns};
}

}  // namespace pippin::probes::cuda
