// SPDX-License-Identifier: Apache-2.0
/* Preloaded by training.sh: how long a program's threads spend in BLAS' single-precision product.
 * One line on standard error at the end: "blas_ms N". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static _Atomic long long nanoseconds;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((destructor)) static void tell(void) {
  fprintf(stderr, "blas_ms %.1f\n", (double)nanoseconds / 1e6);
}

typedef void (*c_product)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                          float, float*, int);
void cblas_sgemm(int order, int at, int bt, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  static c_product real;
  if (!real) real = (c_product)dlsym(RTLD_NEXT, "cblas_sgemm");
  long long begin = now();
  real(order, at, bt, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  nanoseconds += now() - begin;
}
