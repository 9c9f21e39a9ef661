// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/device/cuda/column_major.h"
#include "probes/device/cuda/products.h"

namespace pippin::probes::cuda {

/// How cuBLASLt's algorithm for a product is chosen.
struct AlgorithmChoice {
  /// 1: the one that cuBLASLt's heuristics put first. More: the fastest of so many of them, which
  /// are tried when a product is met for the first time. Then what it adds to has been added to
  /// many times: for measurements only.
  int tried = 1;
};

/// Products by cuBLASLt, which each find their algorithm once.
/// Errors: Error (machine) with the product's sizes.
template <typename T>
class CublasLt final : public Products<T> {
 public:
  using W = Wide<T>;

  explicit CublasLt(AlgorithmChoice choice = {});
  ~CublasLt() override;

  void prepare(cudaStream_t stream, Memory& memory) override;
  void give_back() override;

  bool linear(const LinearShape& shape, const T* x, const T* w, const T* bias, T* y) override;
  bool linear_gelu(const LinearShape& shape, const T* x, const T* w, const T* bias, T* before,
                   T* y) override;
  void to_input(const LinearShape& shape, const T* dy, const T* w, T* dx) override;
  bool to_gelu(const LinearShape& shape, const T* dy, const T* w, const T* before,
               T* dbefore) override;
  void to_weight(const LinearShape& shape, const T* x, const T* dy, W* dw) override;

 private:
  class Library;  ///< with it its header stays out of the others
  std::unique_ptr<Library> library_;
};

}  // namespace pippin::probes::cuda
