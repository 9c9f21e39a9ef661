// SPDX-License-Identifier: Apache-2.0
#include "probes/device/cuda/cublaslt.h"

#include <algorithm>
#include <compare>
#include <cublasLt.h>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "probes/common/error.h"
#include "probes/common/text.h"
#include "probes/device/cuda/cuda_error.h"

namespace pippin::probes::cuda {

namespace {

/// Source: cuBLAS documentation, cublasSetWorkspace(): recommended for Hopper.
constexpr std::int64_t kWorkspace = 32 << 20;

/// cuBLASLt takes no more of an address's alignment into account. Source: cublasLt.h, default of
/// CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES.
constexpr std::uint32_t kMostAlignment = 256;

/// What GELU keeps: rows of a multiple of 8 elements (cublasLt.h,
/// CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD), and 16 bytes, as its vector stores need.
constexpr std::int64_t kKeptColumns = 8;
constexpr std::uint32_t kKeptAlignment = 16;

template <typename T>
constexpr cudaDataType_t kType = CUDA_R_32F;
template <>
constexpr cudaDataType_t kType<BFloat16> = CUDA_R_16BF;
template <>
constexpr cudaDataType_t kType<Half> = CUDA_R_16F;

const char* type_name(cudaDataType_t type) {
  return type == CUDA_R_16BF ? "bf16" : type == CUDA_R_16F ? "fp16" : "fp32";
}

/// The largest power of 2 that divides the address; of none the most there is.
std::uint32_t alignment_of(const void* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address) | kMostAlignment;
  return static_cast<std::uint32_t>(number & -number);
}

/// One product, row-major.
struct Request {
  RowMajorProduct product;
  const void *a, *b;
  void* c;
  cudaDataType_t factors, result;
  bool adds;  ///< to what c is
  cublasLtEpilogue_t ending = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  const void* kept = nullptr;  ///< GELU's input: written, or read on the way back
};

std::string line_of(const Request& r) {
  return text("product of %s, %lld × %lld by %lld × %lld, epilogue %d", type_name(r.factors),
              static_cast<long long>(r.product.rows), static_cast<long long>(r.product.depth),
              static_cast<long long>(r.product.depth), static_cast<long long>(r.product.columns),
              static_cast<int>(r.ending));
}

void require(cublasStatus_t status, const char* call, const Request* request = nullptr) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ExitCode::kMachine,
              text("%s failed: %s%s%s", call, cublasLtGetStatusString(status), request ? ": " : "",
                   request ? line_of(*request).c_str() : ""));
}

/// What decides about an algorithm.
struct Key {
  std::int64_t rows, columns, depth;
  bool a_transposed, b_transposed, adds;
  int factors, result, ending;
  std::uint32_t a, b, c, other;  ///< bytes that divide the addresses

  // NOLINTNEXTLINE(modernize-use-nullptr): there is none
  auto operator<=>(const Key&) const = default;
};

Key key_of(const Request& r) {
  const RowMajorProduct& p = r.product;
  return {p.rows,
          p.columns,
          p.depth,
          p.a_transposed,
          p.b_transposed,
          r.adds,
          r.factors,
          r.result,
          r.ending,
          alignment_of(r.a),
          alignment_of(r.b),
          alignment_of(r.c),
          std::min(alignment_of(r.bias), alignment_of(r.kept))};
}

/// A handle of cuBLASLt's and what destroys it.
template <typename Handle, cublasStatus_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle_) destroy(handle_);
  }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle* put() { return &handle_; }
  operator Handle() const { return handle_; }  // NOLINT(google-explicit-constructor): stands for it

 private:
  Handle handle_ = nullptr;
};
using Description = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;
using Handle = Owned<cublasLtHandle_t, cublasLtDestroy>;

/// A product as cuBLASLt has it, and how it is made. Without a workspace there is no algorithm.
struct Plan {
  Description description;
  Layout a, b, c;
  cublasLtMatmulAlgo_t algorithm = {};
  bool is_possible = false;
};

template <typename V>
void set(const Description& description, cublasLtMatmulDescAttributes_t attribute, const V& value) {
  require(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
}
template <typename V>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const V& value) {
  require(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
}

/// The description names these addresses, too, and they change from call to call.
void set_addresses(const Plan& plan, const Request& r) {
  if (r.bias) set(plan.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, r.bias);
  if (r.kept) set(plan.description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, r.kept);
}

Plan describe(const Request& r) {
  const ColumnMajorProduct p = column_major(r.product);
  Plan plan;
  // Sums in float; of float numbers in full, no TF32. Source: cublasLt.h, cublasComputeType_t.
  require(cublasLtMatmulDescCreate(plan.description.put(), CUBLAS_COMPUTE_32F, CUDA_R_32F),
          "cublasLtMatmulDescCreate", &r);
  const auto transposed = [](bool is) { return is ? CUBLAS_OP_T : CUBLAS_OP_N; };
  // The row-major b is BLAS's A: column_major.h.
  set(plan.description, CUBLASLT_MATMUL_DESC_TRANSA, transposed(p.a_transposed));
  set(plan.description, CUBLASLT_MATMUL_DESC_TRANSB, transposed(p.b_transposed));
  set(plan.description, CUBLASLT_MATMUL_DESC_EPILOGUE, r.ending);
  if (r.kept) set(plan.description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.ldc);
  set_addresses(plan, r);
  const auto layout = [&](Layout& to, cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                          std::int64_t ld) {
    require(cublasLtMatrixLayoutCreate(to.put(), type, static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), ld),
            "cublasLtMatrixLayoutCreate", &r);
  };
  layout(plan.a, r.factors, p.a_rows(), p.a_columns(), p.lda);
  layout(plan.b, r.factors, p.b_rows(), p.b_columns(), p.ldb);
  layout(plan.c, r.result, p.m, p.n, p.ldc);
  return plan;
}

Preference preference_of(const Request& r) {
  Preference preference;
  require(cublasLtMatmulPreferenceCreate(preference.put()), "cublasLtMatmulPreferenceCreate", &r);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(kWorkspace));
  // Where the depth is split, parts must not be rounded to 16 bits before they are added.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(r.b));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(r.a));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(r.c));
  // A bias has no preference of its own: it is loaded as the result is stored.
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
      std::min(alignment_of(r.c), alignment_of(r.bias)));
  return preference;
}

/// Two events, and the time between them.
class Stopwatch {
 public:
  Stopwatch() {
    require_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
    require_cuda(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~Stopwatch() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start(cudaStream_t stream) {
    require_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
  }
  /// Waits. Unit: milliseconds.
  float stop(cudaStream_t stream) {
    float time = 0;
    require_cuda(cudaEventRecord(end_, stream), "cudaEventRecord");
    require_cuda(cudaEventSynchronize(end_), "cudaEventSynchronize");
    require_cuda(cudaEventElapsedTime(&time, begin_, end_), "cudaEventElapsedTime");
    return time;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// How exact cuBLASLt's GELU is, it does not say: enough for 16 bits, for fp32 it may not be.
template <typename T>
constexpr bool kKnowsGelu = sizeof(T) < 4;

/// GELU's input can be kept, or read, in the product.
bool can_keep(const void* kept, std::int64_t columns) {
  return columns % kKeptColumns == 0 && alignment_of(kept) >= kKeptAlignment;
}

}  // namespace

template <typename T>
class CublasLt<T>::Library {
 public:
  explicit Library(AlgorithmChoice choice) : choice_(choice) {
    require(cublasLtCreate(handle_.put()), "cublasLtCreate");
  }

  void prepare(cudaStream_t stream, Memory& memory) {
    stream_ = stream;
    workspace_ = Buffer<unsigned char>(memory, {kWorkspace});
  }

  void give_back() { workspace_ = {}; }

  /// Whether there is an algorithm; then the product is under way.
  bool multiply(const Request& r) {
    const Key key = key_of(r);
    auto known = plans_.find(key);
    if (known == plans_.end()) known = plans_.emplace(key, make_plan(r)).first;
    const Plan& plan = known->second;
    if (!plan.is_possible) return false;
    set_addresses(plan, r);
    run(plan, r, plan.algorithm);
    return true;
  }

  void must_multiply(const Request& r) {
    if (!multiply(r)) require(CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmulAlgoGetHeuristic", &r);
  }

 private:
  cublasStatus_t try_run(const Plan& plan, const Request& r,
                         const cublasLtMatmulAlgo_t& algorithm) {
    const float one = 1, before = r.adds ? 1 : 0;
    return cublasLtMatmul(handle_, plan.description, &one, r.b, plan.a, r.a, plan.b, &before, r.c,
                          plan.c, r.c, plan.c, &algorithm, workspace_.data(),
                          static_cast<std::size_t>(kWorkspace), stream_);
  }
  void run(const Plan& plan, const Request& r, const cublasLtMatmulAlgo_t& algorithm) {
    require(try_run(plan, r, algorithm), "cublasLtMatmul", &r);
  }

  Plan make_plan(const Request& r) {
    Plan plan = describe(r);
    std::vector<cublasLtMatmulHeuristicResult_t> found(
        static_cast<std::size_t>(std::max(1, choice_.tried)));
    int count = 0;
    const Preference preference = preference_of(r);
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle_, plan.description, plan.a, plan.b, plan.c, plan.c, preference,
        static_cast<int>(found.size()), found.data(), &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return plan;
    require(status, "cublasLtMatmulAlgoGetHeuristic", &r);
    found.resize(static_cast<std::size_t>(count));
    std::erase_if(found, [](const auto& one) { return one.state != CUBLAS_STATUS_SUCCESS; });
    if (found.empty()) return plan;
    plan.is_possible = true;
    plan.algorithm = found.front().algo;
    if (choice_.tried > 1) keep_fastest(r, found, plan);
    return plan;
  }

  void keep_fastest(const Request& r, const std::vector<cublasLtMatmulHeuristicResult_t>& found,
                    Plan& plan) {
    constexpr int kRuns = 5;
    float fastest = std::numeric_limits<float>::infinity();
    Stopwatch watch;
    for (const auto& candidate : found) {
      if (try_run(plan, r, candidate.algo) != CUBLAS_STATUS_SUCCESS) continue;  // of warm-up
      watch.start(stream_);
      for (int i = 0; i < kRuns; ++i) run(plan, r, candidate.algo);
      const float time = watch.stop(stream_);
      if (time >= fastest) continue;
      fastest = time;
      plan.algorithm = candidate.algo;
    }
  }

  AlgorithmChoice choice_;
  Handle handle_;
  cudaStream_t stream_ = nullptr;
  Buffer<unsigned char> workspace_;
  std::map<Key, Plan> plans_;
};

template <typename T>
CublasLt<T>::CublasLt(AlgorithmChoice choice) : library_(std::make_unique<Library>(choice)) {}

template <typename T>
CublasLt<T>::~CublasLt() = default;

template <typename T>
void CublasLt<T>::prepare(cudaStream_t stream, Memory& memory) {
  library_->prepare(stream, memory);
}

template <typename T>
void CublasLt<T>::give_back() {
  library_->give_back();
}

template <typename T>
bool CublasLt<T>::linear(const LinearShape& s, const T* x, const T* w, const T* bias, T* y) {
  Request request{{s.rows, s.out, s.in, false, true}, x, w, y, kType<T>, kType<T>, false};
  if (!bias) {
    library_->must_multiply(request);
    return true;
  }
  request.ending = CUBLASLT_EPILOGUE_BIAS;
  request.bias = bias;
  return library_->multiply(request);
}

template <typename T>
bool CublasLt<T>::linear_gelu(const LinearShape& s, const T* x, const T* w, const T* bias,
                              T* before, T* y) {
  if (!kKnowsGelu<T> || !can_keep(before, s.out)) return false;
  Request request{{s.rows, s.out, s.in, false, true}, x, w, y, kType<T>, kType<T>, false};
  request.ending = bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
  request.bias = bias;
  request.kept = before;
  return library_->multiply(request);
}

template <typename T>
void CublasLt<T>::to_input(const LinearShape& s, const T* dy, const T* w, T* dx) {
  library_->must_multiply(
      {{s.rows, s.in, s.out, false, false}, dy, w, dx, kType<T>, kType<T>, false});
}

template <typename T>
bool CublasLt<T>::to_gelu(const LinearShape& s, const T* dy, const T* w, const T* before,
                          T* dbefore) {
  if (!kKnowsGelu<T> || !can_keep(before, s.in)) return false;
  Request request{{s.rows, s.in, s.out, false, false}, dy, w, dbefore, kType<T>, kType<T>, false};
  request.ending = CUBLASLT_EPILOGUE_DGELU;
  request.kept = before;
  return library_->multiply(request);
}

template <typename T>
void CublasLt<T>::to_weight(const LinearShape& s, const T* x, const T* dy, W* dw) {
  library_->must_multiply(
      {{s.out, s.in, s.rows, true, false}, dy, x, dw, kType<T>, kType<W>, true});
}

template class CublasLt<BFloat16>;
template class CublasLt<Half>;
template class CublasLt<float>;

}  // namespace pippin::probes::cuda
