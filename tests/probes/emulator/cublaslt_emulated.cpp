// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "cublasLt.h"
#include "probes/common/half.h"
#include "probes/device/arithmetic.h"

using pippin::probes::BFloat16;
using pippin::probes::Half;

struct EmulatedHandle {};
struct EmulatedProduct {
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr, *aux = nullptr;
  std::int64_t aux_ld = 0;
};
struct EmulatedLayout {
  cudaDataType_t type;
  std::int64_t rows, columns, ld;
};
struct EmulatedPreference {
  std::uint64_t workspace = 0;
  std::uint32_t reduction = 7, a = 256, b = 256, c = 256, d = 256;
};

namespace {

float load(const void* matrix, cudaDataType_t type, std::int64_t i) {
  if (type == CUDA_R_16BF) return static_cast<const BFloat16*>(matrix)[i];
  if (type == CUDA_R_16F) return static_cast<const Half*>(matrix)[i];
  return static_cast<const float*>(matrix)[i];
}
void store(void* matrix, cudaDataType_t type, std::int64_t i, float value) {
  if (type == CUDA_R_16BF)
    static_cast<BFloat16*>(matrix)[i] = BFloat16(value);
  else if (type == CUDA_R_16F)
    static_cast<Half*>(matrix)[i] = Half(value);
  else
    static_cast<float*>(matrix)[i] = value;
}

template <typename V>
cublasStatus_t copy(V& to, const void* value, std::size_t bytes) {
  if (bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

bool has_bias(cublasLtEpilogue_t epilogue) { return (epilogue & 4) != 0; }
bool has_aux(cublasLtEpilogue_t epilogue) { return (epilogue & 128) != 0; }

bool divides(std::uint64_t bytes, const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// Sizes that fit together, and what cublasLt.h demands of leading dimensions.
bool is_valid(const EmulatedProduct& p, const EmulatedLayout& a, const EmulatedLayout& b,
              const EmulatedLayout& c) {
  const std::int64_t m = p.a == CUBLAS_OP_N ? a.rows : a.columns,
                     k = p.a == CUBLAS_OP_N ? a.columns : a.rows,
                     n = p.b == CUBLAS_OP_N ? b.columns : b.rows,
                     other_k = p.b == CUBLAS_OP_N ? b.rows : b.columns;
  if (m != c.rows || n != c.columns || k != other_k) return false;
  if (a.ld < a.rows || b.ld < b.rows || c.ld < c.rows || a.type != b.type) return false;
  return !has_aux(p.epilogue) || (p.aux_ld % 8 == 0 && p.aux_ld >= m);
}

/// A product in a stream: what the call was given may change behind it.
struct Matmul {
  EmulatedProduct product;
  float alpha, beta;
  const void *a, *b, *c;
  void* d;
  EmulatedLayout a_layout, b_layout, c_layout, d_layout;
  void* workspace;
  std::size_t workspace_bytes;
};

bool is_valid(const Matmul& m, const cublasLtMatmulAlgo_t& algo) {
  const EmulatedProduct& p = m.product;
  if (!is_valid(p, m.a_layout, m.b_layout, m.d_layout)) return false;
  if (!is_valid(p, m.a_layout, m.b_layout, m.c_layout)) return false;
  if (!divides(algo.a, m.a) || !divides(algo.b, m.b)) return false;
  if (!divides(algo.c, m.c) || !divides(algo.d, m.d)) return false;
  if (has_bias(p.epilogue) && (!p.bias || !divides(algo.d, p.bias))) return false;
  if (has_aux(p.epilogue) && (!p.aux || !divides(16, p.aux))) return false;
  return m.workspace_bytes >= algo.workspace && divides(16, m.workspace);
}

/// Of a row and a column.
float sum_of(const Matmul& m, std::int64_t i, std::int64_t j) {
  const EmulatedProduct& p = m.product;
  const EmulatedLayout &la = m.a_layout, &lb = m.b_layout;
  const std::int64_t depth = p.a == CUBLAS_OP_N ? la.columns : la.rows;
  float sum = 0;
  for (std::int64_t k = 0; k < depth; ++k)
    sum += load(m.a, la.type, p.a == CUBLAS_OP_N ? i + k * la.ld : k + i * la.ld) *
           load(m.b, lb.type, p.b == CUBLAS_OP_N ? k + j * lb.ld : j + k * lb.ld);
  return sum;
}

float ended(const Matmul& m, std::int64_t i, std::int64_t j, float sum) {
  const EmulatedProduct& p = m.product;
  const cudaDataType_t type = m.d_layout.type;
  const std::int64_t aux = i + j * p.aux_ld;
  if (has_bias(p.epilogue)) sum += load(p.bias, type, i);
  if (p.epilogue == CUBLASLT_EPILOGUE_DGELU)
    return sum * pippin::probes::gelu_slope(load(p.aux, type, aux));
  if (!has_aux(p.epilogue)) return sum;
  store(p.aux, type, aux, sum);
  return pippin::probes::gelu(sum);
}

void compute(const Matmul& m) {
  std::memset(m.workspace, 0xFF, m.workspace_bytes < 4096 ? m.workspace_bytes : 4096);
  for (std::int64_t j = 0; j < m.d_layout.columns; ++j)
    for (std::int64_t i = 0; i < m.d_layout.rows; ++i) {
      float sum = m.alpha * sum_of(m, i, j);
      // Without a beta C is not looked at.
      if (m.beta != 0) sum += m.beta * load(m.c, m.c_layout.type, i + j * m.c_layout.ld);
      store(m.d, m.d_layout.type, i + j * m.d_layout.ld, ended(m, i, j, sum));
    }
}

}  // namespace

const char* cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "an emulated status";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new EmulatedHandle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, cublasComputeType_t,
                                        cudaDataType_t) {
  *product = new EmulatedProduct;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  delete product;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return copy(product->a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return copy(product->b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return copy(product->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return copy(product->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return copy(product->aux, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return copy(product->aux_ld, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t ld) {
  *layout = new EmulatedLayout{type, static_cast<std::int64_t>(rows),
                               static_cast<std::int64_t>(columns), ld};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new EmulatedPreference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return copy(preference->workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return copy(preference->reduction, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return copy(preference->a, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return copy(preference->b, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return copy(preference->c, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return copy(preference->d, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* found) {
  *found = 0;
  if (!is_valid(*product, *a, *b, *c)) return CUBLAS_STATUS_INVALID_VALUE;
  // An epilogue may have no algorithm: here where rows are odd.
  if (product->epilogue != CUBLASLT_EPILOGUE_DEFAULT && c->rows % 2 != 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const EmulatedPreference& p = *preference;
  for (; *found < most && *found < 3; ++*found)
    results[*found] = {{p.a, p.b, p.c, p.d, p.workspace}, 0, CUBLAS_STATUS_SUCCESS};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo,
                              void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  const Matmul matmul{*product,
                      *static_cast<const float*>(alpha),
                      *static_cast<const float*>(beta),
                      a,
                      b,
                      c,
                      d,
                      *a_layout,
                      *b_layout,
                      *c_layout,
                      *d_layout,
                      workspace,
                      workspace_bytes};
  if (!is_valid(matmul, *algo)) return CUBLAS_STATUS_INVALID_VALUE;
  emulator::put(stream, [matmul] { compute(matmul); });
  return CUBLAS_STATUS_SUCCESS;
}
