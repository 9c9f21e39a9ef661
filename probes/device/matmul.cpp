// SPDX-License-Identifier: Apache-2.0
#include "probes/device/matmul.h"

#ifdef PROBES_HAVE_CBLAS
#include <cblas.h>
#endif

namespace pippin::probes {

template <typename T>
void matmul_in_loops(std::int64_t rows, std::int64_t columns, std::int64_t inner, T alpha,
                     Factor<T> a, Factor<T> b, T beta, T* c, std::int64_t c_step) {
  const std::int64_t a_row = a.as == As::kIs ? a.step : 1, a_column = a.as == As::kIs ? 1 : a.step;
  const std::int64_t b_row = b.as == As::kIs ? b.step : 1, b_column = b.as == As::kIs ? 1 : b.step;
  for (std::int64_t i = 0; i < rows; ++i) {
    T* out = c + i * c_step;
    for (std::int64_t j = 0; j < columns; ++j) out[j] = beta == T(0) ? T(0) : beta * out[j];
    // The innermost loop runs along a row of c, so that it vectorises for an untransposed b.
    for (std::int64_t k = 0; k < inner; ++k) {
      const T factor = alpha * a.data[i * a_row + k * a_column];
      const T* row = b.data + k * b_row;
      for (std::int64_t j = 0; j < columns; ++j) out[j] += factor * row[j * b_column];
    }
  }
}

template void matmul_in_loops(std::int64_t, std::int64_t, std::int64_t, float, Factor<float>,
                              Factor<float>, float, float*, std::int64_t);
template void matmul_in_loops(std::int64_t, std::int64_t, std::int64_t, double, Factor<double>,
                              Factor<double>, double, double*, std::int64_t);

#ifdef PROBES_HAVE_CBLAS

namespace {

void gemm(CBLAS_TRANSPOSE at, CBLAS_TRANSPOSE bt, int m, int n, int k, float alpha, const float* a,
          int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, at, bt, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(CBLAS_TRANSPOSE at, CBLAS_TRANSPOSE bt, int m, int n, int k, double alpha,
          const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, at, bt, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CBLAS_TRANSPOSE blas_name(As as) { return as == As::kIs ? CblasNoTrans : CblasTrans; }

int narrow(std::int64_t number) { return static_cast<int>(number); }

}  // namespace

template <typename T>
void matmul(std::int64_t rows, std::int64_t columns, std::int64_t inner, T alpha, Factor<T> a,
            Factor<T> b, T beta, T* c, std::int64_t c_step) {
  gemm(blas_name(a.as), blas_name(b.as), narrow(rows), narrow(columns), narrow(inner), alpha,
       a.data, narrow(a.step), b.data, narrow(b.step), beta, c, narrow(c_step));
}

#else

template <typename T>
void matmul(std::int64_t rows, std::int64_t columns, std::int64_t inner, T alpha, Factor<T> a,
            Factor<T> b, T beta, T* c, std::int64_t c_step) {
  matmul_in_loops(rows, columns, inner, alpha, a, b, beta, c, c_step);
}

#endif

template void matmul(std::int64_t, std::int64_t, std::int64_t, float, Factor<float>, Factor<float>,
                     float, float*, std::int64_t);
template void matmul(std::int64_t, std::int64_t, std::int64_t, double, Factor<double>,
                     Factor<double>, double, double*, std::int64_t);

std::string matmul_library() {
#if defined(PROBES_HAVE_OPENBLAS)
  return "openblas";
#elif defined(PROBES_HAVE_CBLAS)
  return "blas";
#else
  return "loops";
#endif
}

std::string matmul_core() {
#ifdef PROBES_HAVE_OPENBLAS
  return openblas_get_corename();
#else
  return "None";
#endif
}

void use_one_matmul_thread() {
#ifdef PROBES_HAVE_OPENBLAS
  openblas_set_num_threads(1);
#endif
}

}  // namespace pippin::probes
